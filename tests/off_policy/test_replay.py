"""Replay: the same mean as games that are played, and refusals where decisions were not uniform."""

import math

import numpy as np
import pytest

from copyproof import Agent, ExternalPolicy, Market, function_policy, simulate
from copyproof.external.functions import Tally
from copyproof.off_policy import Refusal, Terms, Value, replay
from copyproof.off_policy.replay import not_uniform
from copyproof.simulation.decisions import decisions
from copyproof.validation import FieldError

MEANS = {"ann/1": 0.3, "bob/1": 0.5, "bob/2": 0.7}
OWNERS = {arm: arm.partition("/")[0] for arm in MEANS}


def ucb(tally: Tally) -> str:
    def index(arm: str) -> float:
        n = tally.plays[arm]
        return (
            math.inf if n == 0 else tally.total[arm] / n + math.sqrt(2 * math.log(tally.round) / n)
        )

    return max(tally.arms, key=index)


UCB = function_policy(ucb)


def log_of(
    rows: int, seed: int, chances: list[float] | None = None
) -> tuple[list[str], list[float]]:
    rng = np.random.default_rng(seed)
    arms = [str(one) for one in rng.choice(list(MEANS), size=rows, p=chances)]
    luck = rng.random(rows)
    return arms, [float(u < MEANS[arm]) for u, arm in zip(luck, arms, strict=True)]


def test_a_replay_is_a_game() -> None:
    found = [replay(*log_of(900, seed), UCB, owners=OWNERS) for seed in range(200)]
    values = [one.value.mean for one in found if isinstance(one, Value)]
    assert len(values) == 200
    rows = np.mean([one.rows for one in found])
    assert abs(rows - 300) < 4 * math.sqrt(900 * 2 / 9 / 200)
    market = Market([Agent("ann", [0.3]), Agent("bob", [0.5, 0.7])])
    played = simulate(market, UCB, horizon=300, repetitions=200, seed=3)
    truth = played.revenue.sum(axis=1) / 300
    spread = math.hypot(np.std(values), truth.std()) / math.sqrt(200)
    assert abs(np.mean(values) - truth.mean()) < 4 * spread


@pytest.mark.parametrize("policy", ["ucb1", "h-ucb", "trial", "prh-ucb", "trial-anytime"])
def test_a_replay_of_one_of_ours_is_a_game(policy: str) -> None:
    """Rewards of another range are brought to [0, 1] for it, and told as they are."""
    found, games = [], 200
    for seed in range(games):
        arms, rewards = log_of(900, seed)
        twice = [3.0 * one - 1.0 for one in rewards]
        answer = replay(arms, twice, policy, owners=OWNERS, seed=seed, terms=Terms(rewards=(-1, 2)))
        assert isinstance(answer, Value)
        found.append(((answer.value.mean + 1) / 3, answer.rows))
    values, rows = np.array(found).T
    assert rows.max() == 300
    assert rows.mean() > 280
    market = Market([Agent("ann", [0.3]), Agent("bob", [0.5, 0.7])])
    played = simulate(market, policy, horizon=300, repetitions=games, seed=3)
    truth = played.revenue.sum(axis=1) / 300
    spread = math.hypot(values.std(), truth.std()) / math.sqrt(games)
    assert abs(values.mean() - truth.mean()) < 4 * spread


def test_the_decisions_of_a_replay_are_those_of_the_policy() -> None:
    """A log that shows what the policy wants is a game of it, decision by decision."""
    market = Market([Agent("ann", [0.0]), Agent("bob", [1.0, 0.0])])
    owners = {"a": "ann", "b": "bob", "c": "bob"}
    made = decisions(market, "h-ucb", horizon=100, seed=9)
    log = [arm for one in made.tolist() for arm in ("abc"[one], *("abc".replace("abc"[one], "")))]
    rewards = [float(arm == "b") for arm in log]
    found = replay(log, rewards, "h-ucb", owners=owners, seed=9, terms=Terms(least_effective=2))
    assert isinstance(found, Value)
    assert found.value.mean == float(np.mean(made == 1))


def test_the_limits_of_a_policy_that_does_not_learn_hold() -> None:
    always = function_policy(lambda tally: "bob/1", name="always")
    found = [replay(*log_of(1200, seed), always, owners=OWNERS) for seed in range(400)]
    held = [one.value.low <= 0.5 <= one.value.high for one in found if isinstance(one, Value)]
    assert np.mean(held) >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 400)
    assert len(held) == 400


def test_decisions_that_were_not_uniform_are_refused() -> None:
    found = replay(*log_of(900, 1, [0.5, 0.3, 0.2]), UCB, owners=OWNERS)
    assert isinstance(found, Refusal)
    assert found.why.startswith("decisions were not uniform: the least shown arm has")


def test_uniform_decisions_are_hardly_ever_refused() -> None:
    rng = np.random.default_rng(4)
    for arms in (2, 10, 300):
        for _ in range(300):
            assert not not_uniform(rng.multinomial(2000, np.full(arms, 1 / arms)))
    assert not_uniform([17]) == ""


def test_few_rows_in_which_both_agree_are_refused() -> None:
    found = replay(*log_of(120, 2), UCB, owners=OWNERS)
    assert isinstance(found, Refusal)
    assert found.why == f"log and policy agree in {found.rows} rows, and 100 are needed"


def test_bad_input_is_named() -> None:
    with pytest.raises(FieldError, match=r"arms\[1\] = 'x' is not an arm that has an owner"):
        replay(["ann/1", "x"], [0, 1], UCB, owners=OWNERS)
    with pytest.raises(
        FieldError, match="policy = 5 is not a policy: its text, a Policy or an ExternalPolicy"
    ):
        replay(["ann/1"], [0], 5, owners=OWNERS)  # type: ignore[arg-type]
    lost = function_policy(lambda tally: "nowhere", name="lost")
    with pytest.raises(FieldError, match="lost: arm = 'nowhere' is not one that has an owner"):
        replay(*log_of(300, 3), lost, owners=OWNERS)
    assert isinstance(UCB, ExternalPolicy)
