"""``copyproof store``: backup, restore, compact and check, also while a store is served."""

import json
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from copyproof.cli import main
from copyproof.live import Principal
from copyproof.live.stores import open_store
from copyproof.live.stores.texts import fingerprint
from tests.service.conftest import filled
from tests.service.serving import Caller, serving

ASK = "/v1/markets/site/decisions"


Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["copyproof", "store", *map(str, arguments)])
        status = main()
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return call


def _done(program: Any, *arguments: object) -> dict[str, Any]:
    status, out, err = program(*arguments, "--json")
    assert (status, err) == (0, "")
    found: dict[str, Any] = json.loads(out)
    return found


def test_a_store_that_is_served_is_backed_up_compacted_and_restored(
    tmp_path: Path, program: Any
) -> None:
    url, copy = f"sqlite:{tmp_path / 'live.db'}", f"sqlite:{tmp_path / 'copy.db'}"
    with open_store(url) as store:
        call_key = filled(store)["operator"]
        with serving(store) as running:
            call = Caller(running.url, call_key)
            for _ in range(5):
                assert call("POST", ASK).status == 200
            made = _done(program, "backup", tmp_path / "backup.db", "--store", url)
            assert made["bytes"] == (tmp_path / "backup.db").stat().st_size
            assert call("POST", ASK).json["decisions"][0]["round"] == 6
            # Two ways back are kept, so the second time is the first that drops anything.
            last = store.last("site")
            first = _done(program, "compact", "site", "--store", url)
            assert first == {"market": "site", "dropped": 0, "kept": last}
            assert call("POST", ASK).status == 200
            second = _done(program, "compact", "site", "--store", url)
            assert second == {"market": "site", "dropped": last, "kept": 1}
            assert call("POST", ASK).json["decisions"][0]["round"] == 8
            answer = call("GET", "/v1/markets/site/journal")
            assert (answer.status, answer.field) == (422, "after")
            answer = call("GET", f"/v1/markets/site/journal?after={last}")
            assert len(answer.body.splitlines()) == 2
        assert Principal(store=store, market="site").round == 8
    checked = _done(program, "check", "--store", url)
    assert (checked["markets"], checked["keys"]) == (2, 7)

    assert _done(program, "restore", tmp_path / "backup.db", "--store", copy)["markets"] == 2
    with open_store(copy) as store:
        assert Principal(store=store, market="site").round == 5


def test_what_is_damaged_is_said(tmp_path: Path, program: Any) -> None:
    path = tmp_path / "live.db"
    with open_store(f"sqlite:{path}") as store:
        filled(store)
    with sqlite3.connect(path) as raw:
        raw.execute("DELETE FROM events WHERE market = 'site' AND number = 2")
    raw.close()
    status, out, err = program("check", "--store", f"sqlite:{path}")
    assert (status, out) == (1, "")
    assert err == "error: Damaged: market 'site': event 2 is missing\n"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            """UPDATE events SET body = replace(body, '"at":', '"at":1') WHERE number = 2""",
            "event 2 is not as it was written",
        ),
        (f"UPDATE snapshots SET data = x'00', sum = '{fingerprint(bytes(1))}'", "cannot be read"),
        ("UPDATE snapshots SET data = x'00'", "the snapshot after event "),
        ("UPDATE markets SET config = replace(config, 'seed', 'reed')", "the one it began with"),
    ],
)
def test_what_was_changed_is_said_and_not_backed_up(
    tmp_path: Path, program: Any, change: str, said: str
) -> None:
    path = tmp_path / "live.db"
    with open_store(f"sqlite:{path}") as store:
        filled(store)
        Principal(store=store, market="site").snapshot()
    assert _done(program, "check", "--replay", "--store", f"sqlite:{path}")["unchained"] == 0
    with sqlite3.connect(path) as raw:
        assert raw.execute(change).rowcount > 0
    raw.close()
    status, out, err = program("check", "--store", f"sqlite:{path}")
    assert (status, out, len(err.splitlines())) == (1, "", 1)
    assert said in err
    if said != "cannot be read":  # which only who knows states can see
        status, out, err = program("backup", tmp_path / "backup.db", "--store", f"sqlite:{path}")
        assert (status, out, len(err.splitlines())) == (1, "", 1)
        assert said in err
        assert not (tmp_path / "backup.db").exists()


def test_bad_arguments(tmp_path: Path, program: Any) -> None:
    url, other = f"sqlite:{tmp_path / 'live.db'}", f"sqlite:{tmp_path / 'other.db'}"
    there, empty = tmp_path / "backup.db", f"sqlite:{tmp_path / 'empty.db'}"
    open_store(empty).close()
    with open_store(url) as store:
        filled(store)
        store.backup(there)
    for arguments, said in (
        (["backup", there, "--store", url], "exists already"),
        (["backup", tmp_path / "new.db", "--store", other], "it is not there"),
        (["check", "--store", other], "it is not there"),
        (["check", "--store", empty], "--store is empty"),
        (["compact", "nothing", "--store", url], "MARKET = 'nothing' is not in the store"),
        (["restore", tmp_path / "no.db", "--store", other], "is not a file"),
        (["restore", there, "--store", url], "is not empty"),
    ):
        status, out, err = program(*arguments)
        assert (status, out) == (2, ""), arguments
        assert said in err
        assert len(err.splitlines()) == 1
