"""What an earlier version stored is opened by this one, and goes on as it would have gone on.

``live/generate.py`` made the files with the public API of that version, and says what is in them.
Those beside it were decided with the logarithms of a C library and another KL index (numerics 1),
those of ``numerics-2-trial`` by other rules of trial, and in those of numerics 1 to 3 names without
an arm counted in n: their journals are replayed by the decisions that they hold, and they go on
under the numerics of today.
"""

import gzip
import io
import json
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from copyproof.engine.version import NUMERICS
from copyproof.live import MarketConfig, Principal
from copyproof.live.checks import check_store
from copyproof.live.events import Diverged
from copyproof.live.stores import Store, open_store
from tests.golden.live.generate import MARKETS, Clock, Session, lines_of, outlook

OLD = Path(__file__).parent / "live"
SECOND = OLD / "numerics-2"
TRIAL = OLD / "numerics-2-trial"
THIRD = OLD / "numerics-3"
NEW = OLD / f"numerics-{NUMERICS}"
UNARMED = {(folder, "grace-anytime") for folder in (OLD, SECOND, THIRD)}
"""Markets of old files in which an epoch begins with a name without an arm."""
TRIALS = {(folder, name) for folder in (TRIAL, THIRD) for name in ("trial", "trial-anytime")}
MOVED = {*UNARMED, *TRIALS}
"""Markets of old files in which the numerics of today decide otherwise."""
FOLDERS = (OLD, SECOND, TRIAL, THIRD, NEW)
CASES = [
    (folder, name) for folder in FOLDERS for name in MARKETS if (folder / f"{name}.ndjson").exists()
]
BOTH = pytest.mark.parametrize(
    ("folder", "market"), CASES, ids=[f"{folder.name}-{market}" for folder, market in CASES]
)


def unpacked(folder: Path, tmp_path: Path) -> Path:
    """A version's SQLite file, to be written to."""
    path = tmp_path / "live.db"
    path.write_bytes(gzip.decompress((folder / "store.sqlite.gz").read_bytes()))
    return path


def config_of(folder: Path, market: str) -> dict[str, Any]:
    """What the version wrote into the store of a market's configuration."""
    config = {k: v for k, v in MARKETS[market].to_dict().items() if k != "unanswered"}
    if folder == OLD:
        del config["numerics"]
    elif folder != NEW:
        config["numerics"] = 3 if folder == THIRD else 2
    return config


def check_outlook(store: Store, folder: Path, market: str) -> None:
    """A market knows what the old version knew, and decides what it decided next."""
    expected = json.loads((folder / "expected.json").read_text("utf-8"))[market]
    principal = Principal(store=store, market=market, clock=Clock(expected.pop("now")))
    found = json.loads(json.dumps(outlook(principal)))
    assert found.keys() == expected.keys()
    if store.generations(market) is not None:  # the journal in a market of today, with ids of today
        for decisions in (found["next"], expected["next"]):
            decisions[:] = [decision[1:] for decision in decisions]
    moved = {"next", "after"} if (folder, market) in MOVED else set()
    if folder == TRIAL or (folder, market) in MOVED:  # other sums and units are kept today
        moved.add("digest")
    for name in expected.keys() - moved:
        assert _of_then(found[name], expected[name]) == expected[name], name


