"""Runs: the same bytes on any number of workers, resumed, re-used, refused."""

import os
import re
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from copyproof import Result, Study, audit, exact, paper_market, simulate
from copyproof.studies import assembly
from copyproof.studies.folder import open_folder
from copyproof.studies.run import Progress
from copyproof.studies.status import status_of
from tests.studies.studies import small_study, table_digest


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Path]:
    folder = tmp_path_factory.mktemp("whole")
    return small_study().run(folder, workers=2), folder


def test_a_row_is_what_simulate_finds(whole: tuple[Study, Path]) -> None:
    frame = whole[0].frame()
    assert len(frame) == len(whole[0]) == 18
    row = frame[
        (frame["market"] == "paper:1a:20")
        & (frame["policy"] == "h-ucb")
        & (frame["horizon"] == 1000)
    ].iloc[0]
    alone = simulate(
        paper_market("1a", copies=20), "h-ucb", horizon=1000, repetitions=40, seed=1,
        checkpoints=[900],
    )  # fmt: skip
    assert row["regret_mean"] == alone.regret.mean
    assert row["regret_std"] == alone.regret.std
    assert row["agents"].tolist() == list(alone.market.names)
    assert row["revenue_mean"].tolist() == [agent.revenue.mean for agent in alone.agents]
    assert alone.lost is not None
    assert row["lost_count"] == alone.lost.count
    long = frame[(frame["policy"] == "ucb1") & (frame["horizon"] == 60_000)].iloc[-1]
    alone = simulate(paper_market("1a", copies=20), "ucb1", horizon=60_000, repetitions=40, seed=1)
    assert long["regret_mean"] == pytest.approx(alone.regret.mean, rel=1e-12)
    assert long["regret_std"] == pytest.approx(alone.regret.std, rel=1e-9)


@pytest.mark.parametrize("workers", [1, 5])
def test_workers_do_not_matter(workers: int, whole: tuple[Study, Path], tmp_path: Path) -> None:
    small_study().run(tmp_path, workers=workers)
    assert table_digest(tmp_path) == table_digest(whole[1])


def test_a_finished_study_plays_nothing(whole: tuple[Study, Path]) -> None:
    before = table_digest(whole[1])
    again = small_study().run(whole[1])
    assert again.summary.played == 0
    assert table_digest(whole[1]) == before


def test_a_changed_study_plays_what_is_new(tmp_path: Path) -> None:
    study = small_study(horizons=[1000]).run(tmp_path)
    assert study.summary.played == 9
    more = small_study(horizons=[500, 1000], policies=["h-ucb", "trial", "prh-ucb"]).run(tmp_path)
    assert more.summary.played == 18 - 6
    assert status_of(tmp_path)[0].cells == 18
    fewer = small_study(horizons=[1000]).run(tmp_path)
    assert fewer.summary.played == 0
    fresh = tmp_path / "fresh"
    small_study(horizons=[1000]).run(fresh)
    assert table_digest(fresh) == table_digest(tmp_path)


def test_a_run_removes_the_report_of_before(tmp_path: Path) -> None:
    study = small_study(horizons=[100])
    study.run(tmp_path)
    (tmp_path / "report.html").write_text("of before")
    study.run(tmp_path)
    assert not (tmp_path / "report.html").exists()


def test_cells_of_another_study_are_kept_and_counted(tmp_path: Path) -> None:
    assert small_study(horizons=[100]).run(tmp_path).summary.others == 0
    other = {"policies": ["prh-ucb"], "markets": ["paper:2a"], "horizons": [100]}
    assert small_study(**other).run(tmp_path).summary.others == 9
    back = small_study(horizons=[100]).run(tmp_path).summary
    assert (back.played, back.others) == (0, 1)


def test_cells_that_are_equal_are_played_once(tmp_path: Path) -> None:
    study = small_study(
        policies=["rh-ucb", "rh-ucb(L=1)"], markets=["paper:2a", "paper:1a:1000"], horizons=[100]
    ).run(tmp_path)
    assert study.summary.played == 1
    assert study.frame()["regret_mean"].nunique() == 1
    assert study.status.done == 4


