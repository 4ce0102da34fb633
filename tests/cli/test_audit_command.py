"""``copyproof audit`` from end to end."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from copyproof import audit
from copyproof.cli import main
from copyproof.game.files import read_market
from tests.cli.conftest import Run, Start
from tests.cli.test_bad_input import check
from tests.cli.test_endings import interrupt, wait_for_threads
from tests.cli.test_simulate_command import strict

AGENTS = """
[[agents]]
name = "ann"
arms = [{ mean = 0.5 }, { mean = 0.2 }]
[[agents]]
name = "[red]bob[/]"
arms = [{ mean = 0.75 }]
"""
UCB, HUCB = ("--policy", "ucb1"), ("--policy", "h-ucb")
SMALL = ("--horizon", "6", "--seed", "3", "--most-copies", "5")
PLAYED = ("--horizon", "300", "--seed", "3", "--budget", "400000")


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pair") / "pair.toml"
    path.write_text(AGENTS)
    return path


def test_json_of_one_policy_is_the_audit(run: Run, pair: Path) -> None:
    done = run("audit", pair, *UCB, *SMALL, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = strict(done.stdout)
    expected = audit(read_market(pair), "ucb1", horizon=6, seed=3, most_copies=5).to_dict()
    assert found | {"seconds": 0} == expected | {"seconds": 0}
    assert (found["policy"], found["verdict"], found["method"]) == ("ucb1", "prone", "exact")
    for agent in found["agents"]:
        assert {"name", "verdict", "best_deviation"} <= set(agent)
        assert set(agent["best_deviation"]) == {"copies", "gain", "low", "high"}


def test_json_of_several_policies_is_a_list(run: Run, pair: Path) -> None:
    done = run("audit", pair, *HUCB, *UCB, *SMALL, "--json")
    found = strict(done.stdout)
    assert list(found) == ["audits"]
    assert [(one["policy"], one["verdict"]) for one in found["audits"]] == [
        ("h-ucb", "no-gain"),
        ("ucb1", "prone"),
    ]


def test_every_option_arrives(run: Run, pair: Path) -> None:
    done = run(
        *("audit", pair, *UCB, *PLAYED, "--json", "--agent", "ann", "--reference", "1, 1"),
        *("--deviation", "2,0", "--deviation", "0,3", "--tolerance", "0.5"),
        *("--confidence", "0.9", "--method", "sampling", "--workers", "1"),
    )
    assert (done.returncode, done.stderr) == (0, "")
    found = strict(done.stdout)
    options: dict[str, Any] = {"agent": "ann", "reference": (1, 1), "deviations": [(2, 0), (0, 3)]}
    expected = audit(
        read_market(pair),
        "ucb1",
        horizon=300,
        seed=3,
        budget=400_000,
        tolerance=0.5,
        confidence=0.9,
        method="sampling",
        **options,
    ).to_dict()
    assert found | {"seconds": 0} == expected | {"seconds": 0}
    (agent,) = found["agents"]
    assert (agent["reference"], agent["tolerance"]) == ([1, 1], 0.5)
    assert [one["copies"] for one in agent["copying"]] == [[2, 0], [0, 3]]


def test_tables_say_it_in_80_columns(run: Run, pair: Path) -> None:
    done = run("audit", pair, *UCB, *HUCB, *PLAYED)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0] == "2 agents of 2 audited; 300 rounds, seed 3"
    assert lines[1].startswith("reference: the best arm once; all gains")
    assert lines[1].endswith("95 %")
    found = audit(read_market(pair), "ucb1", horizon=300, seed=3, budget=400_000)
    assert lines[5].split()[:4] == ["ucb1", "prone", "sampling", f"{found.rounds:,}"]
    assert lines[6].split()[1] in ("no-gain", "undecided")
    assert "[red]bob[/]" in done.stdout
    assert sum(line.startswith("ann") for line in lines) == 6  # copying, costs, hiding; twice
    assert "h-ucb: what hiding or showing arms gains at best, without copies" in lines
    assert "not every attitude" in done.stdout


@pytest.mark.parametrize(
    ("budget", "hint"),
    [
        (
            "20000",
            "30 of 30 gains are undecided: with 2 games of each strategy, chance and what no",
        ),
        ("300", "a budget of 300 rounds is too small to play each of them twice"),
    ],
)
def test_undecided_is_said_with_a_hint(run: Run, budget: str, hint: str) -> None:
    done = run("audit", "paper:1a", *UCB, "--horizon", "300", "--budget", budget)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[5].split()[1] == "undecided"
    assert hint in " ".join(done.stdout.split())
    assert lines[-1].startswith("--budget ")
    assert int(lines[-1].split()[1]) > int(budget)
    assert "nan" not in done.stdout.replace("dominance", "")
    assert (
        strict(
            run("audit", "paper:1a", *UCB, "--horizon", "300", "--budget", budget, "--json").stdout
        )["verdict"]
        == "undecided"
    )


def test_files(run: Run, pair: Path, tmp_path: Path) -> None:
    plot, report = tmp_path / "gains.svg", tmp_path / "audit.html"
    done = run("audit", pair, *UCB, *HUCB, *SMALL, "--plot", plot, "--report", report)
    assert (done.returncode, done.stderr) == (0, "")
    assert {file.name for file in tmp_path.iterdir()} == {"gains.svg", "audit.html"}
    assert plot.read_bytes().startswith(b"<?xml")
    text = report.read_text(encoding="utf-8")
    command = "copyproof audit pair.toml --policy ucb1 --policy h-ucb --horizon 6 --seed 3"
    assert f"<code>{command} --most-copies 5</code>" in text
    assert str(pair.parent) not in text


def test_the_command_of_the_report_has_all_that_matters(
    run: Run, pair: Path, tmp_path: Path
) -> None:
    report = tmp_path / "audit.html"
    options = ("--agent", "ann", "--reference", "1,1", "--deviation", "2,0", "--deviation", "0,2")
    more = ("--tolerance", "0.5", "--confidence", "0.9", "--method", "exact", "--budget", "7")
    run("audit", pair, *UCB, "--horizon", "6", *options, *more, "--report", report)
    text = report.read_text(encoding="utf-8")
    (command,) = [line for line in text.splitlines() if line.startswith("<pre><code>")]
    for option, value in zip((*options, *more)[::2], (*options, *more)[1::2], strict=True):
        assert f" {option} {value}" in command
    assert "--most-copies" not in command


OPTIONS = {
    "unknown agent": (("--agent", "eve"), "'eve'"),
    "tolerance 0": (("--tolerance", "0"), "tolerance = 0.0 is not a number > 0"),
    "tolerance nan": (("--tolerance", "nan"), "tolerance = nan"),
    "tolerance text": (("--tolerance", "low"), "--tolerance"),
    "confidence 1": (("--confidence", "1"), "confidence = 1.0 is not in (0, 1)"),
    "reference word": (
        ("--reference", "bst"),
        "--reference = 'bst' is not best, honest, market, or copy counts such as 1,0,2",
    ),
    "reference negative": (("--reference", "1,-1"), "--reference = '1,-1'"),
    "reference too long": (("--reference", "1,0,2"), "reference: copies has 3 entries"),
    "reference empty-handed": (("--agent", "ann", "--reference", "0,0"), "registers something"),
    "deviation word": (("--deviation", "two"), "--deviation = 'two' is not copy counts"),
    "deviation empty": (("--deviation", ""), "--deviation = ''"),
    "deviation too short": (("--agent", "ann", "--deviation", "2"), "deviations[0] has 1 counts"),
    "deviation without copies": (("--agent", "ann", "--deviation", "1,1"), "none copies"),
    "most copies 1": (("--most-copies", "1"), "most_copies = 1"),
    "budget 0": (("--budget", "0"), "budget = 0"),
    "method": (("--method", "magic"), "method = 'magic' is not one of auto, exact"),
    "horizon 0": (("--horizon", "0"), "horizon = 0"),
    "unknown policy": (("--policy", "ucb2"), "policy = 'ucb2' is not known"),
    "missing file": (("--policy", "missing.py:name"), "missing.py"),
    "report into no folder": (
        ("--report", "missing/a.html"),
        "--report missing/a.html cannot be written",
    ),
    "report of another kind": (("--report", "a.pdf"), "--report a.pdf does not end in .html"),
    "plot of another kind": (("--plot", "a.gif"), "a.gif does not end in .png, .svg, .pdf"),
    "plot of nothing": (
        ("--agent", "ann", "--deviation", "2,1", "--plot", "a.png"),
        "--plot shows copies of the best arm alone",
    ),
    "exact where it cannot be": (
        ("--policy", "thompson", "--method", "exact"),
        "policy = 'thompson' cannot be exact",
    ),
}


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the program in this process, which is quicker."""

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        monkeypatch.setattr(sys, "argv", ["copyproof", *map(str, arguments)])
        status = main()
        out, err = capsys.readouterr()
        return subprocess.CompletedProcess(arguments, status, out, err)

    return run


