"""``Study``: what it is before it is run, where it lives, and what it says afterwards."""

import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from copyproof import RandomMarkets, Study, Variation, compare, river_policy, simulate
from copyproof.studies.study import folder_frame
from copyproof.validation import FieldError


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


def test_a_notebook_shows_what_is_played_and_how_policies_compare(tmp_path: Path) -> None:
    one = study()
    before = one._repr_html_()
    for text in ("ucb1, h-ucb", "2 of &#39;random&#39;, paper:1a", "10, 20", "regret, lost"):
        assert text in before
    assert "least in" not in before
    after = one.run(tmp_path)._repr_html_()
    assert "24 done, 0 failed, 0 open" in after
    assert after.count("least in") == 2  # a table for each horizon
    assert one.to_frame().equals(one.frame())


def test_parts_are_shown_by_their_names() -> None:
    common = {"markets": ["paper:1a"], "repetitions": 1, "seed": 1}
    common |= {"policies": ["ucb1"], "parts": [{"name": "a <b>"}, {"name": "c"}]}
    horizons = {"horizons": list(range(1, 9))}
    page = Study.from_dict(common | horizons).run()._repr_html_()
    assert "a &lt;b&gt;" in page
    assert "12 more tables: copyproof study report." in page


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Study.read(5), "path = 5 is not the path of a file"),  # type: ignore[arg-type]
        (lambda: study().run(5), "folder = 5 is not the path of a folder"),  # type: ignore[arg-type]
        (lambda: Study.from_dict([1]), r"data = \[1\] is not a table"),  # type: ignore[arg-type]
    ],
)
def test_paths_are_checked(call: Callable[[], Study], message: str) -> None:
    with pytest.raises(FieldError, match=message):
        call()


def test_a_folder_that_was_refused_is_forgotten(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("something else")
    one = study()
    with pytest.raises(ValueError, match="holds something else"):
        one.run(tmp_path)
    assert str(tmp_path) not in repr(one)
    assert one.run(tmp_path / "study").status.open == 0
    with pytest.raises(ValueError, match="holds something else"):
        one.run(tmp_path)
    assert len(one.frame()) == len(one)


def test_a_policy_of_a_library_is_taken_as_a_record() -> None:
    one = Study(
        [river_policy("UCB", delta=1)], ["paper:1a"], horizons=10, repetitions=1, seed=1
    ).run()
    assert one.frame()["policy"].tolist() == ["river:UCB(delta=1)"]
    assert not one.failures


def test_a_study_that_kept_no_games_has_no_results() -> None:
    with pytest.raises(ValueError, match="kept no games: arrays=True keeps them"):
        study().run().results()