def test_broken_off_by_an_exception_it_goes_on(
    whole: tuple[Study, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assembly, "EVERY", 0.0)

    def interrupt(now: Progress) -> None:
        if now.rounds > now.total // 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        small_study().run(tmp_path, workers=2, progress=interrupt)
    assert not (tmp_path / "results.parquet").exists()
    before = status_of(tmp_path)[0]
    assert before.open > 0
    done = small_study().run(tmp_path)
    assert done.summary.played == 18 - before.done
    assert table_digest(tmp_path) == table_digest(whole[1])


def test_slices_that_are_known_are_not_played_again(tmp_path: Path) -> None:
    study = small_study(markets=["paper:2a"], horizons=[60_000], policies=["h-ucb"])
    study.run(tmp_path)
    whole = table_digest(tmp_path)
    with sqlite3.connect(tmp_path / "study.db") as store:
        (cell,) = store.execute("SELECT cell FROM cells").fetchone()
        store.execute("DELETE FROM cells")
        wrong = '{"games": 16, "regret": [[1.0], [0.0]]}'
        store.execute("INSERT INTO slices VALUES (?, 0, 1, ?)", (cell, wrong))
    study = small_study(markets=["paper:2a"], horizons=[60_000], policies=["h-ucb"])
    study.run(tmp_path)
    assert study.summary.played == 1
    assert table_digest(tmp_path) != whole  # it took the first slice for what it was not


def test_arrays_are_kept(tmp_path: Path) -> None:
    study = small_study(markets=["paper:1a:20"], arrays=True, checkpoints=50).run(tmp_path)
    for _, row in study.frame().iterrows():
        kept = Result.load(tmp_path / "arrays" / f"{row['cell']}.npz")
        alone = simulate(
            kept.market, row["policy"], horizon=row["horizon"], repetitions=40, seed=1,
            checkpoints=50,
        )  # fmt: skip
        assert np.array_equal(kept.regret_curves, alone.regret_curves)
        assert np.array_equal(kept.original_plays, alone.original_plays)
    assert not (tmp_path / "slices").exists()
    lost = next((tmp_path / "arrays").iterdir())
    lost.unlink()
    before = table_digest(tmp_path)
    again = small_study(markets=["paper:1a:20"], arrays=True, checkpoints=50).run(tmp_path)
    assert again.summary.played == 1
    assert lost.is_file()
    assert table_digest(tmp_path) == before


def test_audits_and_exact_values(tmp_path: Path) -> None:
    study = Study(
        ["ucb1", "h-ucb"],
        ["paper:1a"],
        horizons=6,
        repetitions=2,
        seed=1,
        measure=["audit", "exact"],
        audit={"agent": "0.5-agent", "most_copies": 2},
    ).run(tmp_path)
    market = paper_market("1a")
    for _, row in study.frame().iterrows():
        judged = audit(market, row["policy"], horizon=6, seed=1, agent="0.5-agent", most_copies=2)
        assert row["audit_verdict"] == judged.verdict
        assert row["audit_gain"].tolist() == [judged.agents[0].best_deviation.gain.mean]
        computed = exact(market, row["policy"], horizon=6)
        assert row["exact_regret"] == computed.regret
        assert row["exact_revenue"].tolist() == [agent.revenue for agent in computed.agents]
    assert "regret_mean" not in study.frame()


def test_strategies_and_schedules(tmp_path: Path) -> None:
    strategies = [
        {"name": "best hides", "agent": "0.9-agent", "hide": [1, 2]},
        {"name": "worst renews", "rank": -1, "renew_after": 1},
        {"name": "churn", "rank": 1, "churn": 30},
        {"name": "truthful", "profile": "truthful"},
    ]
    study = Study.from_dict(
        {
            "policies": ["h-ucb"], "markets": ["paper:2c"], "horizons": 100, "repetitions": 3,
            "seed": 1, "measure": ["regret", "lost"], "strategies": strategies,
        }
    ).run(tmp_path)  # fmt: skip
    assert study.failures == []
    assert study.frame()["lost_count"].isna().tolist() == [False, True, True, False]
    markets = [point.cell.market for point in study.points()]
    assert markets[0].agents[4].copies == (10, 0, 0)
    assert markets[3].registered == 5


def test_a_cell_that_fails_does_not_stop_the_others(tmp_path: Path) -> None:
    rule = tmp_path / "mine.py"
    broken = (
        "class Rule:\n"
        "    def __init__(self, arms, *, owners, horizon, seed):\n"
        "        if len(arms) > 5:\n"
        "            raise RuntimeError('too many arms')\n"
        "        self.arm = arms[0]\n"
        "    def choose(self):\n"
        "        return self.arm\n"
        "    def learn(self, arm, reward):\n"
        "        pass\n"
    )
    rule.write_text(broken)
    (tmp_path / "study.toml").write_text(
        'policies = ["mine.py:Rule", "h-ucb"]\nmarkets = ["paper:1a", "paper:2a"]\n'
        "horizons = 50\nrepetitions = 2\nseed = 1\n"
    )
    out = tmp_path / "out"
    study = Study.read(tmp_path / "study.toml").run(out)
    assert (study.status.done, study.status.failed) == (3, 1)
    (line,) = study.failures
    assert line.startswith("mine.py:Rule on paper:2a, T = 50: ")
    assert "RuntimeError: too many arms" in line
    assert str(tmp_path) not in line
    failures = study.frame()["failure"]
    assert failures.notna().tolist() == [False, False, True, False]
    again = Study.read(tmp_path / "study.toml").run(out)
    assert (again.status.failed, again.summary.played) == (1, 0)


def test_a_folder_in_use_or_of_something_else_is_refused(tmp_path: Path) -> None:
    study = small_study(horizons=[100])
    with open_folder(tmp_path), pytest.raises(ValueError, match="is in use by another process"):
        study.run(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.tex").write_text("mine")
    message = f"{other} holds something else (thesis.tex): give an empty or a new folder"
    with pytest.raises(ValueError, match=re.escape(message)):
        study.run(other)
    assert os.listdir(other) == ["thesis.tex"]
    with pytest.raises(ValueError, match="is not the folder of a study"):
        status_of(other)


def test_a_damaged_store_is_said_in_one_line_and_kept(tmp_path: Path) -> None:
    study = small_study(horizons=[100]).run(tmp_path)
    database = tmp_path / "study.db"
    database.write_bytes(b"not a database at all" * 100)
    with pytest.raises(ValueError, match=r"study\.db .* move it away"):
        study.run(tmp_path)
    assert database.read_bytes().startswith(b"not a database")


def test_a_resumed_run_counts_what_was_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assembly, "EVERY", 0.0)
    one = small_study(policies=["ucb1"], markets=["paper:1a"], horizons=[60_000], repetitions=200)

    def interrupt(now: Progress) -> None:
        with sqlite3.connect(tmp_path / "study.db") as store:
            if store.execute("SELECT COUNT(*) FROM slices").fetchone()[0]:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        one.run(tmp_path, workers=1, progress=interrupt)
    told: list[Progress] = []
    one.run(tmp_path, workers=1, progress=told.append)
    assert 0 < told[0].total < 60_000 * 200
    assert told[-1].rounds == told[-1].total


def test_a_run_in_which_a_cell_fails_ends_at_its_total(tmp_path: Path) -> None:
    told: list[Progress] = []
    one = small_study(policies=["thompson", "ucb1"], horizons=[4], measure=["exact"])
    one.run(tmp_path, workers=1, progress=told.append)
    assert one.status.failed == 3
    assert told[-1].rounds == told[-1].total == 6 * 4 * 40


@pytest.mark.parametrize("checkpoints", [7, 200])
def test_lost_games_are_counted_whatever_the_checkpoints(checkpoints: int, tmp_path: Path) -> None:
    size: dict[str, object] = {"horizons": [1003], "policies": ["ucb1"]}
    kept = small_study(**size, arrays=True, checkpoints=checkpoints).run(tmp_path)
    plain = small_study(**size).run()
    assert kept.frame()["lost_count"].tolist() == plain.frame()["lost_count"].tolist()
    counted = [one.lost for one in kept.results()]
    assert [one.count for one in counted if one] == plain.frame()["lost_count"].tolist()
