"""Duplicates: a threshold chosen on some data, measured on others."""

from pathlib import Path

import pytest

from copyproof.fingerprints import THRESHOLDS as USED
from copyproof.fingerprints import similarity
from copyproof.real_data.duplicates_study import (
    HASH,
    TEXT,
    VECTOR,
    Recipe,
    _estimated,
    elsewhere,
    people,
    places,
    run,
)
from tests.real_data.sets import real

RECIPES = pytest.mark.parametrize("recipe", [TEXT, HASH, VECTOR], ids=["text", "hash", "vector"])


def guides(folder: Path, fodors: list[str], zagats: list[str]) -> Path:
    """Two guides whose restaurants of one place are the same."""
    head = "id,name,addr,city,phone,type\n"
    for name, rows in (("fodors", fodors), ("zagats", zagats)):
        lines = [f"{k},{row},d\n" for k, row in enumerate(rows)]
        (folder / f"{name}.csv").write_text(head + "".join(lines), encoding="utf-8")
    true = [f"{k},{k}\n" for k in range(len(fodors))]
    (folder / "matches.csv").write_text("fodors_id,zagats_id\n" + "".join(true), encoding="utf-8")
    return folder


def test_pairs_of_people_by_the_number_of_their_record(tmp_path: Path) -> None:
    rows = [
        "rec_id, given_name, surname",
        "rec-1-org, henrietta, montgomery",
        "rec-1-dup-0, henriette, montgomery",
        "rec-2-org, bo, li",
    ]
    (tmp_path / "some.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    points = people(tmp_path / "some.csv", TEXT)
    at = next(point for point in points if point.threshold == 0.5)
    assert (at.found, at.true, at.recall) == (1, 1, 1.0)
    strict = points[-1]
    assert (strict.threshold, strict.found, strict.recall) == (0.9, 0, 0.0)


@RECIPES
def test_a_true_pair_that_is_not_alike_at_all_is_missed_and_not_forgotten(
    tmp_path: Path, recipe: Recipe
) -> None:
    folder = guides(tmp_path, ["abcdef,a,b,c"], ["uvwxyz,r,s,t"])
    assert {point.recall for point in places(folder, recipe, _estimated)} == {0.0}


@RECIPES
def test_what_is_equal_is_found_at_every_threshold(tmp_path: Path, recipe: Recipe) -> None:
    rows = ["arnies bar,1 main street,boston,617", "le chat noir,99 ocean drive,miami,305"]
    points = places(guides(tmp_path, rows, rows), recipe, _estimated)
    assert {point.true for point in points} == {2}
    assert [point.found for point in points] == [2] * len(points)


@RECIPES
def test_what_is_written_otherwise_is_less_alike_and_still_nearer_than_others(
    recipe: Recipe,
) -> None:
    one, same, other = (
        recipe.make(text)
        for text in (
            "arnie mortons of chicago 435 s la cienega blv los angeles 310 246 1501",
            "arnie mortons of chicago 435 s la cienega blvd los angeles 310 246 1501",
            "cafe bizou 14016 ventura boulevard sherman oaks 818 788 3536",
        )
    )
    assert similarity(one, other) < 0.8 < similarity(one, same) < 1


def test_the_threshold_in_use_is_measured_where_none_can_be_chosen(tmp_path: Path) -> None:
    """Twins by their numbers that are written quite otherwise: no threshold finds nine in ten."""
    rows = ["rec-1-org, henrietta, montgomery", "rec-1-dup-0, henrietta, montgomery"]
    rows += ["rec-2-org, bo, li", "rec-2-dup-0, ada, quist"]
    for k in (1, 2, 3):
        lines = ["rec_id, given_name, surname", *rows]
        (tmp_path / f"dataset{k}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    places = guides(tmp_path, ["arnies bar,1 main street,boston,617"], ["il sole,2 via,rome,39"])
    found = elsewhere(places, tmp_path, VECTOR, USED.vector)
    assert found["chosen"] is None
    assert found["in_use"]["febrl"]["threshold"] == USED.vector
    assert (found["in_use"]["febrl"]["found"], found["in_use"]["febrl"]["recall"]) == (3, 0.5)
    assert found["in_use"]["restaurants"]["precision_limits"] is None  # nothing was found


@pytest.mark.slow
def test_precision_and_recall_on_data_that_the_threshold_was_not_chosen_on(tmp_path: Path) -> None:
    found = run(real("restaurants"), real("febrl"), tmp_path)
    assert found["threshold"] == USED.text
    assert found["restaurants"]["precision"] >= 0.95
    assert found["restaurants"]["recall"] >= 0.9
    assert found["index"]["found"] == found["index"]["alike"] == found["restaurants"]["true"]
    together = next(one for one in found["febrl_together"] if one["threshold"] == USED.text)
    assert together["precision"] >= 0.95
    assert together["recall"] >= 0.9
    for kind, recall, chosen in (("hash", 0.268, None), ("vector", 0.473, 0.75)):
        at = found[kind]["in_use"]["restaurants"]
        assert at["threshold"] == USED.of(kind)
        assert (at["precision"], at["recall"]) == (1.0, pytest.approx(recall, abs=5e-4))
        assert found[kind]["in_use"]["febrl"]["precision"] >= 0.999
        best = found[kind]["chosen"]
        assert (best and best["febrl"]["threshold"]) == chosen
    at = found["vector"]["chosen"]["restaurants"]
    assert (at["precision"], at["recall"]) == pytest.approx((0.505, 0.955), abs=5e-4)
