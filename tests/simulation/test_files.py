"""Files of results: everything comes back, and what is not one of them is refused in one line."""

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from copyproof import (
    Admit,
    Agent,
    ExternalPolicy,
    Market,
    Renew,
    Result,
    Retire,
    RiskAverse,
    Schedule,
    UniformPrior,
    plot_regret,
    simulate,
)
from copyproof.external import ExternalError
from copyproof.validation import FieldError
from tests.external.learners import Scripted

MARKET = Market(
    [
        Agent("a", [0.5, 0.3], copies=[4, 0], utility=RiskAverse(0.5)),
        Agent("absent", [0.7], copies=[0]),
        Agent("b", [0.9]),
    ],
    fee=0.25,
)


@pytest.fixture(scope="module")
def result() -> Result:
    return simulate(MARKET, "rh-ucb", horizon=500, repetitions=30, seed=9, checkpoints=5)


def test_save_and_load(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    result.save(path)
    again = Result.load(path)
    assert again.market == result.market
    assert again.policy == result.policy
    assert again.to_dict() == result.to_dict()
    assert again.versions == result.versions
    assert np.array_equal(again.regret_curves, result.regret_curves)
    assert not again.revenue.flags.writeable
    assert [entry.name for entry in tmp_path.iterdir()] == ["run.npz"]


def test_drawn_means_are_kept(tmp_path: Path) -> None:
    market = Market([Agent("a", [UniformPrior(0, 1)]), Agent("b", [0.5])])
    result = simulate(market, "h-ucb", horizon=20, repetitions=4, seed=1)
    result.save(tmp_path / "run.npz")
    again = Result.load(tmp_path / "run.npz")
    assert again.market == market
    assert again.means is not None
    assert result.means is not None
    assert not again.means.flags.writeable
    assert np.array_equal(again.means, result.means)
    assert again.to_dict() == result.to_dict()
    best = result.to_dict()["best_mean"]
    assert 0.5 <= best["mean"] <= 1
    assert best["stderr"] > 0


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04 broken"])
def test_what_is_not_a_result_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"x.npz is not a saved simulation"):
        Result.load(path)


@pytest.mark.parametrize(
    ("name", "cut", "shapes"),
    [
        ("means", (slice(1), slice(None)), r"\(1, 2\), not \(4, 2\)"),
        ("means", (slice(None), 0), r"\(4,\), not \(4, 2\)"),
        ("revenue", (slice(None), slice(1)), r"\(4, 1\), not \(4, 2\)"),
        ("regret_curves", (slice(3), slice(None)), r"\(3, 20\), not \(4, 20\)"),
        ("rounds", (None, slice(None)), r"\(1, 20\), not \(20,\)"),
    ],
)
def test_arrays_of_another_shape_are_refused(
    name: str, cut: Any, shapes: str, tmp_path: Path
) -> None:
    market = Market([Agent("a", [UniformPrior(0, 1)]), Agent("b", [0.5])])
    result = simulate(market, "h-ucb", horizon=20, repetitions=4, seed=1)
    path = tmp_path / "x.npz"
    replace(result, **{name: getattr(result, name)[cut]}).save(path)
    with pytest.raises(ValueError, match=rf"x.npz is not a saved simulation: {name} is .*{shapes}"):
        Result.load(path)


def test_a_damaged_file_is_refused_wherever_the_damage_is(result: Result, tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    result.save(path)
    content = path.read_bytes()
    refused = 0
    for place in range(0, len(content), max(1, len(content) // 400)):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :])
        try:
            Result.load(path)
        except ValueError:  # and nothing else
            refused += 1
    assert refused > 300


def test_missing_and_unwritable_files(result: Result, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        Result.load(tmp_path / "missing.npz")
    with pytest.raises(ValueError, match="cannot be written: No such file"):
        result.save(tmp_path / "no" / "folder.npz")
    other = tmp_path / "other.npz"
    np.savez(other, x=np.zeros(3))
    with pytest.raises(ValueError, match="is not a saved simulation"):
        Result.load(other)


def test_a_schedule_is_saved_and_loaded(tmp_path: Path) -> None:
    schedule = Schedule(
        [Retire(50, "a", 0, 2), Admit(60, "a", 1), Admit(70, "a", 0, new=False)],
        [Renew("b", after=5, below=0.25)],
    )
    result = simulate(
        MARKET, "rh-ucb", horizon=500, repetitions=30, seed=9, checkpoints=5, schedule=schedule
    )
    result.save(tmp_path / "x.npz")
    again = Result.load(tmp_path / "x.npz")
    assert again.schedule == schedule
    assert np.array_equal(again.registrations, result.registrations)
    assert np.array_equal(again.utility, result.utility)
    assert result.registrations[:, 0].tolist() == [5] * 30


def refusal(path: Path) -> str:
    """The one line that refuses a file; it never tells how to unpickle."""
    with pytest.raises(ValueError, match="is not a saved simulation: ") as caught:
        Result.load(path)
    said = str(caught.value)
    assert "pickle" not in said
    assert "\n" not in said
    return said.partition(": ")[2]


def test_foreign_files_are_refused_in_one_line(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> Any:
            return (Path.touch, (tmp_path / "run",))

    objects = np.array([Trap()], dtype=object)
    np.save(tmp_path / "plain.npy", np.zeros(3))
    np.save(tmp_path / "objects.npy", objects)
    (tmp_path / "stored").write_bytes(pickle.dumps([Trap()]))
    np.savez(tmp_path / "objects.npz", manifest=objects)
    np.savez(tmp_path / "arrays.npz", x=np.zeros(3))
    np.savez(tmp_path / "letters.npz", manifest=np.frombuffer(b"[1]", np.uint8))
    for name in ("plain.npy", "objects.npy", "stored"):
        assert refusal(tmp_path / name) == "it is not an .npz file"
    assert refusal(tmp_path / "objects.npz") == "its manifest is no array of plain numbers"
    assert refusal(tmp_path / "arrays.npz") == "it has no manifest"
    assert refusal(tmp_path / "letters.npz") == "it has no rounds"
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("path", [5, None, b"x.npz"])
def test_what_is_not_a_path_is_refused(result: Result, path: Any) -> None:
    with pytest.raises(FieldError, match=r"path = .* is not the path of a file"):
        Result.load(path)
    with pytest.raises(FieldError, match=r"path = .* is not the path of a file"):
        result.save(path)


@pytest.mark.parametrize("policy", ["river:UCB(delta=1)", ExternalPolicy("mine", Scripted)])
def test_of_an_external_policy_name_and_text_are_kept(policy: Any, tmp_path: Path) -> None:
    result = simulate(MARKET, policy, horizon=30, repetitions=3, seed=1, workers=1)
    result.save(tmp_path / "x.npz")
    again = Result.load(tmp_path / "x.npz")
    assert again.to_dict() == result.to_dict()
    assert again.to_frame().equals(result.to_frame())
    assert again.versions == result.versions
    assert ("river" in again.versions) == isinstance(policy, str)
    assert isinstance(again.policy, ExternalPolicy)
    assert isinstance(result.policy, ExternalPolicy)
    assert again.policy.text == result.policy.text
    assert str(again.resolved_policy) == str(policy)
    assert plot_regret(again).lines[0].get_label() == str(policy)
    with pytest.raises(ExternalError, match="it was read from a file, which does not hold its"):
        simulate(MARKET, again.policy, horizon=30, repetitions=3, seed=1, workers=1)
