"""``copyproof market``: the clock of a market that is not being served, and its end."""

import contextlib
import json
import sqlite3
import sys
from pathlib import Path

import pytest

from copyproof.cli import main
from copyproof.live import Principal
from copyproof.live.stores import Damaged, open_store
from tests.service.conftest import filled
from tests.service.serving import serving


def _run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str
) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["copyproof", "market", *arguments])
    status = main()
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"sqlite:{tmp_path / 'live.db'}"
    with open_store(url) as store:
        filled(store)
        frozen = Principal(store=store, market="site", clock=lambda: 2e9)
        frozen.ask()
        of_site = ("clock", "site", "--store", url)
        status, out, err = _run(monkeypatch, capsys, *of_site, "--at", "1.8e9", "--json")
        assert (status, err) == (0, "")
        assert json.loads(out) == {"market": "site", "before": 2e9, "now": 1.8e9}
        assert Principal(store=store, market="site").now == 1.8e9
        assert _run(monkeypatch, capsys, *of_site)[0] == 0
        action, _ = store.actions()
        assert (action["what"], action["market"]) == ("market clock", "site")
        assert action["said"] == {"before": 2e9, "now": 1.8e9}
        status, _, err = _run(monkeypatch, capsys, "clock", "none", "--store", url)
        assert (status, err) == (2, "error: MARKET = 'none' is not in the store\n")
        with serving(store):
            status, _, err = _run(monkeypatch, capsys, *of_site)
        said = "market 'site' is being served: use PUT /v1/markets/site/clock, or stop the service"
        assert (status, err) == (1, f"error: {said}\n")


def test_delete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"sqlite:{tmp_path / 'live.db'}"
    with open_store(url) as store:
        keys = filled(store)
        events = store.last("site")
        status, _, err = _run(monkeypatch, capsys, "delete", "site", "--store", url)
        said = f"error: site and its {events} events would be gone for good: say --yes\n"
        assert (status, err) == (2, said)
        with serving(store):
            status, _, err = _run(monkeypatch, capsys, "delete", "site", "--yes", "--store", url)
            said = "market 'site' is being served: use DELETE /v1/markets/site, or stop the service"
            assert (status, err) == (1, f"error: {said}\n")
        done = _run(monkeypatch, capsys, "delete", "site", "--yes", "--store", url, "--json")
        assert (done[0], json.loads(done[1])["deleted"]) == (0, True)
        assert set(store.markets()) == {"shop"}
        revoked = {key["id"] for key in list(store.keys()) if key["revoked"] is not None}
        mine = {keys[whose].split("_")[1] for whose in ("application", "agent", "bob")}
        assert revoked == mine
        status, _, err = _run(monkeypatch, capsys, "delete", "site", "--yes", "--store", url)
        assert (status, err) == (2, "error: MARKET = 'site' is not in the store\n")


def test_a_deletion_that_was_broken_off_is_completed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "live.db"
    url = f"sqlite:{path}"
    with open_store(url) as store:
        filled(store)
    with contextlib.closing(sqlite3.connect(path)) as raw:
        raw.execute("DELETE FROM markets WHERE name = 'site'")
        raw.commit()
    with open_store(url) as store:
        with pytest.raises(Damaged, match="market 'site' is not there, but events of it"):
            store.check()
        for arguments in (["delete", "site"], ["delete", "none", "--yes"], ["delete", "", "--yes"]):
            status, _, err = _run(monkeypatch, capsys, *arguments, "--store", url)
            assert (status, err) == (2, f"error: MARKET = {arguments[1]!r} is not in the store\n")
        assert _run(monkeypatch, capsys, "delete", "site", "--yes", "--store", url)[0] == 0
        store.check()
        assert {table for table, row in store.dump() if "site" in row} == set()
