"""The far end of the line: one answer for each request, whatever happens."""

import io
import json
from importlib.metadata import version
from pathlib import Path

import pytest

from copyproof.external.worker import load, serve, source

FILE = str(Path(__file__).with_name("learners.py"))
OWNERS = {"a/1": "a", "b/1": "b"}


def answers(*requests: object) -> list[dict[str, object]]:
    out = io.StringIO()
    serve(io.StringIO("".join(json.dumps(request) + "\n" for request in requests)), out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_a_game() -> None:
    got = answers(
        {"load": [FILE, "Scripted", {"step": 3}]},
        {"make": [["a/1", "b/1"], OWNERS, 5, 1]},
        {"choose": []},
        {"learn": ["b/1", 0.1]},
        {"choose": []},
    )
    assert [answer["ok"] for answer in got] == [None, None, "b/1", None, "a/1"]


def test_a_ready_policy_will_do() -> None:
    got = answers({"load": [FILE, "made", {}]}, {"make": [["a/1"], OWNERS, 5, 1]}, {"choose": []})
    assert got[-1] == {"ok": "a/1"}


def test_errors_are_answers() -> None:
    got = answers(
        {"load": ["no.such.module", "x", {}]},
        {"load": ["no such file.py", "x", {}]},
        {"choose": []},
        {"load": [FILE, "Scripted", {}]},
        {"make": [[], OWNERS, 5, 1]},
        {"choose": []},
    )
    assert str(got[0]["error"]).startswith("ModuleNotFoundError: ")
    assert str(got[1]["error"]) == "FileNotFoundError: there is no file no such file.py"
    assert str(got[2]["error"]).startswith("AttributeError: ")
    assert [list(answer) for answer in got[3:]] == [["ok"], ["ok"], ["error"]]
    assert str(got[5]["error"]).startswith("ZeroDivisionError: ")


def test_it_loads_modules_and_files() -> None:
    assert load("math", "pi") > 3
    assert load(FILE, "number") == 5
    with pytest.raises(AttributeError):
        load(FILE, "nothing")


def test_source_says_which_code_it_is(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("x = 1")
    first = source(str(file))
    file.write_text("x = 2")
    assert first.startswith("sha256:")
    assert source(str(file)) != first
    assert source("river.bandit").split()[0] == version("river")
    assert source("river.bandit") != source("river")
    assert source("json.decoder").startswith("sha256:")
    for missing in (str(tmp_path / "no.py"), "no_such_module"):
        with pytest.raises(FileNotFoundError, match="cannot be found"):
            source(missing)
