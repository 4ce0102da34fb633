"""The stops of an ensemble, and the memory of its walkers."""

import numpy as np
import pytest

from copyproof import Agent, Market, parse_policy
from copyproof.engine.own_process import HALF
from copyproof.rare_events.ensembles import stops
from copyproof.rare_events.lost import own_process
from copyproof.validation import FieldError


@pytest.mark.parametrize("most", [1, 7, 8, 9, 100, 1023, 1024, 10**6])
def test_stops_grow_to_the_last(most: int) -> None:
    found = stops(most)
    assert found[-1] == most
    assert (np.diff(found) > 0).all()
    late = found[found >= 64][:-1]
    assert (np.abs(late[HALF:] - 2 * late[:-HALF]) <= 2).all()


def test_the_arrays_of_a_state_share_their_memory() -> None:
    market = Market([Agent("A", [0.9, 0.2], copies=[2, 5]), Agent("B", [0.5]), Agent("C", [0.4])])
    process = own_process(market, 0, parse_policy("trial"), 0.5, horizon=100, seed=1, most=100)
    plain = process.lowered.new_state()
    state, ensemble = process.new_memory()
    for piece, same in zip(state, plain, strict=True):
        assert (piece.dtype, piece.shape) == (same.dtype, same.shape)
        assert piece.flags.aligned
        assert np.shares_memory(piece, ensemble.words)
    assert state.start[:3].tolist() == [-1, -2, -2]  # the others are not there


def test_too_many_arms_are_refused() -> None:
    market = Market([Agent("A", [0.9, 0.2], copies=[1, 10**6]), Agent("B", [0.5])])
    process = own_process(market, 0, parse_policy("trial"), 0.5, horizon=100, seed=1, most=100)
    with pytest.raises(
        FieldError, match=r"^agent has too many arms: .* would need [0-9.]+ GB a thread"
    ):
        process.new_memory()
