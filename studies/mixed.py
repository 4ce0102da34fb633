"""Mixed markets: rational agents (best arm only) beside agents that copy, in families.

The model of the paper's theorem 5 is mixed, and so is every market in which not all agents have
understood the game. Here the best agent may be a replicator whose good arms are a share c of what
it registers, between 1/3 and 1/200, and whoever overlooks them loses the game for good
(``copyproof.simulation.lost``). Drawn at random, from seeds that the development part and the
held-out part do not share:

- ``replicator``: the best agent copies, all others are rational;
- ``any others``: the best agent copies; of the others some are rational, some have three honest
  arms, some copy;
- ``subsets``: one market of 2 to 4 agents who all could copy, once for *each* subset of them being
  rational instead;
- ``three arms``: the best agent has three honest arms, the others one or three;
- ``rational best``: the best agent is rational, all others copy or have three arms;
- ``low rates``: as ``any others``, with means of a few per cent;
- ``many agents``: as ``any others``, with 20 to 50 agents;
- ``long``: as ``any others``, T = 10⁶ or 10⁷;
- ``small shares``: as ``any others``, c = 1/50, 1/100 or 1/200;
- ``hardly decided``: as ``any others``, without a condition on horizon and gap.

All but the last two *can be decided at all* and have c ≥ 1/21 (``decidable``): every agent can have
10 ln(100)/c plays in T/n rounds, and the rival at a gap Δ can be told, TΔ² ≥ 10 ln T. Gaps are
drawn evenly on a logarithmic scale from there up to 0.8 of the best mean, the means of bad arms
evenly between 0 and the best rival's.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from copyproof import Market
from copyproof.simulation import gap_to_rivals
from copyproof.theory.quantities import best_agents, share_of_best
from markets import Case, agents

DEVELOPMENT, HELD_OUT = 3, 6  # 4 and 5 were held-out parts until a choice had looked at them
"""Families of seeds, apart from those of ``markets``."""
SMALLEST_SHARE = 1 / 21
ROUNDS = 4_000_000
"""About as many rounds as a case has in all, between 4 and 100 games."""
Row = tuple[list[float], list[int]]


@dataclass(frozen=True)
class Ranges:
    """From what a family's markets are drawn."""

    agents: tuple[int, int] = (2, 50)
    horizons: tuple[int, ...] = (1_000, 3_000, 10_000, 30_000, 100_000)
    shares: tuple[int, ...] = (3, 5, 8, 12, 21)
    means: tuple[tuple[float, float], ...] = ((0.6, 0.98), (0.6, 0.98), (0.2, 0.6), (0.02, 0.2))
    decided: bool = True


def share(market: Market) -> float:
    """c: the largest share of good arms among the best agents."""
    return max(float(share_of_best(agent)) for agent in best_agents(market))


def decidable(case: Case) -> bool:
    """Whether a game can be decided at all: T/n ≥ 10 ln(100)/c and TΔ² ≥ 10 ln T."""
    market, horizon = case.market, case.horizon
    return can_be_decided(len(market.agents), horizon, share(market), gap_to_rivals(market))


def can_be_decided(agents: int, horizon: int, share: float, gap: float) -> bool:
    """The same, of numbers."""
    long_enough = horizon / agents >= 10 * math.log(100) / share
    return long_enough and horizon * gap**2 >= 10 * math.log(horizon)


def judged(case: Case) -> bool:
    """Whether the targets speak of a case: it can be decided, and c ≥ 1/21."""
    return decidable(case) and share(case.market) >= SMALLEST_SHARE - 1e-12


def development_mixed() -> list[Case]:
    """Mixed markets for the choice of parameters."""
    return _cases("mixed", DEVELOPMENT)


def held_out_mixed() -> list[Case]:
    """Mixed markets of the same families that no choice has seen."""
    return _cases("held-out mixed", HELD_OUT)


