"""Games, studies and audits in Numba's CUDA simulator, which ``test_cuda_source.py`` runs.

NUMBA_ENABLE_CUDASIM=1 python -m pytest tests/devices/on_simulator.py
"""

import json
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from copyproof import Agent, Market, Study, audit, lost_probability, simulate
from copyproof.cli.app import app
from copyproof.devices import ensembles, gpus, together
from copyproof.devices.batch import Batch
from copyproof.devices.together import Portion, fill_together
from copyproof.studies import on_device
from tests.devices import simulator
from tests.devices.conformance import TWO_AND_THREE, DeviceConformance
from tests.studies.studies import table_digest

COPIER = Market([Agent("a", [0.4], copies=[4]), Agent("b", [0.7])])
BOUND = Market([Agent("a", [0.4], group="g"), Agent("b", [0.7]), Agent("c", [0.6], group="g")])


@pytest.fixture(autouse=True)
def device(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The simulator in place of a GPU; the numbers of batches that were asked of it, each time."""
    asked: list[int] = []

    def play_batches(batches: Sequence[Batch]) -> object:
        asked.append(len(batches))
        return simulator.play_batches(batches)

    monkeypatch.setattr(together, "play_batches", play_batches)
    monkeypatch.setattr(ensembles, "launch_runs", simulator.launch_runs)
    monkeypatch.setattr(gpus, "why_not", lambda: None)
    monkeypatch.setattr(on_device, "own_gpu", nullcontext)
    return asked


class TestSimulator(DeviceConformance):
    def play(self, portions: Sequence[Portion]) -> list[int]:
        return fill_together(portions)[1]


@pytest.mark.parametrize("market", [COPIER, BOUND])
def test_simulate(market: Market) -> None:
    game: dict[str, Any] = {"horizon": 40, "repetitions": 3, "seed": 1, "checkpoints": 4}
    usual, found = (simulate(market, "h-ucb", **game, device=name) for name in ("cpu", "cuda"))
    for name in ("revenue", "plays", "original_plays", "regret_curves"):
        np.testing.assert_array_equal(getattr(found, name), getattr(usual, name))


@pytest.mark.parametrize("policy", ["trial", "default-anytime", "ucb1"])
def test_games_that_stop_early_are_the_beginnings_of_whole_ones(policy: str) -> None:
    """They end at round 12, and are played as if T were 40."""
    game: dict[str, Any] = {"horizon": 40, "repetitions": 3, "seed": 1, "checkpoints": [6, 12]}
    usual, found = (
        simulate(COPIER, policy, **game, stop=12, device=name) for name in ("cpu", "cuda")
    )
    assert found.plays.sum(axis=1).tolist() == [12] * 3
    for name in ("revenue", "plays", "original_plays", "regret_curves"):
        np.testing.assert_array_equal(getattr(found, name), getattr(usual, name))


def study(**changes: Any) -> Study:
    given: dict[str, Any] = {
        "policies": ["ucb1", "rh-ucb", "trial"],
        "markets": {"one": TWO_AND_THREE[0], "two": TWO_AND_THREE[1], "bound": BOUND},
        "horizons": [8, 12],
        "repetitions": 3,
        "seed": 1,
        "measure": ["regret", "revenue", "shares", "lost", "exact"],
    }
    return Study(**(given | changes))


def test_a_study_has_the_same_bytes_and_few_launches(tmp_path: Path, device: list[int]) -> None:
    small: dict[str, Any] = {"horizons": [6, 12], "policies": ["ucb1", "h-ucb", "rh-ucb"]}
    study(**small, arrays=True).run(tmp_path / "cpu")
    assert device == []
    ran = study(**small, arrays=True, device="auto").run(tmp_path / "cuda")
    assert table_digest(tmp_path / "cuda") == table_digest(tmp_path / "cpu")
    assert ran.failures == []
    taken = ran.summary.device
    assert taken is not None
    assert (taken.games, taken.launches) == (3 * 3 * 2 * 3, 6)  # three policies, two horizons
    assert device == [6, *[1] * 6]  # and the bound ones, which are played by themselves
    for name in ("regret_curves", "revenue", "original_plays"):
        for one, other in zip(
            Study.results(ran), study(**small, arrays=True).run(tmp_path / "cpu").results(),
            strict=True,
        ):  # fmt: skip
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_a_run_on_one_device_goes_on_on_another(tmp_path: Path) -> None:
    study(measure=["regret"]).run(tmp_path / "cpu")
    study(measure=["regret"], policies=["ucb1"]).run(tmp_path / "both")
    done = study(measure=["regret"]).run(tmp_path / "both", device="cuda")
    assert done.summary.played == 12
    assert table_digest(tmp_path / "both") == table_digest(tmp_path / "cpu")


def test_a_cell_that_cannot_be_played_fails_alone(tmp_path: Path) -> None:
    from copyproof.game.rewards import Gaussian

    wild = Market([Agent("a", [Gaussian(0.5, 1.0)]), Agent("b", [0.5])])
    markets = {"one": TWO_AND_THREE[1], "wild": wild}
    for name in ("cpu", "cuda"):
        ran = study(markets=markets, policies=["trial"], measure=["regret"], device=name)
        assert len(ran.run(tmp_path / name).failures) == 2
    assert table_digest(tmp_path / "cuda") == table_digest(tmp_path / "cpu")


def test_a_batch_of_a_cluster(tmp_path: Path) -> None:
    from copyproof.studies.tasks import play_batch, tasks_of

    terms: dict[str, Any] = {"measure": ["regret", "exact"], "horizons": 8}
    tasks = [task for point in study(**terms).points() for task in tasks_of(point.cell)]
    usual = {(one.digest, one.number): one.found for one in play_batch(tasks)}
    found = {(one.digest, one.number): one.found for one in on_device.play_batch_on(tasks, "auto")}
    assert found == usual


def test_an_audit_plays_its_games_together(device: list[int]) -> None:
    how: dict[str, Any] = {
        "horizon": 20,
        "seed": 1,
        "method": "sampling",
        "budget": 4000,
        "most_copies": 3,
    }
    usual = audit(COPIER, "ucb1", **how).to_dict()
    found = audit(COPIER, "ucb1", **how, device="cuda").to_dict()
    del usual["seconds"], found["seconds"]
    assert found == usual
    assert max(device) == 1  # all deviations of all agents in one batch
    assert len(device) <= 4


def test_a_study_of_audits(tmp_path: Path) -> None:
    how: dict[str, Any] = {
        "measure": ["audit"],
        "audit": {"method": "sampling", "budget": 2000, "most_copies": 2},
        "policies": ["h-ucb"],
        "horizons": 10,
        "markets": {"one": COPIER},
    }
    for name in ("cpu", "cuda"):
        assert study(**how).run(tmp_path / name, device=name).failures == []
    assert table_digest(tmp_path / "cuda") == table_digest(tmp_path / "cpu")


def test_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(
        'device = "auto"\npolicies = ["h-ucb"]\nmarkets = ["paper:1a"]\n'
        "horizons = 20\nrepetitions = 2\nseed = 1\n"
    )
    command = ["study", "run", str(tmp_path / "study.toml"), "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(app, [*command, "--json"])
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert said["device"] == {"seconds": 0.25, "kernel_seconds": 0.25, "launches": 1, "games": 2}


def test_the_paper(tmp_path: Path) -> None:
    size = ["--horizon", "100", "--repetitions", "2", "--only", "fig2a", "--json"]
    claims = []
    for name in ("cpu", "cuda"):
        done = CliRunner().invoke(app, ["paper", "--out", str(tmp_path / name), *size,
                                        "--device", name])  # fmt: skip
        assert done.exit_code == 0, done.output
        said = json.loads(done.stdout)
        claims.append((tmp_path / name / "claims.json").read_bytes())
    assert claims[0] == claims[1]
    assert said["device"]["games"] == 14


@pytest.mark.parametrize("policy", ["rh-ucb-t-free(L=1)", "trial"])
def test_rare_events(policy: str) -> None:
    market = Market([Agent("a", [0.9, 0.2], copies=[1, 2]), Agent("b", [0.7])])
    how: dict[str, Any] = {"horizon": 1000, "seed": 1, "runs": 4, "most_plays": 14}
    usual = lost_probability(market, policy, **how).to_dict()
    found = lost_probability(market, policy, **how, device="cuda").to_dict()
    assert found.pop("seconds") == 0.5  # two launches
    del usual["seconds"]
    assert found == usual
    assert found["plays"] > 100
