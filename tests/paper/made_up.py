"""Results that were never played: numbers are chosen so that claims are true or false at will."""

from collections.abc import Callable
from typing import Any

import numpy as np

from copyproof import Market, Result, parse_policy
from copyproof.paper import FIGURES, Settings, runs_of
from copyproof.paper.study import OURS, Run, RunKey
from copyproof.theory import sample_misses_best

SETTINGS = Settings(horizon=1000, repetitions=100, seed=3)
REPETITIONS = 100
Shape = Callable[[str, RunKey, Run], dict[str, Any]]


def result_of(
    run: Run,
    *,
    regret: float = 100.0,
    power: float = 0.5,
    revenue: float = 1000.0,
    spread: float = 0.01,
    missed: int = 0,
) -> Result:
    """A result whose regret ends at ``regret`` and grows like t^power, and so on.

    ``revenue`` is every agent's; ``missed`` repetitions never play the best original. The
    repetitions differ from their mean by ``spread``, evenly.
    """
    noise = 1 + spread * np.linspace(-1, 1, REPETITIONS)[:, np.newaxis]
    rounds = np.arange(1, 201) * run.horizon // 200
    agents = len(run.market.agents)
    originals = np.full((REPETITIONS, run.market.originals), 7)
    originals[:missed, _best_original(run.market)] = 0
    return Result(
        market=run.market,
        policy=parse_policy(run.policy),
        horizon=run.horizon,
        repetitions=REPETITIONS,
        seed=run.seed,
        rounds=rounds,
        regret_curves=noise * regret * (rounds / run.horizon) ** power,
        revenue=noise * np.full(agents, revenue),
        plays=np.full((REPETITIONS, agents), run.horizon // agents),
        original_plays=originals,
        seconds=1.0,
        versions={},
    )


def _best_original(market: Market) -> int:
    means = [arm.mean for agent in market.agents for arm in agent.arms]
    return int(np.argmax(means))


def as_the_paper_says(figure: str, key: RunKey, run: Run) -> dict[str, Any]:
    """Numbers under which every claim holds, those beyond the paper included."""
    policy = run.policy
    if figure in ("fig1a", "fig1b", "convexity"):
        copies = int(key[0])
        gain = {"ucb1": copies * 60.0, "s-ucb": copies**2 / 8.0}.get(policy, 0.0)
        if figure == "fig1b":
            return {"revenue": 80_000.0 + gain / 20}
        return {"revenue": 100.0 + gain, "regret": 100.0 + copies}
    if figure == "fig2c" or (figure in ("ablation", "markets") and key[0] == "2c"):
        shapes: dict[str, dict[str, Any]] = {
            "ucb1": {"regret": 5000.0, "power": 0.95},
            "s-ucb": {"regret": 2000.0, "power": 0.9},
            "fair(ucb1)": {"regret": 4500.0, "power": 1.0},
            "h-ucb": {"regret": 4000.0, "power": 0.97},
            "rh-ucb": {"regret": 1000.0, "power": 0.6},
            "prh-ucb": {"regret": 1500.0, "power": 0.7},
            "rh-ucb-all": {"regret": 3000.0, "power": 0.85},
            OURS: {"regret": 25.0, "power": 0.2},
        }
        return shapes[policy]
    if figure == "frontier":
        return {"regret": 50.0} if key[0] == "truthful" else {"regret": 90.0, "power": 1.0}
    if key[0] == "105,001 arms":
        power = 0.98 if policy == "rh-ucb-all" else 0.8
        return {"regret": 5000.0, "power": power}
    if figure in ("fig2a", "fig2b", "markets", "ablation", "growth"):
        shapes = {
            "ucb1": {"regret": 5000.0, "power": 0.99},
            "s-ucb": {"regret": 4000.0, "power": 0.98},
            "fair(ucb1)": {"regret": 3000.0, "power": 1.0},
            "h-ucb": {"regret": 100.0, "power": 0.2},
            "rh-ucb": {"regret": 1000.0, "power": 0.8},
            "prh-ucb": {"regret": 1200.0, "power": 0.9},
            "rh-ucb-all": {"regret": 1000.0, "power": 0.8},
            OURS: {"regret": 30.0, "power": 0.2},
        }
        return shapes[policy]
    return {"missed": round(100 * sample_misses_best(run.market, 4, int(key[0]), run.horizon))}


def made_up(shape: Shape = as_the_paper_says) -> dict[str, dict[RunKey, Result]]:
    """All figures, with numbers of one's own."""
    return {
        figure: {
            key: result_of(run, **shape(figure, key, run))
            for key, run in runs_of(figure, SETTINGS).items()
        }
        for figure in FIGURES
    }


def changed(where: Callable[[str, RunKey, Run], bool], **numbers: Any) -> Shape:
    """The paper's numbers, but others for some runs."""

    def shape(figure: str, key: RunKey, run: Run) -> dict[str, Any]:
        usual = as_the_paper_says(figure, key, run)
        return usual | numbers if where(figure, key, run) else usual

    return shape
