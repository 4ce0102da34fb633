"""The page's own engine makes the engine's decisions, every one of them, and has its tables."""

import json
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from copyproof import Agent, Market, Renew, Schedule, simulate
from copyproof.engine import numerics_tables, trial, trial_search
from copyproof.policy import own_rules
from copyproof.simulation.decisions import decisions
from tests.markets import random_market
from tests.programs import not_there

PAGE = Path(__file__).parents[2] / "src" / "copyproof" / "lab" / "page"
RUNNER = Path(__file__).parent / "decisions.mjs"
ROUNDS = 10_000
MARKETS = 50


@pytest.fixture(scope="module")
def node() -> str:
    found = shutil.which("node")
    if found is None:
        not_there("node is not there (Debian: apt install nodejs), so the page's engine is not")
    return found


def asked(market: Market, policy: str, seed: int, renewals: Any = (), horizon: int = ROUNDS) -> str:
    """A game as the page is told of it."""
    return json.dumps(
        {
            "agents": [
                {"means": [arm.mean for arm in agent.arms], "copies": list(agent.copies)}
                for agent in market.agents
            ],
            "policy": policy,
            "horizon": horizon,
            "seed": seed,
            "renewals": {
                market.names.index(one.agent): {
                    key: value
                    for key, value in (("after", one.after), ("below", one.below))
                    if value is not None
                }
                for one in renewals
            },
        }
    )


def played(node: str, games: list[str], agents: list[int]) -> list[tuple[Any, float, Any, Any]]:
    """Decisions, regret, plays and revenue of each game, by the page's engine."""
    done = subprocess.run(
        [node, RUNNER, PAGE / "game.js"], input="\n".join(games).encode(), capture_output=True
    )
    assert done.returncode == 0, done.stderr.decode()
    found, place = [], 0
    for game, n in zip(games, agents, strict=True):
        rounds = json.loads(game)["horizon"]
        choices = np.frombuffer(done.stdout, np.int32, rounds, place)
        sums = np.frombuffer(done.stdout[place + 4 * rounds :], np.float64, 1 + 2 * n)
        found.append((choices, float(sums[0]), sums[1 : 1 + n], sums[1 + n :]))
        place += 4 * rounds + 8 * (1 + 2 * n)
    assert place == len(done.stdout)
    return found


@pytest.mark.parametrize("policy", ["ucb1", "s-ucb", "h-ucb", "rh-ucb", "trial"])
def test_ten_thousand_rounds_of_fifty_markets(node: str, policy: str) -> None:
    """Half of them with an agent who submits its arms again as new."""
    rng = random.Random(policy)
    games, markets, seeds, schedules = [], [], [], []
    for number in range(MARKETS):
        market, seed = random_market(rng), rng.randrange(2**53)
        renewals = []
        if number % 2:
            name = rng.choice([one.name for one in market.agents])
            ways: list[dict[str, Any]] = [{"after": rng.choice([1, 10, 50])}, {"below": 1.0}]
            renewals = [Renew(name, **rng.choice(ways))]
        games.append(asked(market, policy, seed, renewals))
        markets.append(market)
        seeds.append(seed)
        schedules.append(Schedule(renewals=renewals))
    found = played(node, games, [len(market.agents) for market in markets])
    varied = 0
    for market, seed, schedule, ours in zip(markets, seeds, schedules, found, strict=True):
        how: dict[str, Any] = {"horizon": ROUNDS, "seed": seed, "schedule": schedule}
        theirs = decisions(market, policy, **how)
        different = np.flatnonzero(theirs != ours[0])
        assert len(different) == 0, f"{market!r}, seed {seed}: round {different[0] + 1}"
        result = simulate(market, policy, repetitions=1, **how)
        assert ours[1] == result.regret.mean
        assert ours[2].tolist() == result.plays[0].tolist()
        assert ours[3].tolist() == result.revenue[0].tolist()
        varied += len(np.unique(theirs)) > 1
    assert varied > MARKETS / 2


