"""``copyproof bounds`` from end to end."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from copyproof import bounds, paper_market
from tests.cli.conftest import Run

ASK = ("--policy", "rh-ucb(L=3)", "--horizon", "100000")


def strict(text: str) -> dict[str, Any]:
    """The one JSON object of a text; NaN and its like are refused."""

    def refuse(word: str) -> None:
        raise ValueError(word)

    assert text.endswith("}\n")
    found: dict[str, Any] = json.loads(text, parse_constant=refuse)
    return found


def test_json_has_the_promised_fields(run: Run) -> None:
    done = run("bounds", "paper:2c", "--policy", "rh-ucb", "--horizon", "100000", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = strict(done.stdout)
    assert found["policy"] == "rh-ucb"
    assert found["resolved_policy"] == "rh-ucb(L=3)"
    for bound in found["bounds"]:
        assert {"theorem", "kind", "parameters", "value", "applies", "why"} <= set(bound)
        assert bound["kind"] in ("upper", "lower", "asymptotic")
        assert bound["of"] in ("regret", "probability", "lost games")
        assert bound["proven"] == (bound["theorem"] not in ("theorem 5", "theorem 6", "theorem 7"))
        assert type(bound["applies"]) is bool
        assert bound["value"] is None or type(bound["value"]) is float
    assert [sample["agent"] for sample in found["samples"]] == list(paper_market("2c").names)
    assert found["samples"][4]["miss"] == pytest.approx(0.16381, abs=1e-5)


def test_the_library_finds_the_same(run: Run) -> None:
    done = run("bounds", "paper:1a:100", "--policy", "h-ucb", "--horizon", "100000", "--json")
    found = strict(done.stdout)
    market = paper_market("1a", copies=100)
    assert found["bounds"] == [bound.to_dict() for bound in bounds(market, "h-ucb", 100_000)]
    first = found["bounds"][0]
    assert (first["theorem"], first["applies"], round(first["value"], 1)) == (
        "theorem 3",
        True,
        1923.1,
    )
    assert found["samples"] == []


@pytest.mark.parametrize("policy", ["h-ucb", "rh-ucb(L=22)", "prh-ucb", "ucb1"])
@pytest.mark.parametrize("market", ["paper:1a", "paper:2c"])
def test_table(run: Run, market: str, policy: str) -> None:
    done = run("bounds", market, "--policy", policy, "--horizon", "100000")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith(policy)
    shown = " ".join(line.split("  ")[0] for line in lines)
    for theorem in bounds(paper_market("1a"), "h-ucb", 10):
        assert theorem.theorem in shown


def test_table_shows_values_and_samples(run: Run, market: Path) -> None:
    done = run("bounds", "paper:1a", "--policy", "h-ucb", "--horizon", "100000")
    assert "≤ 1,923.1" in done.stdout
    assert "sample" not in done.stdout.splitlines()[-1]
    done = run("bounds", "paper:2c", *ASK)
    last = done.stdout.splitlines()[-1].split()
    assert last == ["0.9-agent", "210", "10", "34", "0.1638", "0.1904"]
    done = run("bounds", market, *ASK)
    assert "hidden" not in [line.split()[0] for line in done.stdout.splitlines() if line.strip()]


def test_what_a_promise_costs(run: Run) -> None:
    promise = ("--arms", "210", "--good", "10", "--lost", "0.01")
    done = run(
        "bounds", "paper:1a", "--policy", "default", "--horizon", "100000", *promise, "--json"
    )
    (found,) = (
        one for one in strict(done.stdout)["bounds"] if one["theorem"] == "theorem A′, truthful"
    )
    assert (found["kind"], found["applies"]) == ("lower", True)
    assert found["parameters"] == {"K": 210, "g": 10, "lost": 0.01}
    assert 75 < found["value"] < 76
    done = run("bounds", "paper:1a", *ASK, "--share", "0.25", "--lost", "0.1")
    assert "≥ 8.0" in done.stdout


def test_many_agents_are_cut(run: Run, tmp_path: Path) -> None:
    agents = [{"name": f"[red]{i}[/] :smile:", "arms": [{"mean": 0.5}]} for i in range(50)]
    path = tmp_path / "market.json"
    path.write_text(json.dumps({"agents": agents}))
    done = run("bounds", path, *ASK)
    assert "[red]19[/] :smile:" in done.stdout
    assert done.stdout.splitlines()[-1] == "30 more agents left out here; --json has all of them"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("paper:1a",), "--policy"),
        (("paper:1a", "--policy", "h-ucb"), "--horizon"),
        (("--policy", "h-ucb", "--horizon", "10"), "MARKET"),
        (("missing.toml", *ASK), "missing.toml: cannot be read: No such file or directory"),
        (("paper:3a", *ASK), "figure = '3a' is not one of"),
        (("paper:1a:ten", *ASK), "copies = 'ten'"),
        (("paper:1a", "--policy", "ucb2", "--horizon", "10"), "policy = 'ucb2' is not known"),
        (("paper:1a", "--policy", "rh-ucb(L=0)", "--horizon", "10"), "L = 0"),
        (("paper:1a", *ASK, "--policy", "h-ucb"), "--policy is given 2 times"),
        (("paper:1a", *ASK, "--horizon", "0"), "horizon = 0 is not a whole number from 1 to"),
        (("paper:1a", *ASK, "--horizon", "-5"), "horizon = -5"),
        (("paper:1a", *ASK, "--horizon", "1" + 200 * "0"), "horizon"),
        (("paper:1a", *ASK, "--horizon", "1" + 5000 * "0"), "horizon"),
        (("paper:1a", *ASK, "--horizon", "1.5"), "'1.5' is not a whole number"),
        (("paper:1a", *ASK, "--seed", "1"), "--seed"),
        (("paper:1a", *ASK, "--arms", "0"), "--arms = 0 is not a whole number from 1 to"),
        (
            ("paper:1a", *ASK, "--good", "2"),
            "--good = 2 is not from 1 to the number of arms, which is not given",
        ),
        (("paper:1a", *ASK, "--share", "1.0"), "--share = 1.0 is not a number between 0 and 1"),
        (("paper:1a", *ASK, "--lost", "1e-400"), "--lost = 0.0 is not a number between 0 and 1"),
        (("paper:1a", *ASK, "--plays", "-1"), "--plays = -1.0 is not a number >= 0"),
    ],
)
def test_bad_input(run: Run, arguments: tuple[str, ...], expected: str) -> None:
    done = run("bounds", *arguments)
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert expected in done.stderr
    assert done.returncode == 2


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_no_compiler_is_loaded(form: list[str]) -> None:
    arguments = ["copyproof", "bounds", "paper:2c", *ASK, *form]
    code = (
        "import sys\n"
        "from copyproof.cli import main\n"
        f"sys.argv = {arguments!r}\n"
        "assert main() == 0\n"
        "print('numba' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "False"
