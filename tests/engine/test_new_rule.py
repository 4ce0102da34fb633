"""A new rule costs four files, and what is forgotten is an error when the engine is loaded.

The recipe, which this test follows on a copy of the sources:

1. ``policy/records.py``: a frozen record with its parameters, their checks and its ``traits`` (and
   its ``coin``, if it tosses one); a member of the union ``Rule``.
2. ``engine/rules.py``: a ``Kind``, and its branch in ``line`` (an index that is a line in x, so
   that tournaments take it) or in ``index`` (any other).
3. ``engine/lower.py``: a case that gives the kind and up to three parameters.
4. ``tests/reference.py``: the rule in plain Python, and policies that use it.

Then it has a text form, and is simulated, served, replayed, restricted to subsets and slates, and
computed exactly or refused; a named policy is a row of the catalogue.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

RECORD = '''
@dataclass(frozen=True, slots=True)
class Hopeful(BaseRule):
    """Largest r(a) + hope/n(a); unplayed ones first."""

    traits = Traits("hopeful", index="line", rewards="any", memory="sums", not_pathwise=None)
    hope: float = 1.0

    def __post_init__(self) -> None:
        check_number("hope", self.hope, "a number >= 0")


Rule: TypeAlias = ('''
BRANCH = """    if rule.kind == Kind.HOPEFUL:
        return mean + rule.parameters[0] / item.plays, 0.0
    if rule.kind == Kind.GREEDY:"""
CASE = """        case records.Hopeful(hope):
            return Kind.HOPEFUL, (hope,), 0
        case _:
            assert_never(rule)"""
REFERENCE = """
def hopeful(hope: float = 1.0) -> Rule:
    return lambda c, t, draws: best(c, lambda a: a.mean + hope / a.n, draws)


POLICIES |= {
    "flat(hopeful)": Flat(hopeful()),
    "hierarchical(hopeful(hope=2), hopeful, ties=priority)": Hierarchical(
        hopeful(2.0), hopeful(), priority=True
    ),
    "hierarchical(ucb, hopeful(hope=0.5))": Hierarchical(H, hopeful(0.5)),
}

# --- the game --------"""

EDITS = {
    "record": ("src/copyproof/policy/records.py", "\nRule: TypeAlias = (", RECORD),
    "union": (
        "src/copyproof/policy/records.py",
        "| SampledKLUCB\n)",
        "| SampledKLUCB | Hopeful\n)",
    ),
    "kind": (
        "src/copyproof/engine/rules.py",
        "    MOSS_ANYTIME = 14\n",
        "    MOSS_ANYTIME = 14\n    HOPEFUL = 15\n",
    ),
    "branch": ("src/copyproof/engine/rules.py", "    if rule.kind == Kind.GREEDY:", BRANCH),
    "case": (
        "src/copyproof/engine/lower.py",
        "        case _:\n            assert_never(rule)",
        CASE,
    ),
    "reference": ("tests/reference.py", "\n# --- the game --------", REFERENCE),
}

PLAY_ALL = """
import random
from fractions import Fraction

import numpy as np

from copyproof import Agent, Market
from copyproof.live import Principal
from copyproof.simulation.decisions import decisions_of_games
from tests.engine.test_selection import serve_alike
from tests.exact_values.test_against_enumeration import assert_equal
from tests.markets import random_market
from tests.reference import POLICIES, choices

policies = [text for text in POLICIES if "hopeful" in text]
assert len(policies) == 3
for policy in policies:
    for salt in range(4):
        market = random_market(random.Random(salt))
        expected = choices(market, policy, 400, salt, 0)
        for scan in (False, True):
            made = decisions_of_games(market, policy, horizon=400, seed=salt, scan=scan)[0]
            assert np.array_equal(made, expected), (policy, scan)
        served = serve_alike(policy, salt, steps=60)
        assert Principal(store=served.store).digest() == served.digest()
    small = Market([Agent("a", [0.5, 0.9], copies=[2, 1]), Agent("b", [0.25])])
    assert_equal(small, policy, 5, Fraction)
print("played")
"""


def copied(folder: Path, left_out: str | None = None) -> Path:
    """Copy sources and tests, with the new rule but for one edit."""
    for part in ("src", "tests", "client"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    for name, (file, before, after) in EDITS.items():
        if name != left_out:
            path = folder / file
            text = path.read_text()
            assert text.count(before) == 1, f"{name}: {before!r} in {file}"
            path.write_text(text.replace(before, after))
    return folder


def python(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {
        "PYTHONPATH": f"{folder / 'src'}:{folder / 'client/src'}:{folder}",
        "NUMBA_CACHE_DIR": str(folder / "cache"),
        "NUMBA_OPT": "0",  # compiled in half the time; decisions are the same
    }
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True
    )


@pytest.mark.slow  # compiles an engine
def test_a_rule_in_four_files_is_played_everywhere(tmp_path: Path) -> None:
    assert len({file for file, _, _ in EDITS.values()}) == 4
    done = python(copied(tmp_path), PLAY_ALL)
    assert done.stdout == "played\n", done.stderr[-3000:]


@pytest.mark.parametrize(
    ("left_out", "error"),
    [
        ("union", "ImportError: a kind of engine.rules belongs to no rule of policy.records"),
        ("kind", "AttributeError: HOPEFUL"),
        ("branch", "ImportError: each of UCB, KL_UCB, GREEDY, THOMPSON, UNIFORM, TRIAL, TRIAL_AR"),
        ("case", "AssertionError: Expected code to be unreachable, but got: Hopeful(hope=1.0)"),
    ],
)
def test_what_is_forgotten_fails_on_loading(tmp_path: Path, left_out: str, error: str) -> None:
    done = python(copied(tmp_path, left_out), "import copyproof.engine.lower")
    assert done.returncode != 0
    assert error in done.stderr


def test_traits_that_contradict_the_engine_fail_on_loading(tmp_path: Path) -> None:
    records = copied(tmp_path) / "src/copyproof/policy/records.py"
    text = records.read_text()
    assert text.count('"hopeful", index="line"') == 1
    records.write_text(text.replace('"hopeful", index="line"', '"hopeful", index="computed"'))
    done = python(tmp_path, "import copyproof.engine.lower")
    assert "ImportError: hopeful: " in done.stderr