def _of_then(found: Any, expected: Any) -> Any:
    """What was found, without fields that the old version did not have yet."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return {name: _of_then(found[name], expected[name]) for name in expected if name in found}
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        return [_of_then(one, other) for one, other in zip(found, expected, strict=True)]
    return found


@BOTH
def test_a_store_is_opened_from_its_snapshot(folder: Path, market: str, tmp_path: Path) -> None:
    path = unpacked(folder, tmp_path)
    with open_store(f"sqlite:{path}") as store:
        saved = store.snapshot(market)
        assert saved is not None
        with sqlite3.connect(path) as raw:  # so that nothing but the snapshot can tell of them
            raw.execute("DELETE FROM events WHERE market = ? AND number <= ?", (market, saved[0]))
        assert Principal(store=store, market=market).saved == saved[0]
        check_outlook(store, folder, market)


@BOTH
def test_a_store_is_replayed_from_its_journal(folder: Path, market: str, tmp_path: Path) -> None:
    path = unpacked(folder, tmp_path)
    with sqlite3.connect(path) as raw:
        raw.execute("DELETE FROM snapshots")
    with open_store(f"sqlite:{path}") as store:
        store.check()
        check_outlook(store, folder, market)


@BOTH
def test_a_store_compacted_under_the_first_format_is_opened(
    folder: Path, market: str, tmp_path: Path
) -> None:
    """Format 1 had no count of banked plays: they were those before the present epoch."""
    path = unpacked(folder, tmp_path)
    with open_store(f"sqlite:{path}") as store:
        number, data, _ = store.snapshot(market) or (0, b"", "")
        with np.load(io.BytesIO(data)) as archive:
            arrays = {name: archive[name] for name in archive.files}
        words = json.loads(arrays["words"].tobytes()) | {"format": 1}
        arrays["words"] = np.frombuffer(json.dumps(words).encode(), np.uint8)
        assert arrays["counters"][5] in (0, arrays["epoch"]["before"][0])
        arrays["counters"] = arrays["counters"][:5]
        file = io.BytesIO()
        np.savez(file, **arrays)
        store.save_snapshot(market, number, file.getvalue())
        store.compact(market, number)
        assert store.compacted(market) == number
        check_store(store)
        check_outlook(store, folder, market)


def exported(folder: Path, market: str) -> list[dict[str, Any]]:
    lines = (folder / f"{market}.ndjson").read_text("utf-8").splitlines()
    events: list[dict[str, Any]] = [json.loads(line) for line in lines]
    assert [event.pop("number") for event in events] == list(range(1, len(events) + 1))
    return events


@BOTH
def test_an_exported_journal_is_replayed(folder: Path, market: str) -> None:
    with open_store("memory:") as store:
        store.create_market(market, config_of(folder, market))
        store.append(market, 1, exported(folder, market))
        check_outlook(store, folder, market)


def test_decisions_under_the_numerics_of_today_are_made_again_and_compared() -> None:
    with open_store("memory:") as store:
        store.create_market("m", config_of(NEW, "grace-anytime"))
        store.append("m", 1, exported(OLD, "grace-anytime"))
        with pytest.raises(Diverged, match="decisions from round 1 on are not those"):
            Principal(store=store, market="m")


@pytest.mark.parametrize(("folder", "market"), sorted(MOVED))
def test_an_old_market_goes_on_and_is_opened_again(
    folder: Path, market: str, tmp_path: Path
) -> None:
    """First by the old snapshot and what was decided since, then by one of today."""
    with open_store(f"sqlite:{unpacked(folder, tmp_path)}") as store:
        first = Principal(store=store, market=market)
        asked = first.ask(100)
        first.tell_many([(one.id, k % 3 / 2) for k, one in enumerate(asked)])
        assert first.config.numerics == config_of(folder, market).get("numerics", 1)
        again = Principal(store=store, market=market)
        assert again.digest() == first.digest()
        again.snapshot()
        again.ask(50)
        assert Principal(store=store, market=market).digest() == again.digest()


@pytest.mark.parametrize("arm", [999, -1, "zero", True, None])
def test_a_journal_that_decides_for_an_unknown_arm_is_refused(arm: Any) -> None:
    events = exported(OLD, "h-ucb")
    next(event for event in events if event["kind"] == "asked")["arms"][0] = arm
    with open_store("memory:") as store:
        store.create_market("m", config_of(OLD, "h-ucb"))
        store.append("m", 1, events)
        with pytest.raises(Diverged, match="in round 1 for an arm that is not registered"):
            Principal(store=store, market="m")


def follow_damaged(policy: str, damaged: dict[str, list[int]]) -> None:
    """Open a journal of former numerics in which the decisions of some keys are others."""
    with open_store("memory:") as store:
        market = Principal(store=store, market="m", config=MarketConfig(policy))
        market.register_arms([("ann", "a"), ("ann", "b"), ("bob", "c"), ("eve", "d"), ("eve", "e")])
        market.ask(2, key="all")
        market.retire_arm("ann", "a")
        market.suspend_agent("bob")
        market.suspend_arm("eve", "e")
        market.ask(2, key="some")
        market.resume_agent("bob")
        market.ask(2, key="among agents", eligible=["ann", "bob"])
        market.ask(2, key="among arms", eligible={"ann": ["b"], "eve": ["d"]})
        market.ask(2, key="slate", slate=True)
        events = [event for _, event in store.events("m")]
        config = {**market.config.to_dict()}
    for event in events:
        if event["kind"] == "asked" and event["key"] in damaged:
            event["arms"] = damaged[event["key"]]
    del config["numerics"]
    with open_store("memory:") as store:
        store.create_market("m", config)
        store.append("m", 1, events)
        assert Principal(store=store, market="m")._state.round == 10


@pytest.mark.parametrize("policy", ["h-ucb", "ucb1", "prh-ucb", "grace-anytime"])
def test_decisions_that_could_have_been_made_are_followed(policy: str) -> None:
    follow_damaged(policy, {})
    others = {"all": [0, 4], "some": [3, 1], "among agents": [2, 2], "among arms": [3, 3]}
    follow_damaged(policy, others | {"slate": [3, 1]})


@pytest.mark.parametrize("policy", ["h-ucb", "ucb1"])
@pytest.mark.parametrize(
    ("key", "arms", "what"),
    [
        ("some", [1, 0], "in round 4 for an arm that is not registered"),  # a was retired
        ("some", [2, 1], "in round 3 for an arm that is not registered"),  # bob was suspended
        ("some", [4, 3], "in round 3 for an arm that is not registered"),  # e was suspended
        ("among agents", [1, 3], "in round 6 for an arm that is not registered, or not eligible"),
        ("among arms", [2, 1], "in round 7 for an arm that is not registered, or not eligible"),
        ("slate", [3, 3], "in round 10 for an arm twice in a slate"),
    ],
)
def test_decisions_that_cannot_have_been_made_are_refused(
    policy: str, key: str, arms: list[int], what: str
) -> None:
    with pytest.raises(Diverged, match=f"{what}.*: it is damaged"):
        follow_damaged(policy, {key: arms})


def test_a_market_of_later_numerics_is_refused() -> None:
    with pytest.raises(ValueError, match=r"numerics = 99 is not a version that this one knows"):
        MarketConfig.from_dict({"numerics": 99})


def test_a_new_market_says_its_numerics() -> None:
    with open_store("memory:") as store:
        Principal(store=store, config=MarketConfig.from_dict({"policy": "h-ucb"}))
        assert store.markets()["default"]["numerics"] == NUMERICS


@pytest.mark.parametrize("market", MARKETS)
def test_the_same_requests_store_the_same(tmp_path: Path, market: str) -> None:
    """Byte by byte: the journal in the store, the journal that is exported, and the snapshot."""
    old, new = unpacked(NEW, tmp_path), tmp_path / "new.db"
    with open_store(f"sqlite:{new}") as store:
        store.create_market(market, config_of(NEW, market))  # new ones estimate unanswered plays
        Session(store, market).play()
        assert lines_of(store, market) == (NEW / f"{market}.ndjson").read_bytes()
    journals, snapshots = [], []
    for path in (old, new):
        with sqlite3.connect(path) as raw:
            of = "WHERE market = ? ORDER BY number"
            journals.append(raw.execute(f"SELECT body FROM events {of}", (market,)).fetchall())
            snapshots.append(
                raw.execute(f"SELECT number, data FROM snapshots {of}", (market,)).fetchall()
            )
    assert journals[0] == journals[1]
    [(number, data)], [(again, written)] = snapshots
    assert number == again
    # The archive's own headers are numpy's business.
    with np.load(io.BytesIO(data)) as one, np.load(io.BytesIO(written)) as other:
        assert one.files == other.files
        for name in one.files:
            assert one[name].dtype == other[name].dtype, name
            assert one[name].tobytes() == other[name].tobytes(), name