@pytest.mark.parametrize("case", OPTIONS)
def test_bad_input(here: Run, pair: Path, case: str) -> None:
    options, expected = OPTIONS[case]
    check(here("audit", pair, *UCB, *SMALL, *options), expected)


def test_bad_input_in_a_process_of_its_own(run: Run, pair: Path) -> None:
    check(run("audit", pair, *UCB, *SMALL, "--tolerance", "0"), "tolerance = 0.0")


def test_what_is_needed(here: Run, pair: Path) -> None:
    check(here("audit", pair, *UCB), "--horizon")
    check(here("audit", pair, "--horizon", "6"), "--policy")
    check(here("audit", "missing.toml", *UCB, *SMALL), "missing.toml: cannot be read")


def test_the_market_is_not_overwritten(here: Run, tmp_path: Path) -> None:
    path = tmp_path / "market.html"
    path.write_text(AGENTS)
    check(here("audit", path, *UCB, *SMALL, "--report", path), "would overwrite the market file")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_ctrl_c(start: Start, tmp_path: Path) -> None:
    long = ("--horizon", str(10**8), "--budget", str(10**15))
    process = start("audit", "paper:1a", *UCB, *long, "--report", tmp_path / "a.html")
    wait_for_threads(process)
    said = interrupt(process)
    assert process.returncode == 130
    assert said == "interrupted\n"
    assert list(tmp_path.iterdir()) == []


def test_who_knows_only_a_prior_is_audited_over_the_draw(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "drawn.toml"
    file.write_text(
        'agents = [{ name = "ann", arms = [{ prior = { list = [0, 1] } }, '
        "{ prior = { list = [0, 1] } }] }]"
    )
    done = run("audit", file, *HUCB, "--horizon", "7", "--seed", "1", "--most-copies", "2")
    assert (done.returncode, done.stderr) == (0, "")
    assert "reference: every arm once where only a prior is known" in done.stdout
    assert "arm 1 × 2, others as before" in done.stdout
    assert "expectations over the draw" in " ".join(done.stdout.split())
    said = ("--deviation", "2,1", "--plot", tmp_path / "x.png")
    refused = run("audit", file, *HUCB, "--horizon", "7", *said)
    check(refused, "--plot shows copies of every arm alone, and no --deviation is of them")
