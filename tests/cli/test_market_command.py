"""``copyproof market``: the clock of a market that is not being served."""

import json
import sys
from pathlib import Path

import pytest

from copyproof.cli import main
from copyproof.live import Principal
from copyproof.live.stores import open_store
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
        status, _, err = _run(monkeypatch, capsys, "clock", "none", "--store", url)
        assert (status, err) == (2, "error: MARKET = 'none' is not in the store\n")
        with serving(store):
            status, _, err = _run(monkeypatch, capsys, *of_site)
        assert (status, "is being written by" in err) == (1, True)
