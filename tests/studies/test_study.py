"""``Study``: what it is before it is run, where it lives, and what it says afterwards."""

import gc
from pathlib import Path
from typing import Any

import pytest

from copyproof import RandomMarkets, Study, Variation, compare, simulate
from copyproof.studies.study import folder_frame


def study() -> Study:
    return Study(
        ["ucb1", "h-ucb"],
        [RandomMarkets(count=2, agents=(2, 3)), "paper:1a"],
        horizons=[10, 20],
        repetitions=2,
        seed=[1, 2],
        measure=["lost", "regret"],
    )


def test_before_it_is_run() -> None:
    one = study()
    assert len(one) == len(list(one.points())) == 2 * 3 * 2 * 2
    assert repr(one) == "<Study: 24 cells, regret, lost>"
    with pytest.raises(ValueError, match=r"has not been run: call run\(\) first"):
        one.frame()
    with pytest.raises(ValueError, match="has not been run"):
        _ = one.status


def test_a_temporary_folder_lives_as_long_as_the_study() -> None:
    one = study().run()
    folder = one._folder
    assert folder is not None
    assert one.run().summary.played == 0  # in the same folder
    assert len(one.frame()) == one.status.done == 24
    del one
    gc.collect()
    assert not folder.exists()


def test_a_frame_has_what_was_asked_for(tmp_path: Path) -> None:
    frame = study().run(tmp_path).frame()
    assert "regret_mean" in frame
    assert "revenue_mean" not in frame
    assert folder_frame(tmp_path)["revenue_mean"].isna().all()  # all measures, known or not
    assert frame["failure"].isna().all()


def test_parts_measure_together() -> None:
    common = {"markets": ["paper:1a"], "horizons": 10, "repetitions": 1, "seed": 1}
    one = Study.from_dict(
        common
        | {
            "policies": ["ucb1"],
            "parts": [{"name": "a"}, {"name": "b", "measure": ["exact"], "horizons": [3, 4]}],
        }
    )
    assert one.measure == ("regret", "exact")
    frame = one.run().frame()
    assert frame["part"].tolist() == ["a", "b", "b"]
    assert frame["regret_mean"].isna().tolist() == [False, True, True]


def test_results_are_what_simulate_gives(tmp_path: Path) -> None:
    game: dict[str, Any] = {"repetitions": 5, "seed": 1}
    one = Study(
        ["ucb1", "h-ucb"],
        [RandomMarkets(count=2, agents=(2, 3))],
        horizons=50,
        strategies=[Variation(name="as given"), Variation(name="all copy", rank=1, copies=3)],
        arrays=True,
        checkpoints=10,
        **game,
    ).run(tmp_path)
    found = one.results()
    names = ["random 1", "random 1 (all copy)", "random 2", "random 2 (all copy)"]
    assert [result.market.name for result in found] == [name for name in names for _ in range(2)]
    for result in found:
        alone = simulate(result.market, result.policy, horizon=50, checkpoints=10, **game)
        assert (result.regret_curves == alone.regret_curves).all()
    ranking = compare(found).ranking
    assert ranking is not None
    assert len(ranking.policies) == 2


def test_a_study_that_kept_no_games_has_no_results() -> None:
    with pytest.raises(ValueError, match="kept no games: arrays=True keeps them"):
        study().run().results()
