"""Bad input: one line on standard error, exit status 2, nothing on standard output."""

import os
import subprocess
from pathlib import Path

import pytest

from copyproof.devices.gpus import is_there
from tests.cli.conftest import Run

AGENT = '[[agents]]\nname = "ann"\narms = [{}]\n'

FILES = {
    "mean above 1": (AGENT.format("{ mean = 1.3 }"), "agents[0].arms[0].mean = 1.3"),
    "mean below 0": (AGENT.format("{ mean = -0.1 }"), "agents[0].arms[0].mean = -0.1"),
    "mean nan": (AGENT.format("{ mean = nan }"), "agents[0].arms[0].mean = nan"),
    "mean inf": (AGENT.format("{ mean = inf }"), "agents[0].arms[0].mean = inf"),
    "mean text": (AGENT.format('{ mean = "high" }'), "agents[0].arms[0].mean"),
    "negative copies": (AGENT.format("{ mean = 0.5, copies = -1 }"), "copies = -1"),
    "fractional copies": (AGENT.format("{ mean = 0.5, copies = 1.5 }"), "copies = 1.5"),
    "no agents": ("agents = []", "agents"),
    "an empty file": ("", "agents"),
    "no arms": (AGENT.format(""), "agents[0].arms"),
    "nobody registered": (AGENT.format("{ mean = 0.5, copies = 0 }"), "register"),
    "duplicate names": (AGENT.format("{ mean = 0.5 }") * 2, "ann"),
    "unknown field": (AGENT.format("{ mean = 0.5, cpoies = 3 }"), "cpoies"),
    "not toml": ("[[agents]\nname", "is not TOML"),
    "binary": ("\udcff\udcfe", "is not UTF-8"),
}

OPTIONS = {
    "horizon 0": (("--horizon", "0"), "horizon = 0"),
    "horizon negative": (("--horizon", "-5"), "horizon = -5"),
    "horizon too large": (("--horizon", str(10**30)), "horizon"),
    "horizon fractional": (("--horizon", "1.5"), "--horizon"),
    "horizon text": (("--horizon", "long"), "--horizon"),
    "horizon without value": (("--horizon",), "--horizon"),
    "repetitions 0": (("--repetitions", "0"), "repetitions = 0"),
    "repetitions beyond memory": (("--repetitions", str(2**32)), "repetitions = 4294967296"),
    "seed negative": (("--seed", "-1"), "seed = -1"),
    "workers 0": (("--workers", "0"), "workers = 0"),
    "checkpoints 0": (("--checkpoints", "0"), "checkpoints = 0"),
    "unknown policy": (("--policy", "ucb2"), "policy = 'ucb2' is not known"),
    "unknown parameter": (("--policy", "rh-ucb(M=3)"), "M is not a parameter of rh-ucb"),
    "parameter out of range": (("--policy", "rh-ucb(L=-3)"), "L = -3"),
    "malformed policy": (("--policy", "rh-ucb(L=3"), "cannot be read"),
    "empty policy": (("--policy", ""), "policy = ''"),
    "policy of two lines": (("--policy", "h\nucb"), "policy"),
    "unknown option": (("--polcy", "ucb1"), "--polcy"),
    "two markets": (("other.toml",), "other.toml"),
    "unknown figure format": (("--plot", "out.gif"), "out.gif does not end in .png, .svg, .pdf"),
    "no figure format": (("--plot", "out"), "out does not end in .png, .svg, .pdf"),
    "plot into no folder": (("--plot", "missing/out.png"), "--plot missing/out.png cannot be"),
    "save into no folder": (
        ("--policy", "h-ucb", "--save", "missing/out.npz"),
        "--save missing/out.npz cannot be written",
    ),
    "save several": (("--save", "out.npz"), "--save keeps one policy"),
    "plot and save into one": (
        ("--policy", "h-ucb", "--plot", "out.png", "--save", "out.png"),
        "would overwrite --plot",
    ),
}


def check(done: subprocess.CompletedProcess[str], expected: str) -> None:
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert done.stderr.endswith("\n")
    assert expected in done.stderr
    assert done.returncode == 2


