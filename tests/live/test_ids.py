"""Ids name decisions of their own market, and no others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copyproof.live.ids import Ids
from copyproof.live.records import Unknown


@given(st.integers(1, 2**47), st.text(min_size=1, max_size=20))
def test_an_id_gives_its_round_back(round_: int, market: str) -> None:
    ids = Ids(market, seed=1)
    assert ids.round(ids.id(round_), last=2**47) == round_
    with pytest.raises(Unknown):
        ids.round(ids.id(round_), last=round_ - 1)
    for other in (Ids(market, seed=2), Ids(f"{market}-", seed=1), Ids("-", seed=1)):
        with pytest.raises(Unknown):
            other.round(ids.id(round_), last=2**47)


@given(st.text() | st.none() | st.integers() | st.just("m-1-") | st.just("--") | st.just("m-٣-x"))
def test_anything_else_is_unknown(text: object) -> None:
    with pytest.raises(Unknown, match="is not known"):
        Ids("m", seed=0).round(text, last=1000)
