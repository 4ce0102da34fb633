"""Duplicates: a threshold chosen on some data, measured on others."""

from pathlib import Path

import pytest

from copyproof.fingerprints import THRESHOLDS as USED
from copyproof.real_data.duplicates_study import _estimated, people, places, run
from tests.real_data.sets import real


def test_pairs_of_people_by_the_number_of_their_record(tmp_path: Path) -> None:
    rows = [
        "rec_id, given_name, surname",
        "rec-1-org, henrietta, montgomery",
        "rec-1-dup-0, henriette, montgomery",
        "rec-2-org, bo, li",
    ]
    (tmp_path / "some.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    points = people(tmp_path / "some.csv")
    at = next(point for point in points if point.threshold == 0.5)
    assert (at.found, at.true, at.recall) == (1, 1, 1.0)
    strict = points[-1]
    assert (strict.threshold, strict.found, strict.recall) == (0.9, 0, 0.0)


def test_a_true_pair_that_is_not_alike_at_all_is_missed_and_not_forgotten(tmp_path: Path) -> None:
    head = "id,name,addr,city,phone,type\n"
    (tmp_path / "fodors.csv").write_text(f"{head}1,abcdef,a,b,c,d\n", encoding="utf-8")
    (tmp_path / "zagats.csv").write_text(f"{head}2,uvwxyz,r,s,t,d\n", encoding="utf-8")
    (tmp_path / "matches.csv").write_text("fodors_id,zagats_id\n1,2\n", encoding="utf-8")
    assert {point.recall for point in places(tmp_path, _estimated)} == {0.0}


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