@pytest.mark.parametrize("case", FILES)
def test_market_file(run: Run, tmp_path: Path, case: str) -> None:
    text, expected = FILES[case]
    path = tmp_path / "market.toml"
    path.write_bytes(text.encode(errors="surrogateescape"))
    check(run("simulate", path), expected)


@pytest.mark.parametrize("case", OPTIONS)
def test_option(run: Run, market: Path, case: str) -> None:
    options, expected = OPTIONS[case]
    check(run("simulate", market, *options), expected)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("simulate",), "MARKET"),
        (("simulate", "missing.toml"), "missing.toml: cannot be read: No such file or directory"),
        (("simulate", "missing.json"), "missing.json: cannot be read: No such file or directory"),
        (("simulate", "/"), "Is a directory"),
        (("simulate", "paper:3a"), "figure = '3a' is not one of"),
        (("simulate", "paper:1a:ten"), "copies = 'ten'"),
        (("simulate", "paper:2c:5"), "figure 2c is fixed"),
        (("simulat", "market.toml"), "simulat"),
        (("--verbose",), "--verbose"),
        (("policies", "ucb1"), "ucb1"),
        (("simulate", "market\n.toml"), "market"),
    ],
)
def test_arguments(run: Run, arguments: tuple[str, ...], expected: str) -> None:
    check(run(*arguments), expected)


def test_an_output_that_is_a_folder(run: Run, market: Path, tmp_path: Path) -> None:
    folder = tmp_path / "a.png"
    folder.mkdir()
    check(run("simulate", market, "--plot", folder), "cannot be written")


@pytest.mark.skipif(os.geteuid() == 0, reason="everything is writable for root")
def test_an_output_in_a_folder_that_is_locked(run: Run, market: Path, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    check(run("simulate", market, "--plot", tmp_path / "a.png"), "Permission denied")
    tmp_path.chmod(0o700)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that nobody may write")
def test_an_output_where_nobody_may_write(run: Run, market: Path) -> None:
    check(run("simulate", market, "--plot", "/proc/self/a.png"), "cannot be written")


def test_the_market_is_not_overwritten(run: Run, market: Path) -> None:
    before = market.read_bytes()
    check(
        run("simulate", market, "--policy", "h-ucb", "--save", market),
        "would overwrite the market file",
    )
    assert market.read_bytes() == before


def test_a_refusal_comes_before_any_work(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "market.toml"
    path.write_text(AGENT.format('{ family = "gaussian", mean = 0.5, sigma = 1 }'))
    long = ("--horizon", str(10**9), "--repetitions", "1000")
    done = run("simulate", path, "--policy", "ucb1", "--policy", "thompson", *long)
    check(done, "takes rewards in [0, 1] only")


def test_nothing_is_compiled_for_bad_input(run_process: Run, market: Path, tmp_path: Path) -> None:
    done = run_process("simulate", market, "--horizon", "0", NUMBA_CACHE_DIR=str(tmp_path))
    check(done, "horizon = 0")
    assert list(tmp_path.rglob("*.nb*")) == []


def test_debugging_shows_where_it_went_wrong(run: Run) -> None:
    done = run("simulate", "paper:9", COPYPROOF_DEBUG="1")
    assert done.returncode == 2
    assert "Traceback" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("error: figure = '9'")


@pytest.mark.parametrize(
    "command",
    [
        ("simulate", "paper:1a"),
        ("audit", "paper:1a", "--policy", "h-ucb", "--horizon", "10"),
        ("lost", "paper:1a", "--policy", "trial", "--horizon", "10"),
        ("study", "run", "study.toml", "--out", "out"),
        ("paper", "--quick", "--out", "out"),
    ],
)
def test_devices(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("study.toml").write_text(
        'policies = ["h-ucb"]\nmarkets = ["paper:1a"]\nhorizons = 10\nrepetitions = 2\nseed = 1\n'
    )
    check(run(*command, "--device", "gpu"), "device = 'gpu' is not one of cpu, cuda, auto")
    if not is_there():
        check(run(*command, "--device", "cuda"), "device = 'cuda', but ")
    assert not Path("out", "results.parquet").exists()
