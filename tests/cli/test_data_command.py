"""``copyproof data``: what there is, and refusals."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.real_data.sets import real


def test_the_list_tells_size_and_licence(run: Run) -> None:
    done = run("data", "list", "--json")
    sets = {one["name"]: one for one in json.loads(done.stdout)["sets"]}
    assert sorted(sets) == ["alpaca-eval", "febrl", "movielens-100k", "open-bandit", "restaurants"]
    assert all(one["licence"] and one["citation"] and one["files"] for one in sets.values())
    assert sum(one["download_bytes"] for one in sets.values()) < 8_000_000


def test_what_is_there_is_checked_and_its_licence_shown(run: Run) -> None:
    folder = real("alpaca-eval")
    done = run("data", "get", "alpaca-eval", "--out", folder)
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert "was there, unchanged" in said
    assert "CC BY-NC 4.0" in said
    answer = json.loads(run("data", "get", "alpaca-eval", "--out", folder, "--json").stdout)
    assert answer["fetched"] is False
    assert answer["files"][0]["bytes"] == 28_339


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("get", "movielens"), "error: NAME = 'movielens' is not one of movielens-100k,"),
        (("study", "film", "--out", "x"), "NAME = 'film' is not one of leaderboard, films"),
        (("study", "films"), "Missing option"),
    ],
)
def test_bad_input_is_one_line(run: Run, arguments: tuple[str, ...], said: str) -> None:
    done = run("data", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_folder_that_holds_something_else_is_left_alone(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    done = run("data", "get", "febrl", "--out", tmp_path)
    assert done.returncode == 2
    assert "holds something else" in done.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]