def _cases(prefix: str, seed: int) -> list[Case]:
    found = []
    for place, (family, (count, ranges, draw)) in enumerate(_FAMILIES.items()):
        for number in range(count):
            rng = np.random.default_rng([seed, place, number])
            for which, (market, horizon) in enumerate(draw(rng, ranges)):
                games = min(100, max(4, ROUNDS // horizon))
                name = f"{prefix}: {family} {number}" + (f".{which}" if family == "subsets" else "")
                found.append(Case(name, family, market, horizon, games))
    return found


Drawn = list[tuple[Market, int]]


@dataclass(frozen=True)
class _Frame:
    """What is drawn of every market: its size, and what the best agent and its rivals have."""

    n: int
    horizon: int
    one_in: int
    best: float
    second: float


def _frame(rng: np.random.Generator, ranges: Ranges) -> _Frame:
    """Draw until the market can be decided, where that is asked for."""
    while True:
        n = round(math.exp(rng.uniform(*np.log(ranges.agents))))
        horizon, one_in = int(rng.choice(ranges.horizons)), int(rng.choice(ranges.shares))
        best = float(rng.uniform(*ranges.means[rng.integers(len(ranges.means))]))
        least = math.sqrt(10 * math.log(horizon) / horizon) if ranges.decided else 0.02 * best
        if least >= 0.8 * best:
            continue
        gap = math.exp(rng.uniform(math.log(least), math.log(0.8 * best)))
        rounded = round(best, 4), round(best - gap, 4)
        if ranges.decided and not can_be_decided(n, horizon, 1 / one_in, rounded[0] - rounded[1]):
            continue
        return _Frame(n, horizon, one_in, *rounded)


def _copier(rng: np.random.Generator, best: float, below: float, one_in: int) -> Row:
    """An agent with one good arm in ``one_in``; its one or two bad arms are below a mean."""
    good = int(rng.choice([1, 3, 10, 40]))
    bad = good * (one_in - 1)
    if bad == 1 or rng.random() < 0.5:
        return [best, _below(rng, below)], [good, bad]
    return [best, _below(rng, below), _below(rng, below)], [good, bad // 2, bad - bad // 2]


def _below(rng: np.random.Generator, mean: float) -> float:
    return round(float(mean * rng.random()), 4)


def _three(rng: np.random.Generator, best: float, below: float) -> Row:
    return [best, _below(rng, below), _below(rng, below)], [1, 1, 1]


def _rational(best: float) -> Row:
    return [best], [1]


def _others(rng: np.random.Generator, frame: _Frame, kinds: tuple[str, ...]) -> list[Row]:
    """All but the best agent, the best of them first; kinds are equally likely."""
    rows = []
    for place in range(frame.n - 1):
        mean = frame.second * (1 if place == 0 else float(rng.uniform(0.3, 1)))
        mean = round(mean, 4)
        match str(rng.choice(kinds)):
            case "rational":
                rows.append(_rational(mean))
            case "three":
                rows.append(_three(rng, mean, mean))
            case _:
                rows.append(_copier(rng, mean, mean, int(rng.choice([3, 8, 21]))))
    return rows


def _shuffled(rng: np.random.Generator, rows: list[Row]) -> Market:
    return agents([rows[place] for place in rng.permutation(len(rows))])


def _draw(
    rng: np.random.Generator, ranges: Ranges, *, best: str = "copies", others: tuple[str, ...]
) -> Drawn:
    frame = _frame(rng, ranges)
    match best:
        case "copies":
            first = _copier(rng, frame.best, frame.second, frame.one_in)
        case "three":
            first = _three(rng, frame.best, frame.second)
        case _:
            first = _rational(frame.best)
    rows = [first, *_others(rng, frame, others)]
    return [(_shuffled(rng, rows), frame.horizon)]


def _subsets(rng: np.random.Generator, ranges: Ranges) -> Drawn:
    """One market for each subset of rational agents; the number's bits say who is rational."""
    frame = _frame(rng, ranges)
    copiers = [_copier(rng, frame.best, frame.second, frame.one_in)]
    copiers += _others(rng, frame, ("copies",))
    order = rng.permutation(frame.n)
    found = []
    for subset in range(2**frame.n):
        rows = [
            _rational(row[0][0]) if subset >> place & 1 else row
            for place, row in enumerate(copiers)
        ]
        found.append((agents([rows[place] for place in order]), frame.horizon))
    return found


_ANY = ("rational", "rational", "three", "copies")
_Family = tuple[int, Ranges, Callable[[np.random.Generator, Ranges], Drawn]]
_FAMILIES: dict[str, _Family] = {
    "replicator": (24, Ranges(), partial(_draw, others=("rational",))),
    "any others": (24, Ranges(), partial(_draw, others=_ANY)),
    "subsets": (4, Ranges(agents=(2, 4), horizons=(10_000, 100_000)), _subsets),
    "three arms": (
        12,
        Ranges(shares=(3,)),
        partial(_draw, best="three", others=("rational", "three")),
    ),
    "rational best": (
        12,
        Ranges(shares=(1,)),
        partial(_draw, best="rational", others=("three", "copies")),
    ),
    "low rates": (12, Ranges(means=((0.01, 0.08),)), partial(_draw, others=_ANY)),
    "many agents": (8, Ranges(agents=(20, 50)), partial(_draw, others=_ANY)),
    "long": (
        6,
        Ranges(horizons=(1_000_000, 1_000_000, 10_000_000)),
        partial(_draw, others=_ANY),
    ),
    "small shares": (12, Ranges(shares=(50, 100, 200)), partial(_draw, others=_ANY)),
    "hardly decided": (12, Ranges(decided=False), partial(_draw, others=_ANY)),
}
"""How many markets of each family, from what ranges, and how they are drawn."""
