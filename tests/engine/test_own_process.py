"""One agent's own process: the ensemble against enumeration, and against walkers on their own.

Statistical tests allow 4.5 standard errors: a false alarm of less than 1 in 100,000.
"""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from copyproof import Agent, Market, parse_policy
from copyproof.engine.own_process import BINS, LOST, PLAYS, SAFE, UNDECIDED
from copyproof.rare_events.ensembles import OwnProcess, play_runs
from copyproof.rare_events.lost import own_process

FAR = 4.5  # standard errors
TWO = Market([Agent("A", [0.9, 0.2]), Agent("B", [0.7])])
MANY = Market([Agent("A", [0.9, 0.2], copies=[3, 60]), Agent("B", [0.7])])


def lost_in_all(plays: int, rival: float, mean: float, a: float, horizon: int = 0) -> float:
    """P(S/N + √(a ln T / N) < V for an N ≤ plays) of independent rewards of one mean, added up.

    T is ``plays`` if not given.
    """
    log = math.log(horizon or plays)
    alive = {0: 1.0}
    lost = 0.0
    for n in range(1, plays + 1):
        after: dict[int, float] = {}
        for total, chance in alive.items():
            for reward, part in ((1, mean), (0, 1 - mean)):
                new, weight = total + reward, chance * part
                if new / n + math.sqrt(a * log) / math.sqrt(n) < rival:
                    lost += weight
                else:
                    after[new] = after.get(new, 0.0) + weight
        alive = after
    return lost


def asked(
    market: Market,
    policy: str,
    rival: float,
    horizon: int,
    *,
    most: int | None = None,
    walkers: int = 8,
    bins: int = BINS,
) -> OwnProcess:
    record = parse_policy(policy)
    found = own_process(market, 0, record, rival, horizon=horizon, seed=3, most=most or horizon)
    return OwnProcess(found.lowered, found.question._replace(walkers=walkers, bins=bins))


def runs(process: OwnProcess, count: int) -> NDArray[np.float64]:
    return play_runs(process, 0, count, workers=2)[0]


def assert_mean(values: NDArray[np.float64], expected: float, relative: float) -> None:
    """The mean is the expected one, and known well enough for that to say something."""
    stderr = float(values.std(ddof=1)) / math.sqrt(len(values))
    assert stderr < relative * expected
    assert abs(float(values.mean()) - expected) < FAR * stderr


@pytest.mark.parametrize(
    ("horizon", "a", "expected"), [(60, 2, 6.17e-4), (60, 2.8, 6.72e-6), (10**18, 0.2, 6.06e-4)]
)
def test_the_mean_is_the_exact_probability(horizon: int, a: float, expected: float) -> None:
    # Any of two arms, each with probability 1/2: rewards of mean 0.55, whatever came before.
    policy = f"hierarchical(ucb(a={a}, clock=horizon), uniform, ties=priority)"
    exact = lost_in_all(60, 0.7, 0.55, a, horizon)
    assert exact == pytest.approx(expected, rel=0.01)
    found = runs(asked(TWO, policy, 0.7, horizon, most=60), 1000)
    assert_mean(found[:, LOST], exact, relative=0.12)


def test_a_sample_without_a_good_arm_is_split_off() -> None:
    # 30 of 63 arms: none of the three good ones with probability 0.137, then lost for sure.
    policy = "hierarchical(ucb(clock=horizon), uniform, sample=fixed(factor=6.7), ties=priority)"
    process = asked(MANY, policy, 0.7, 90)
    size, arms, good = 30, 63, 3
    chances = [
        math.comb(good, hit) * math.comb(arms - good, size - hit) / math.comb(arms, size)
        for hit in range(good + 1)
    ]
    assert process.question.no_good == pytest.approx(chances[0])
    exact = sum(
        chance * lost_in_all(90, 0.7, (0.9 * hit + 0.2 * (size - hit)) / size, 2)
        for hit, chance in enumerate(chances)
    )
    assert_mean(runs(process, 300)[:, LOST], exact, relative=0.02)


@pytest.mark.parametrize("policy", ["trial(c=0.2)", "rh-ucb-t-free(L=3)"])
def test_ensembles_and_walkers_on_their_own_agree(policy: str) -> None:
    market = Market([Agent("A", [0.9, 0.2], copies=[2, 30]), Agent("B", [0.8])])
    alone = runs(asked(market, policy, 0.8, 2000, walkers=1, bins=1), 700)
    assert set(alone[:, LOST]) <= {0.0, 1.0}
    together = runs(asked(market, policy, 0.8, 2000), 30)
    difference = float(alone[:, LOST].mean() - together[:, LOST].mean())
    errors = [
        float(found[:, LOST].std(ddof=1)) / math.sqrt(len(found)) for found in (alone, together)
    ]
    assert abs(difference) < FAR * math.hypot(*errors)


def test_no_weight_is_lost_or_made() -> None:
    found = runs(asked(MANY, "trial", 0.7, 10_000), 20)
    weights = found[:, [LOST, SAFE, UNDECIDED]]
    assert np.allclose(weights.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    assert (weights >= 0).all()
    assert (found[:, PLAYS] > 0).all()


def test_runs_are_functions_of_their_numbers() -> None:
    process = asked(MANY, "trial", 0.7, 1000)
    whole = play_runs(process, 0, 6, workers=2)[0]
    later = play_runs(process, 4, 2, workers=1)[0]
    assert (whole[4:] == later).all()
    assert len({*whole[:, PLAYS]}) == 6
