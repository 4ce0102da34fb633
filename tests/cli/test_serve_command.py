"""``copyproof serve`` and ``copyproof keys``: two commands to the first decision."""

import json
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from copyproof.cli import main
from copyproof.cli.serve import _signing_key
from copyproof.cli.settings import Settings, flag, shown, table, variable
from copyproof.live.stores import open_store
from tests.patience import PATIENCE
from tests.service.serving import Caller, environment, free_port


def _lines(process: subprocess.Popen[str], count: int) -> list[str]:
    assert process.stdout is not None
    return [process.stdout.readline() for _ in range(count)]


Example = tuple[subprocess.Popen[str], int, Path]


@pytest.fixture
def example(tmp_path: Path) -> Iterator[Example]:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "copyproof", "serve", "--example", "--port", str(port)],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    yield process, port, tmp_path
    process.kill()
    process.communicate()


def test_the_example_prints_a_line_that_works(example: Example) -> None:
    process, port, folder = example
    lines = _lines(process, 6)
    assert lines[0].startswith("serving sqlite:copyproof-example.db on http://127.0.0.1:")
    curl = lines[3].strip()
    found = re.fullmatch(r"curl -X POST (\S+) -H '(\S+): (Bearer \S+)'", curl)
    assert found is not None, curl
    request = urllib.request.Request(
        found.group(1), method="POST", headers={found.group(2): found.group(3)}
    )
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        [decision] = json.load(answer)["decisions"]
    assert decision["agent"] in ("ann", "bob", "eve")
    assert (folder / "copyproof-example.db").exists()
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE) == 0
    assert process.stderr is not None
    assert process.stderr.read().endswith("stopped\n")
    refused = Caller(f"http://127.0.0.1:{port}")
    with pytest.raises(OSError, match="refused"):
        refused("GET", "/healthz")


def test_heads_that_are_not_signed_are_said_to_be_so(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "copyproof",
        "serve",
        "--store",
        "memory:",
        "--port",
        "0",
        "--example",
    ]
    with_key = ["--signing-key", str(tmp_path / "key.pem")]
    for more, said in (([], True), (with_key, False), (["--json"], True)):
        with subprocess.Popen(
            [*command, *more],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
        ) as process:
            assert process.stdout is not None
            first = process.stdout.readline()
            if more == ["--json"]:  # what is not JSON is in the log
                assert json.loads(first)["key"].startswith("cp_")
            else:
                assert first.startswith("serving memory: on http://127.0.0.1:")
                assert process.stdout.readline().startswith("key: cp_")
            process.send_signal(signal.SIGTERM)
            rest = process.stderr if more == ["--json"] else process.stdout
            assert rest is not None
            assert ("heads of journals are not signed" in rest.read()) is said


def test_a_new_signing_key_of_an_old_store_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with open_store(f"sqlite:{tmp_path / 'live.db'}") as store:
        first = _signing_key(None, store)
        assert not caplog.records
        store.create_market("m", {})
        assert _signing_key(None, store) is not None
        assert not caplog.records
        (tmp_path / "live.db.signing.pem").unlink()
        second = _signing_key(None, store)
    assert first is not None
    assert second is not None
    assert first.public != second.public
    [said] = caplog.messages
    assert "live.db.signing.pem" in said


