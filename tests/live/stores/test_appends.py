"""What a store remembers of markets is believed only while it is so."""

from pathlib import Path

import pytest

from copyproof.live.stores import Conflict, LeaseLost
from copyproof.live.stores.appends import Append
from copyproof.live.stores.errors import Locked
from copyproof.live.stores.sqlite import SqliteStore


def asked(number: int) -> dict[str, object]:
    return {"kind": "asked", "round": number, "at": 0.5, "arms": [number]}


@pytest.fixture
def stores(tmp_path: Path) -> tuple[SqliteStore, SqliteStore, dict[str, int]]:
    """Two stores in one file, as two processes have them; the first has written to its markets."""
    one, two = SqliteStore(tmp_path / "live.db"), SqliteStore(tmp_path / "live.db")
    for market in "ab":
        one.create_market(market, {})
    tokens = one.acquire_all(["a", "b"], "one", 60.0)
    appends = [Append(market, 1, [asked(1), asked(2)], tokens[market]) for market in "ab"]
    assert one.append_all(appends) == [None, None]
    return one, two, tokens


def test_rows_are_not_read_again(
    stores: tuple[SqliteStore, SqliteStore, dict[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, _, tokens = stores
    with monkeypatch.context() as patch:
        patch.setattr(SqliteStore, "_lock_free", lambda *_: pytest.fail("rows were read"))
        for number in (3, 4):
            appends = [Append(market, number, [asked(number)], tokens[market]) for market in "ab"]
            assert one.append_all(appends) == [None, None]
    assert [number for number, _ in one.events("a")] == [1, 2, 3, 4]
    one.check()


def test_a_lease_that_another_took_is_lost(
    stores: tuple[SqliteStore, SqliteStore, dict[str, int]],
) -> None:
    one, two, tokens = stores
    one.release("a", "one", tokens["a"])
    token = two.acquire("a", "two", 60.0)
    assert two.append_all([Append("a", 3, [asked(7)], token)]) == [None]
    appends = [Append(market, 3, [asked(3)], tokens[market]) for market in "ab"]
    lost, done = one.append_all(appends)
    assert isinstance(lost, LeaseLost)
    assert done is None
    assert [event["round"] for _, event in one.events("a")] == [1, 2, 7]
    assert [event["round"] for _, event in one.events("b")] == [1, 2, 3]
    one.check()


def test_an_event_that_is_not_the_next_is_a_conflict(
    stores: tuple[SqliteStore, SqliteStore, dict[str, int]],
) -> None:
    one, two, tokens = stores
    assert two.append_all([Append("b", 3, [asked(8)], tokens["b"])]) == [None]
    appends = [Append(market, 3, [asked(3)], tokens[market]) for market in "ab"]
    done, conflict = one.append_all(appends)
    assert done is None
    assert isinstance(conflict, Conflict)
    one.check()


def test_a_market_that_was_made_anew_is_another(
    stores: tuple[SqliteStore, SqliteStore, dict[str, int]],
) -> None:
    one, two, tokens = stores
    one.release("a", "one", tokens["a"])
    two.drop_market("a")
    [gone] = one.append_all([Append("a", 3, [asked(3)], tokens["a"])])
    assert isinstance(gone, Locked)
    two.create_market("a", {})
    two.append("a", 1, [asked(1), asked(2)])
    while two.acquire("a", "two", 60.0) != tokens["a"]:
        pass
    # The same name, number and token: but the chain is another.
    assert one.append_all([Append("a", 3, [asked(3)], tokens["a"])]) == [None]
    assert [event["round"] for _, event in one.events("a")] == [1, 2, 3]
    one.check()