@pytest.mark.parametrize(
    "policy", ["s-ucb(l=2)", "rh-ucb(L=0.5)", "trial(c=0.3, lost=0.05)", "trial(c=0.5, lost=0.1)"]
)
def test_parameters_and_short_games(node: str, policy: str) -> None:
    rng = random.Random(3)
    markets = [random_market(rng) for _ in range(30)]
    horizons = [rng.choice([1, 2, 5, 50, 700]) for _ in markets]
    games = [
        asked(market, policy, 5, horizon=horizon)
        for market, horizon in zip(markets, horizons, strict=True)
    ]
    found = played(node, games, [len(market.agents) for market in markets])
    for market, horizon, ours in zip(markets, horizons, found, strict=True):
        assert ours[0].tolist() == decisions(market, policy, horizon=horizon, seed=5).tolist()


@pytest.mark.parametrize("policy", ["ucb1", "s-ucb", "h-ucb", "rh-ucb", "trial"])
def test_the_largest_market_of_the_page(node: str, policy: str) -> None:
    """Five hundred copies, and four robots with a hundred each, for all rounds of a game."""
    crowd = Market([Agent("you", [0.5, 0.3], [500, 100]), Agent("a", [0.9]), Agent("b", [0.8])])
    robots = Market([Agent(str(mean), [mean], [100]) for mean in (0.6, 0.7, 0.8, 0.9)])
    for market in (crowd, robots):
        [ours] = played(node, [asked(market, policy, 7, horizon=20_000)], [len(market.agents)])
        assert np.array_equal(ours[0], decisions(market, policy, horizon=20_000, seed=7))


def test_tables_are_the_engines(node: str) -> None:
    """To the last bit: the page makes them of whole numbers, as the engine does."""
    program = (
        f"const t = await import({json.dumps((PAGE / 'tables.js').as_uri())});"
        "const said = {};"
        "for (const [name, value] of Object.entries(t))"
        " said[name] = typeof value === 'number' ? [value] : [...value];"
        "console.log(JSON.stringify(said));"
    )
    done = subprocess.run(
        [node, "--input-type=module", "-e", program], capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)
    tables = numerics_tables
    expected = {
        "EXPONENTIAL": tables.EXPONENTIAL.ravel(),
        "LOGARITHM": tables.LOGARITHM.ravel(),
        "TILTS": tables.TILTS.ravel(),
        "START_PLAYS": trial._PLAYS,
        "CLAIM": trial._CLAIM,
        "CLAIM_POWER": trial._POWER,
        **{
            name: np.array([getattr(tables, name)])
            for name in (
                *("LN_2_HIGH", "LN_2_LOW", "STEP_HIGH", "STEP_MIDDLE", "STEP_LOW"),
                *("STEPS_PER_UNIT", "LEAST_TILT", "TILTS_PER_OCTAVE"),
            )
        },
        "LAST_TILT": np.array([len(tables.TILTS) - 1]),
        "STARTS": np.array([len(trial._PLAYS)]),
        "CLAIM_STEPS": np.array([trial._STEPS]),
        "LAST_CLAIM": np.array([trial._LAST]),
    }
    assert set(found) == set(expected)
    for name, values in expected.items():
        assert found[name] == values.tolist(), name


def test_constants_are_the_engines() -> None:
    text = (PAGE / "trial.js").read_text(encoding="utf-8")
    written = dict(re.findall(r"^const ([A-Z_]+) = ([\d.]+);", text, re.M))
    expected = {
        "SHARE": own_rules.SHARE,
        "GATE": own_rules.GATE,
        "TURNS": own_rules.TURNS,
        "SPARE": own_rules.SPARE,
        "NEAR": trial_search._NEAR,
        "WIDER": trial._WIDER,
        "CREDIT": trial._CREDIT,
        "MOST_CREDIT": trial._MOST_CREDIT,
        "TURN_SHARE": trial.TURN_SHARE,
        "SELDOM": trial_search._SELDOM,
        "IN_A_ROW": trial_search._IN_A_ROW,
    }
    assert {name: float(value) for name, value in written.items()} == expected


def test_philox_has_the_published_numbers(node: str) -> None:
    """The known answers of Salmon and others' Random123 (kat_vectors)."""
    program = (
        f"const {{ philox }} = await import({json.dumps((PAGE / 'streams.js').as_uri())});"
        "const f = 0xffffffff;"
        "console.log(JSON.stringify([[...philox(0, 0, 0, 0, 0, 0)], [...philox(f, f, f, f, f, f)],"
        "[...philox(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0)]]));"
    )
    done = subprocess.run(
        [node, "--input-type=module", "-e", program], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == [
        [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8],
        [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD],
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ]
