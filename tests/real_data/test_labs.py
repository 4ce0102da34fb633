"""The table of labs: every model of the leaderboard once."""

import csv

from copyproof.real_data.labs import LABS, SERVED_TWICE, lab_of
from tests.real_data.sets import real


def test_every_model_has_one_lab_and_no_lab_a_model_that_is_not_there() -> None:
    models = [model for own in LABS.values() for model in own]
    assert len(models) == len(set(models)) == 223
    with (real("alpaca-eval") / "leaderboard.csv").open(encoding="utf-8", newline="") as file:
        assert {row[""] for row in csv.DictReader(file)} == set(models)


def test_ten_variants_and_one_model_that_is_served_twice() -> None:
    assert len(LABS["BAAI Infinity-Instruct"]) == 10
    assert {lab_of()[model] for model in SERVED_TWICE} == {"LMSYS Vicuna"}
