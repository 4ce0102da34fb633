"""The markets on which ``grace`` was chosen, and those that were held apart.

A *case* is a market with a horizon T and a number of games; its seed comes from its name. Kinds:

- ``rational``: every agent registers its best arm only, once (the profile that a replication-proof
  policy makes dominant);
- ``honest``: every agent registers all its originals, once each;
- ``replicators``: some agents copy.

``development()`` is the suite of the search. ``held_out()`` draws random markets from another
family of seeds; nothing was chosen by looking at them.
"""

import hashlib
import json
import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from copyproof import Agent, Market, paper_market
from copyproof.game import PAPER_FIGURES

BEST = (0.5, 0.6, 0.7, 0.8, 0.9)
"""The best means of the paper's five agents."""
DEVELOPMENT, HELD_OUT = 1, 2
"""Families of seeds of random markets."""
HELD_OUT_HORIZON = 30_000
MEANS = ("uniform", "low", "high", "near ties", "uneven agents")
COPIES = ("honest", "best arm", "all arms", "bad arms", "mixed", "single arms")


@dataclass(frozen=True)
class Case:
    """A market, how long it is played and how often."""

    name: str
    kind: str
    market: Market
    horizon: int
    repetitions: int

    @property
    def seed(self) -> int:
        """From the name, so that no case depends on which others there are."""
        return zlib.crc32(self.name.encode())

    @property
    def digest(self) -> str:
        """Of the market itself: results of another market of the same name are not taken."""
        arms = [[[arm.mean for arm in one.arms], one.copies] for one in self.market.agents]
        return hashlib.sha256(json.dumps(arms).encode()).hexdigest()[:12]


def agents(rows: list[tuple[list[float], list[int]]]) -> Market:
    """A market of Bernoulli arms from (means, copies) of its agents."""
    return Market([Agent(f"agent {k + 1}", m, copies=c) for k, (m, c) in enumerate(rows)])


def three_armed(copies: list[int]) -> Market:
    """The paper's five agents with arms (best, 0.2, 0.1) and the same copies each."""
    return agents([([best, 0.2, 0.1], copies) for best in BEST])


def spread(n: int, arms: list[float], copies: list[int]) -> Market:
    """A market of n agents with best means 0, 1/n, 2/n, ... and the same other arms each."""
    # 37 has no divisor in common with the n in use: the best agent is not the last one.
    return agents([([(37 * k % n) / n, *arms], copies) for k in range(n)])


def development() -> list[Case]:
    """The suite of the search, in a fixed order."""
    k = 1000
    found = [
        # Runs on figure 2c differ most: a variant may write the best agent off.
        Case(f"figure {name}", "replicators", _paper(name), 100 * k, 30 if name == "2c" else 3)
        for name in PAPER_FIGURES
    ]
    found += [
        Case("figure 2c, 10^4", "replicators", paper_market("2c"), 10 * k, 20),
        Case("figure 2c, 10^6", "replicators", paper_market("2c"), k * k, 1),
        Case("five agents", "rational", agents([([b], [1]) for b in BEST]), 100 * k, 5),
        Case("five agents, 10^4", "rational", agents([([b], [1]) for b in BEST]), 10 * k, 20),
        Case("five agents, 10^6", "rational", agents([([b], [1]) for b in BEST]), k * k, 1),
        Case("three arms each", "honest", three_armed([1, 1, 1]), 100 * k, 5),
        Case("three arms each, 10^4", "honest", three_armed([1, 1, 1]), 10 * k, 20),
        Case("three arms each, 10^6", "honest", three_armed([1, 1, 1]), k * k, 1),
        Case("near ties .50 .51 .52", "rational", _singles(0.50, 0.51, 0.52), 100 * k, 5),
        Case("near tie .895 .900", "rational", _singles(0.895, 0.9), 100 * k, 5),
        Case("two agents .6 .8", "rational", _singles(0.6, 0.8), 100 * k, 5),
        Case("two agents 0 .9", "rational", _singles(0.0, 0.9), 100 * k, 5),
        Case("nine of 0, one of .02", "rational", _singles(*[0.0] * 9, 0.02), 100 * k, 5),
        Case("200 agents", "rational", spread(200, [], [1]), 100 * k, 3),
        Case("200 agents, three arms", "honest", spread(200, [0.1, 0.05], [1, 1, 1]), 100 * k, 3),
        Case("200 agents, bad copies", "replicators", spread(200, [0.1], [2, 40]), 100 * k, 3),
        Case("200 agents, 10^4", "replicators", spread(200, [0.1], [1, 5]), 10 * k, 10),
        Case("50 agents, bad copies", "replicators", spread(50, [0.1], [1, 9]), 100 * k, 5),
        Case("1 good arm of 50 each", "replicators", _needles(49, [0.6, 0.7, 0.8]), 100 * k, 5),
        Case("1 good arm of 200", "replicators", _needles(199, []), 100 * k, 5),
        Case("everyone x 1000", "replicators", three_armed([k, k, k]), 100 * k, 5),
        Case("everyone x 100, low", "replicators", _low_rates(), 100 * k, 5),
    ]
    for number in range(16):
        drawn = random_market(np.random.default_rng([DEVELOPMENT, number]), most_agents=60)
        found.append(Case(f"random {number}", _kind(drawn), drawn, 30 * k, 4))
        found.append(Case(f"random {number}, best arms", "rational", drawn.truthful(), 30 * k, 4))
    for number in range(16, 22):
        drawn = random_market(np.random.default_rng([DEVELOPMENT, number]), most_agents=200)
        found.append(Case(f"random {number}", _kind(drawn), drawn, 10 * k, 10))
    return found


