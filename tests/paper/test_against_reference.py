"""Every figure's numbers, at a smaller T, against the slow reference with luck of its own."""

from typing import Any

import numpy as np
import pytest
from _pytest.mark import ParameterSet
from numpy.typing import NDArray

from copyproof.paper import Settings, play, runs_of
from copyproof.paper.study import COPIES, SAMPLE_FACTORS, Run, RunKey
from tests.own_reference import OWN_POLICIES, own_choices
from tests.reference import choices, rh_ucb

SMALL = Settings(horizon=150, repetitions=400, seed=1)
SLOW_GAMES = 20
MANY_ARMS = 2000
SLOW = {"fair(ucb1)": "fair"} | {f"rh-ucb(L={L})": rh_ucb(L) for L in SAMPLE_FACTORS}
"""Policies that the reference knows by another name."""


def slow_plays(run: Run) -> NDArray[Any]:
    """Plays of every original in games of the slow reference: a row per game."""
    market = run.market
    counts = [c for agent in market.agents for c in agent.copies]
    original = np.repeat(np.arange(market.originals), counts)
    policy = SLOW.get(run.policy, run.policy)
    rows = []
    for game in range(SLOW_GAMES):
        if run.policy in OWN_POLICIES:
            made = own_choices(market, OWN_POLICIES[run.policy], run.horizon, 999, game)
        else:
            made = choices(market, policy, run.horizon, seed=999, repetition=game)
        rows.append(np.bincount(original[made], minlength=market.originals))
    return np.array(rows)


def compare(run: Run) -> None:
    """Mean regret, and mean plays of every agent, within four standard errors."""
    fast = play(run)
    slow = slow_plays(run)
    means = np.array([arm.mean for agent in run.market.agents for arm in agent.arms])
    pairs: list[tuple[NDArray[Any], NDArray[Any]]]
    pairs = [(fast.regret_curves[:, -1], slow @ (run.market.best_mean - means))]
    agents = run.market.agents
    owner = np.repeat(np.arange(len(agents)), [len(agent.arms) for agent in agents])
    for agent in range(len(agents)):
        pairs.append((fast.plays[:, agent], slow[:, owner == agent].sum(axis=1)))
    for ours, theirs in pairs:
        error = np.sqrt(ours.var(ddof=1) / len(ours) + theirs.var(ddof=1) / len(theirs))
        assert abs(ours.mean() - theirs.mean()) <= 4 * error + 1e-9


def points(figure: str) -> list[ParameterSet]:
    """The runs of a figure, at few numbers of copies and one horizon where it has many.

    A market of 105,001 arms is too much for the slow reference. Of those of thousands of arms only
    the runs of one policy are not marked slow.
    """
    keys = {key: run for key, run in runs_of(figure, SMALL).items() if run.market.registered < 1e5}
    chosen = [key for key in keys if figure[:4] != "fig1" or key[0] in (COPIES[0], COPIES[1])]
    if figure == "growth":
        chosen = [key for key in keys if key[2] == SMALL.horizon]
    many = {key for key in chosen if keys[key].market.registered > MANY_ARMS}
    slow = {key for key in many if keys[key].policy not in ("h-ucb", "rh-ucb(L=1)")}
    return [
        pytest.param(figure, key, marks=pytest.mark.slow if key in slow else ()) for key in chosen
    ]


@pytest.mark.parametrize(
    ("figure", "key"),
    points("fig1a") + points("fig1b") + points("fig2a") + points("fig2b") + points("fig2c")
    + points("markets") + points("ablation") + points("samples") + points("growth"),
)  # fmt: skip
def test_numbers_are_those_of_the_slow_reference(figure: str, key: RunKey) -> None:
    compare(runs_of(figure, SMALL)[key])
