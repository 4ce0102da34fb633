"""Bodies of requests: what is no JSON, and what is nested without end."""

import pytest

from copyproof.service.bodies import DEEPEST, read_json
from copyproof.service.errors import Refusal


def nested(levels: int) -> bytes:
    return b"[" * levels + b"]" * levels


def test_a_body_may_be_nested_so_deep_and_no_deeper() -> None:
    read_json(nested(DEEPEST), DEEPEST)
    with pytest.raises(Refusal) as refused:
        read_json(nested(DEEPEST + 1), DEEPEST)
    assert (refused.value.status, refused.value.field) == (422, "body")
    assert f"nested more than {DEEPEST} levels" in str(refused.value)


def test_a_nest_without_end_is_refused_as_a_body_and_not_as_a_path() -> None:
    with pytest.raises(Refusal, match="body is not JSON") as refused:
        read_json(nested(100_000), DEEPEST)
    assert refused.value.field == "body"


@pytest.mark.parametrize("body", [b"", b"{", b'{"count": NaN}', b'"\xff"', b"{} {}"])
def test_what_is_no_json(body: bytes) -> None:
    with pytest.raises(Refusal, match="body is not JSON") as refused:
        read_json(body)
    assert refused.value.status == 400