def held_out(count: int = 240) -> list[Case]:
    """Random markets that were never used while choosing: 2 to 60 agents, 1 to 20 arms each."""
    found = []
    for number in range(count):
        drawn = random_market(np.random.default_rng([HELD_OUT, number]), most_agents=60)
        name = f"held out {number}"
        found.append(Case(name, _kind(drawn), drawn, HELD_OUT_HORIZON, 10))
    return found


def random_market(rng: np.random.Generator, *, most_agents: int) -> Market:
    """A market whose size, means and copies are of a random kind each."""
    n = round(math.exp(rng.uniform(math.log(2), math.log(most_agents))))
    means_of = _MEANS[rng.choice(MEANS)]
    kind = str(rng.choice(COPIES))
    rows = []
    for _ in range(n):
        most = 1 if kind == "single arms" else 20 if rng.random() < 0.6 else 4
        means = np.sort(means_of(rng, int(rng.integers(1, most + 1))))[::-1]
        strategy = str(rng.choice(COPIES[:4])) if kind == "mixed" else kind
        copies = _STRATEGIES[strategy](rng, len(means))
        rows.append(([round(float(m), 4) for m in np.clip(means, 0.001, 0.999)], copies))
    return agents(rows)


# --- how means and copies are drawn; the first arm of an agent is its best -------------------

_Draw = Callable[[np.random.Generator, int], np.ndarray]
_MEANS: dict[str, _Draw] = {
    "uniform": lambda rng, arms: rng.random(arms),
    "low": lambda rng, arms: rng.beta(1, 12, arms),
    "high": lambda rng, arms: rng.beta(6, 2, arms),
    "near ties": lambda rng, arms: 0.5 + 0.1 * rng.random(arms),
    "uneven agents": lambda rng, arms: rng.random() * rng.random(arms),
}


def _copies(
    best: list[int], others: list[int], rng: np.random.Generator, arms: int, *, same: bool = False
) -> list[int]:
    first = int(rng.choice(best))
    return [first] + [first if same else int(rng.choice(others))] * (arms - 1)


_STRATEGIES: dict[str, Callable[[np.random.Generator, int], list[int]]] = {
    "honest": partial(_copies, [1], [1]),
    "best arm": partial(_copies, [1, 1, 10, 300], [0]),
    "all arms": partial(_copies, [2, 10, 100], [1], same=True),
    "bad arms": partial(_copies, [1, 2, 10], [5, 20, 100]),
    "single arms": partial(_copies, [1, 1, 100], [0]),
}


def _kind(market: Market) -> str:
    if market.profile == market.truthful().profile:
        return "rational"
    return "honest" if market.profile == market.honest().profile else "replicators"


def _paper(figure: str) -> Market:
    return paper_market(figure, copies=500) if figure in ("1a", "1b") else paper_market(figure)


def _singles(*means: float) -> Market:
    return agents([([mean], [1]) for mean in means])


def _needles(bad: int, others: list[float]) -> Market:
    """One good arm among bad ones in the best agent, and in the others that are given."""
    plain = [([b], [1]) for b in BEST[:4]] if not others else []
    return agents([*plain, *[([b, 0.1], [1, bad]) for b in (*others, 0.9)]])


def _low_rates() -> Market:
    return agents([([0.01 + 0.002 * k, 0.005], [20, 100]) for k in range(20)])
