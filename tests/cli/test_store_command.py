"""``copyproof store``: backup, restore, compact and check, also while a store is served."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from copyproof.cli import main
from copyproof.live import Principal
from copyproof.live.stores import Damaged, StoreError, open_store, restore
from copyproof.live.stores.sqlite import SqliteStore
from copyproof.live.stores.texts import fingerprint
from copyproof.service.actions import new_action
from tests.patience import PATIENCE
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
    assert err == "error: market 'site': event 2 is missing\n"


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
        ("DELETE FROM markets WHERE name = 'site'", "market 'site' is not there, but events of it"),
        (
            "INSERT INTO settled_events SELECT market, last + 1, body, mark FROM settled_events"
            " JOIN markets ON name = market AND number = last",
            "lies behind the journal's end",
        ),
        ("UPDATE markets SET generations = 'x'", "what is stored of it cannot be read"),
        ("UPDATE markets SET secret = 'zz'", "what is stored of it cannot be read"),
        ("UPDATE snapshots SET data = ''", "what is stored of it cannot be read"),
        ("INSERT INTO actions VALUES ('1', '[')", "stored text is not JSON"),
        (
            f"UPDATE settled_events SET body = '{'[' * 100_000}' WHERE number = 2",
            "event 2 cannot be read",
        ),
    ],
)
def test_what_was_changed_is_said_and_not_backed_up(
    tmp_path: Path, program: Any, change: str, said: str
) -> None:
    path = tmp_path / "live.db"
    with open_store(f"sqlite:{path}") as store:
        filled(store)
        Principal(store=store, market="site").snapshot()
    _done(program, "check", "--replay", "--store", f"sqlite:{path}")
    with sqlite3.connect(path) as raw:
        raw.execute(change)
        assert raw.total_changes > 0  # which counts what triggers change, too
    raw.close()
    status, out, err = program("check", "--store", f"sqlite:{path}")
    assert (status, out, len(err.splitlines())) == (1, "", 1)
    assert said in err
    status, out, err = program("backup", tmp_path / "backup.db", "--store", f"sqlite:{path}")
    assert (status, out, len(err.splitlines())) == (1, "", 1)
    assert said in err
    assert [one.name for one in tmp_path.iterdir()] == ["live.db"]


def test_bad_arguments(tmp_path: Path, program: Any) -> None:
    url, other = f"sqlite:{tmp_path / 'live.db'}", f"sqlite:{tmp_path / 'other.db'}"
    there, empty = tmp_path / "backup.db", f"sqlite:{tmp_path / 'empty.db'}"
    open_store(empty).close()
    with open_store(url) as store:
        filled(store)
        store.backup(there)
    (tmp_path / "text.db").write_text("no database " * 100)
    nowhere = tmp_path / "none"
    for arguments, said in (
        (["backup", there, "--store", url], f"FILE = {there} exists already"),
        (["backup", nowhere / "x.db", "--store", url], "x.db: its folder is not there"),
        (["export", "site", nowhere / "x.jsonl", "--store", url], "its folder is not there"),
        (["export", "site", nowhere / "x.parquet", "--store", url], "its folder is not there"),
        (["backup", tmp_path / "new.db", "--store", other], "it is not there"),
        (["check", "--store", other], "it is not there"),
        (["check", "--store", empty], "--store is empty"),
        (["compact", "nothing", "--store", url], "MARKET = 'nothing' is not in the store"),
        (["restore", tmp_path / "no.db", "--store", other], "is not a file"),
        (["restore", tmp_path / "text.db", "--store", other], "FILE cannot be opened"),
        (["restore", there, "--store", url], "is not empty"),
    ):
        status, out, err = program(*arguments)
        assert (status, out) == (2, ""), arguments
        assert said in err
        assert len(err.splitlines()) == 1
        assert not (tmp_path / "other.db").exists()


def test_a_damaged_backup_is_restored_nowhere(tmp_path: Path, program: Any) -> None:
    path, new = tmp_path / "backup.db", tmp_path / "new.db"
    with open_store(f"sqlite:{path}") as store:
        filled(store)
    with sqlite3.connect(path) as raw:
        raw.execute("DELETE FROM events WHERE market = 'site' AND number = 2")
    raw.close()
    status, out, err = program("restore", path, "--store", f"sqlite:{new}")
    assert (status, out, err) == (1, "", "error: market 'site': event 2 is missing\n")
    with pytest.raises(Damaged):
        restore(path, f"sqlite:{new}")
    assert not new.exists()


def _served(tmp_path: Path) -> str:
    url = f"sqlite:{tmp_path / 'live.db'}"
    with open_store(url) as store:
        filled(store)
        principal = Principal(store=store, market="site")
        principal.tell_many([(each.id, 0.5) for each in principal.ask(5)])
    return url


def test_backups_come_again_and_again_and_the_newest_stay(tmp_path: Path) -> None:
    url, folder = _served(tmp_path), tmp_path / "backups"
    folder.mkdir()
    others = [folder / f"copyproof-{name}.db" for name in ("before-the-move", "20200101", "zz")]
    others.append(folder / "copyproof-20200101T000000.000000Z.db.db")
    for other in others:
        other.write_text("of somebody")
    future = folder / "copyproof-29990101T000000.000000Z.db"  # a clock that was wrong
    future.write_text("of a time to come")
    command = [sys.executable, "-m", "copyproof", "store", "backup", str(folder), "--store", url]
    command += ["--every", "0.5s", "--keep", "2", "--replay", "--json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        said = [json.loads(process.stdout.readline()) for _ in range(6)]
        process.terminate()
        process.communicate(timeout=PATIENCE)
    made = [Path(one["backup"]) for one in said if "backup" in one]
    deleted = [Path(one["deleted"]) for one in said if "deleted" in one]
    assert made == sorted(set(made))
    assert deleted == made[: len(deleted)]
    assert len(deleted) >= 2
    assert not any(one.exists() for one in deleted)
    assert made[-1].exists()
    assert all(one.exists() for one in (*others, future))
    with open_store(f"sqlite:{made[-1]}") as copy, open_store(url) as store:
        assert copy.head("site") == store.head("site")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("backup", "x.db", "--keep", "2"), "--keep 2 goes with --every only"),
        (("backup", "{}", "--every", "2h", "--keep", "0"), "--keep 0 is not a whole number of at"),
        (("backup", "{}", "--every", "2", "--keep", "1"), "--every = '2' is not a duration"),
        (("backup", "{}/none", "--every", "2h"), "is not a folder"),
        (("compact",), "MARKET is missing: name a market, or say --all, or --older-than"),
        (("compact", "site", "--all"), "MARKET = 'site' is one market"),
        (("compact", "--older-than", "soon"), "--older-than = 'soon' is not a duration"),
        (("forget", "site", "ann", "--backups", "{}/none"), "is not a folder"),
        (("export", "site", "{}/x.parquet", "--agent", "ann"), "--agent"),
        (("export", "none", "{}/x.parquet"), "MARKET"),
    ],
)
def test_bad_arguments_of_what_goes_on(
    tmp_path: Path, program: Any, arguments: tuple[str, ...], said: str
) -> None:
    url = _served(tmp_path)
    given = [each.format(tmp_path) for each in arguments]
    status, out, err = program(*given, "--store", url)
    assert status != 0
    assert out == ""
    assert len(err.splitlines()) == 1
    assert said in err
    assert not (tmp_path / "x.parquet").exists()


def test_retention_of_all_markets(tmp_path: Path, program: Any) -> None:
    url = _served(tmp_path)
    status, out, _ = program("compact", "--older-than", "1w", "--store", url)
    assert status == 0
    assert [line.split(",")[1] for line in out.splitlines()] == [" dropped: 0"] * len(
        out.splitlines()
    )
    with open_store(url) as store:
        assert len(out.splitlines()) == len(store.markets())
        assert store.actions() == []
    status, out, _ = program("compact", "--all", "--store", url)
    assert (status, len(out.splitlines())) == (0, 2)


def test_a_table_of_plays(tmp_path: Path, program: Any) -> None:
    url = _served(tmp_path)
    done = _done(program, "export", "site", tmp_path / "plays.parquet", "--store", url)
    assert done["rows"] == 5
    assert (tmp_path / "plays.parquet").stat().st_mode & 0o777 == 0o600
    again, _, err = program("export", "site", tmp_path / "plays.parquet", "--store", url)
    assert again == 2
    assert "exists already" in err
    assert sorted(each.name for each in tmp_path.glob(".*")) == []


def test_a_name_is_forgotten_in_backups_too(tmp_path: Path, program: Any) -> None:
    url, folder = _served(tmp_path), tmp_path / "backups"
    folder.mkdir()
    _done(program, "backup", folder / "one.db", "--store", url)
    done = _done(program, "forget", "site", "ann", "--backups", folder, "--store", url)
    assert done["backups"] == 1
    # The store itself is no backup of its own, wherever it lies.
    done = _done(program, "forget", "site", "ann", "--backups", tmp_path, "--store", url)
    assert done["backups"] == 0
    with open_store(f"sqlite:{folder / 'one.db'}") as copy, open_store(url) as store:
        assert copy.head("site") == store.head("site")
        copy.check()
        assert not [event for _, event in copy.events("site") if event.get("agent") == "ann"]


def test_one_bad_backup_keeps_all_as_it_is(tmp_path: Path, program: Any) -> None:
    url, folder = _served(tmp_path), tmp_path / "backups"
    folder.mkdir()
    _done(program, "backup", folder / "one.db", "--store", url)
    (folder / "zz.db").write_text("no database " * 100)
    status, out, err = program("forget", "site", "ann", "--backups", folder, "--store", url)
    assert (status, out) == (2, "")
    assert err.startswith(f"error: --backups: {folder / 'zz.db'}: damaged, or not a database")
    for each in (url, f"sqlite:{folder / 'one.db'}"):
        with open_store(each) as found:
            assert [event for _, event in found.events("site") if event.get("agent") == "ann"]


def test_a_table_of_actions_is_fit_to_be_seen(tmp_path: Path, program: Any) -> None:
    url, what = _served(tmp_path), "PUT /v1/\x1b[31m\u202e/" + "x" * 300
    with open_store(url) as store:
        store.put_action(new_action(1.0, what, said={"a": "\x7f" + "y" * 300}))
    _, out, _ = program("actions", "--store", url)
    assert out.replace("\n", "").isprintable()
    assert r"PUT /v1/\x1b[31m\u202e/xxx" in out
    assert max(map(len, out.splitlines())) < 250
    [action] = _done(program, "actions", "--store", url)["actions"]
    assert action["what"] == what


def test_what_was_done_on_the_command_line(tmp_path: Path, program: Any) -> None:
    url = _served(tmp_path)
    _done(program, "compact", "site", "--store", url)
    [action] = _done(program, "actions", "--store", url)["actions"]
    assert (action["what"], action["market"]) == ("store compact", "site")
    assert action["role"] == "command line"
    assert _done(program, "actions", "--market", "shop", "--store", url) == {"actions": []}
    _, out, _ = program("actions", "--store", url)
    assert out.splitlines()[1].split("  ")[1].strip() == "command line"


def test_whatever_takes_or_brings_data_is_on_record(tmp_path: Path, program: Any) -> None:
    url, copy = _served(tmp_path), f"sqlite:{tmp_path / 'copy.db'}"
    files = {name: tmp_path / name for name in ("b.db", "j.ndjson", "ann.ndjson", "p.parquet")}
    _done(program, "backup", files["b.db"], "--store", url)
    for name in ("j.ndjson", "p.parquet"):
        _done(program, "export", "site", files[name], "--store", url)
    _done(program, "export", "site", files["ann.ndjson"], "--agent", "ann", "--store", url)
    _done(program, "restore", files["b.db"], "--store", copy)
    found = [
        (one["what"], one["market"], one["agent"], one["said"]["file"])
        for one in _done(program, "actions", "--store", url)["actions"]
    ]
    assert found == [
        ("store backup", None, None, str(files["b.db"])),
        ("store export", "site", None, str(files["j.ndjson"])),
        ("store export", "site", None, str(files["p.parquet"])),
        ("store export", "site", "ann", str(files["ann.ndjson"])),
    ]
    [restored] = _done(program, "actions", "--store", copy)["actions"]
    assert (restored["what"], restored["said"]) == ("store restore", {"file": str(files["b.db"])})


def test_a_backup_has_its_name_when_it_was_replayed(
    tmp_path: Path, program: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, folder, seen = _served(tmp_path), tmp_path / "backups", list[list[Path]]()
    folder.mkdir()
    backup = ("backup", folder / "b.db", "--replay", "--store", url)

    def check(*_: object, replay: bool) -> None:
        seen.append(list(folder.glob("*.db")))
        if len(seen) == 1:
            raise Damaged("a decision is wrong")

    monkeypatch.setattr("copyproof.live.checks.check_states", check)
    assert program(*backup)[0] == 1
    assert list(folder.iterdir()) == []
    _done(program, *backup)
    assert seen == [[], []]
    assert [one.name for one in folder.iterdir()] == ["b.db"]


def test_a_backup_of_a_store_that_cannot_be_written_is_made_and_said(
    tmp_path: Path, program: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = _served(tmp_path)

    def full(*_: object) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(SqliteStore, "put_action", full)
    status, out, err = program("backup", tmp_path / "b.db", "--store", url, "--json")
    assert (status, json.loads(out)["backup"]) == (0, str(tmp_path / "b.db"))
    assert err == "warning: store backup is not on record: the disk is full\n"


def test_a_shadow_of_the_past(tmp_path: Path, program: Any) -> None:
    url = f"sqlite:{tmp_path / 'live.db'}"
    with open_store(url) as store:
        filled(store)
        principal = Principal(store=store, market="site")
        for one in principal.ask(50):
            principal.tell(one.id, 1.0)
    found = _done(program, "shadow", "site", "h-ucb", "--store", url)
    assert (found["decisions"], found["agreed"], found["value"]["mean"]) == (50, 50, 1.0)
    _, said, _ = program("shadow", "site", "fair", "--store", url)
    assert "policy: fair(ucb1), share: 0.0, since: 1, decisions: 50, drawn: 0" in said
    assert "difference: cannot be known, within [-" in said
    status, _, said = program("shadow", "site", "nobody", "--store", url)
    assert status != 0
    assert "nobody" in said
