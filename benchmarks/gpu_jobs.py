"""Jobs for a machine with a GPU, and without Numba: compiled here, measured there.

    .venv/bin/python benchmarks/gpu_jobs.py speed FOLDER        compile the jobs of the speed table
    .venv/bin/python benchmarks/gpu_jobs.py identity FOLDER     compile a job for each policy
    python benchmarks/gpu_run.py FOLDER RESULTS                 there: NumPy and CuPy are enough
    .venv/bin/python benchmarks/gpu_jobs.py check RESULTS       compare with the engine, here

A job of ``identity`` plays 1,000 random markets a thousand times each; ``check`` plays the same
games with the engine, as many as ``--games`` says, and lists every game that differs.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from copyproof import CATALOGUE, Agent, Bernoulli, Market, parse_policy
from copyproof.devices.batch import pack
from copyproof.devices.cuda_compile import compiled, usage
from copyproof.engine.lower import Lowered, lower
from copyproof.game import as_market
from copyproof.policy import with_market_defaults
from copyproof.simulation.threads import fill, new_record

# Name, policy, market, T, games: as many games as fill the chip several times over.
SPEED = (
    ("h-ucb-five", "h-ucb", "paper:1a", 10_000, 456_192),
    ("trial-five", "trial", "paper:1a", 10_000, 135_168),
    ("ucb1-104", "ucb1", "paper:1a:100", 10_000, 67_584),
    ("rh-ucb-2c", "rh-ucb(L=3)", "paper:2c", 100_000, 67_584),
    ("trial-2c", "trial", "paper:2c", 100_000, 16_896),
)
HORIZONS = (100, 200, 300, 500, 1000)
MARKETS = REPETITIONS = 1000


def save(folder: Path, name: str, games: list[Lowered], count: int, horizon: int) -> None:
    """Compile a job and write it."""
    each = count // len(games)  # games of a market stand together: neighbours do the same
    batch = pack(games, np.arange(count) // each, np.arange(count) % each, np.array([horizon]))
    ptx = compiled(batch.shape)
    print(f"{name}: {usage(ptx)}", flush=True)
    np.savez_compressed(folder / f"{name}.npz", ptx=np.frombuffer(ptx, np.uint8), **batch.arrays)


def random_market(rng: np.random.Generator) -> Market:
    """Two to five agents with up to three originals each, some of them copied."""
    agents = []
    for place in range(int(rng.integers(2, 6))):
        originals = int(rng.integers(1, 4))
        means = rng.integers(1, 20, originals) / 20
        copies = rng.choice([1, 1, 1, 2, 4], originals)
        arms = [Bernoulli(float(mean)) for mean in means]
        agents.append(Agent(f"a{place}", arms, copies=[int(one) for one in copies]))
    return Market(agents)


def row_games(row: int) -> tuple[str, list[Lowered], int]:
    """The games of one row of the catalogue: markets of its own, one policy for all of them."""
    name = CATALOGUE[row].name
    rng = np.random.default_rng(100 + row)
    horizon = HORIZONS[row % len(HORIZONS)]
    markets = [random_market(rng) for _ in range(MARKETS)]
    policy = parse_policy("fair(ucb1)" if name == "fair" else name)
    policy = with_market_defaults(policy, markets[0])
    return name, [lower(one, policy, horizon=horizon, seed=row) for one in markets], horizon


def check(folder: Path, games: int) -> None:
    """Compare what came back with the engine."""
    for row in range(len(CATALOGUE)):
        name, lowered, horizon = row_games(row)
        path = folder / f"{name}.npz"
        if not path.exists():
            print(f"{name}: no result")
            continue
        found = dict(np.load(path))
        each = max(1, games // MARKETS)
        differing = sum(_differing(one, horizon, found, m, each) for m, one in enumerate(lowered))
        print(f"{name}: {differing} of {each * MARKETS} games differ (T = {horizon})", flush=True)


def _differing(one: Lowered, horizon: int, found: dict[str, Any], m: int, each: int) -> int:
    record = new_record(one, 1, each, trace=False)
    fill(one, np.array([horizon]), record, workers=2)
    wrong = np.zeros(each, bool)
    for field in ("revenue", "agent_plays", "original_plays", "regret"):
        array = getattr(record, field)
        kept = len(found[field]) // MARKETS
        theirs = found[field][m * kept : m * kept + each, : array.shape[1]]
        wrong |= (theirs != array).any(axis=1)
    return int(wrong.sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("speed", "identity", "check"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--games", type=int, default=MARKETS * 10)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.what == "check":
        check(given.folder, given.games)
    elif given.what == "speed":
        for name, policy, market, horizon, games in SPEED:
            one = lower(as_market(market), parse_policy(policy), horizon=horizon, seed=1)
            save(given.folder, name, [one], games, horizon)
    else:
        for row in range(len(CATALOGUE)):
            name, lowered, horizon = row_games(row)
            save(given.folder, name, lowered, MARKETS * REPETITIONS, horizon)


if __name__ == "__main__":
    main()