def test_keys_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def keys(*arguments: str) -> str:
        store = f"sqlite:{tmp_path / 'live.db'}"
        monkeypatch.setattr(sys, "argv", ["copyproof", "keys", *arguments, "--store", store])
        assert main() == 0
        printed = capsys.readouterr()
        assert printed.err == ""
        return printed.out

    with open_store(f"sqlite:{tmp_path / 'live.db'}") as store:
        store.create_market("m", {})
    made = json.loads(keys("add", "operator", "--json"))
    assert made["key"].startswith(f"cp_{made['id']}_")
    assert keys("add", "agent", "--market", "m", "--agent", "ann", "--note", "hers")[:3] == "cp_"
    listed = json.loads(keys("list", "--json"))["keys"]
    assert [key["role"] for key in listed] == ["operator", "agent"]
    assert "hash" not in str(listed)
    turned = json.loads(keys("rotate", made["id"], "--json"))
    assert turned["key"] != made["key"]
    assert keys("revoke", made["id"]) == f"{made['id']} is revoked\n"
    table = keys("list").splitlines()
    assert [line.split()[4] for line in table[1:]] == ["revoked", "valid"]
    assert keys("delete", made["id"]) == f"{made['id']} is deleted\n"
    assert len(keys("list").splitlines()) == 2
    limited = json.loads(keys("add", "auditor", "--rate", "2.5", "--burst", "7", "--json"))
    assert (limited["rate"], limited["burst"]) == (2.5, 7)
    keys("add", "auditor", "--expires", "90d")
    heading, *rows = keys("list").splitlines()
    assert heading.split()[4:] == ["state", "expires", "note"]
    assert [row.split()[5][:2] for row in rows] == ["-", "-", "20"]
    for overlap in ("1s", "1.5h", "0", "90"):
        assert keys("rotate", limited["id"], "--overlap", overlap)[:3] == "cp_"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["keys", "list"], "live.db: cannot be opened: it is not there"),
        (["keys", "add", "king"], "role = 'king' is not one of"),
        (["keys", "add", "application"], "markets is empty"),
        (
            ["keys", "add", "application", "--market", "none"],
            "markets[0] = 'none' is not a market of this store",
        ),
        (["keys", "add", "operator", "--rate", "0"], "--rate 0.0 is not a number from 0.001"),
        (["keys", "delete", "nothing"], "ID = 'nothing' is not that of a key"),
        (["keys", "revoke", "nothing"], "ID = 'nothing' is not that of a key"),
        (["keys", "rotate", "nothing"], "ID = 'nothing' is not that of a valid key"),
        (["keys", "rotate", "x", "--overlap", "2d"], "--overlap = '2d' is not seconds, or a dur"),
        (["keys", "rotate", "x", "--overlap", "nan"], "--overlap = 'nan' is not seconds"),
        (["keys", "rotate", "x", "--overlap", "soon"], "--overlap = 'soon' is not a duration"),
        (["serve", "--port", "70000"], "--port 70000 is not a whole number from 0 to 65535"),
        (["serve", "--port", "x"], "--port x is not a whole number"),
        (["serve", "--lease", "0.1"], "--lease 0.1 is not a number of seconds"),
        (["serve", "--rate", "0"], "--rate 0 is not a number from 0.001"),
        (["serve", "--host", "999.0.0.1"], "cannot be bound"),
        (["serve", "--backups", "no/such"], "--backups = no/such is not a folder"),
        (["serve", "--store", "sqlite:no/such/folder/x.db"], "--store cannot be opened"),
        (["serve", "--store", "memory:"], "--store = memory: can have no key"),
        (["serve", "--store", "mysql://x"], "is not memory:, sqlite:PATH or postgresql://"),
    ],
)
def test_bad_arguments(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    said: str,
) -> None:
    if "--store" not in arguments:
        store = f"sqlite:{tmp_path / 'live.db'}"
        if arguments != ["keys", "list"]:
            open_store(store).close()
        arguments = [*arguments, "--store", store]
    monkeypatch.setattr(sys, "argv", ["copyproof", *arguments])
    assert main() == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    [line] = printed.err.splitlines()
    assert line.startswith("error: ")
    assert said in line


def test_every_setting_is_a_flag_whose_help_names_its_variable_and_default(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["copyproof", "serve", "--help"])
    assert main() == 0
    said = " ".join(capsys.readouterr().out.split())
    for name, row in table().items():
        default = shown(name, getattr(Settings(), name)).strip('"')
        assert f"{flag(name)} " in said
        assert f"{row.about} [{variable(name)}; default: {default}]" in said


def test_settings_are_shown_with_their_places_and_without_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "live.toml"
    file.write_text('# ours\nrate = 50\nburst = 60\nstore = "postgresql://me:hush@db/live"\n')
    monkeypatch.setenv("COPYPROOF_SETTINGS", str(file))
    monkeypatch.setenv("COPYPROOF_BURST", "70")
    monkeypatch.setattr(
        sys, "argv", ["copyproof", "serve", "--show-settings", "--port", "9", "--json"]
    )
    assert main() == 0
    printed = capsys.readouterr().out
    assert "hush" not in printed
    rows = {row.pop("name"): row for row in json.loads(printed)["settings"]}
    assert list(rows) == list(table())
    assert rows["port"] == {"value": "9", "from": "--port"}
    assert rows["burst"] == {"value": "70", "from": "COPYPROOF_BURST"}
    assert rows["rate"] == {"value": "50", "from": f"{file}:2"}
    assert rows["store"] == {"value": '"postgresql://...@db/live"', "from": f"{file}:4"}
    assert rows["lease"] == {"value": "5", "from": "default"}


def test_a_store_that_cannot_be_opened_is_blamed_on_its_place(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COPYPROOF_STORE", "sqlite:no/such/folder/x.db")
    monkeypatch.setattr(sys, "argv", ["copyproof", "serve"])
    assert main() == 2
    assert capsys.readouterr().err.startswith("error: COPYPROOF_STORE cannot be opened")


def test_traces_need_their_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk", None)
    store = f"sqlite:{tmp_path / 'live.db'}"
    arguments = ["copyproof", "serve", "--create", "--traces", "--store", store, "--port", "0"]
    monkeypatch.setattr(sys, "argv", arguments)
    assert main() == 2
    said = capsys.readouterr().err
    assert said.endswith("opentelemetry.sdk is not installed: pip install 'copyproof[otel]'\n")
