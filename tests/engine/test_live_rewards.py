"""What becomes of rewards that are told late, or never; whatever unanswered plays count for."""

import random
from collections.abc import Callable

import pytest

from copyproof.live import MarketConfig, Principal

POLICIES = [
    "trial-anytime",
    "trial-anytime(memory=200)",
    "trial-anytime(first=300)",
    "h-ucb",
    "ucb1",
    "h-thompson",
]
MEANS = {("ann", "a"): 0.3, ("ann", "b"): 0.1, ("bob", "a"): 0.25, ("cid", "a"): 0.2}


class Visits:
    """A market, one visitor a second, with the same luck for the k-th of them in every run."""

    def __init__(self, policy: str, window: float, **settings: object) -> None:
        self.now = 0.0
        config = MarketConfig(policy, seed=3, reward_window=window, **settings)  # type: ignore[arg-type]
        self.principal = Principal(config=config, clock=lambda: self.now)
        self.principal.register_arms(list(MEANS))
        self.rng = random.Random(5)
        self.made: list[tuple[str, str]] = []

    def visit(self, tells: Callable[[str, float], bool]) -> None:
        self.now += 1.0
        [decision] = self.principal.ask()
        reward = float(self.rng.random() < MEANS.get((decision.agent, decision.arm), 0.0))
        if tells(decision.agent, reward):
            self.principal.tell(decision.id, reward)
        self.made.append((decision.agent, decision.arm))


@pytest.mark.parametrize("policy", POLICIES)
def test_telling_the_clicks_only_is_telling_everything_at_once(policy: str) -> None:
    everything, clicks = Visits(policy, 100.0), Visits(policy, 100.0)
    for _ in range(1500):
        everything.visit(lambda _, reward: True)
        clicks.visit(lambda _, reward: reward > 0)
    assert clicks.made == everything.made
    assert clicks.principal.pending > 0


def test_it_is_not_where_unanswered_plays_are_omitted() -> None:
    runs = [Visits("h-ucb", 100.0, unanswered="omitted") for _ in range(2)]
    for _ in range(300):
        runs[0].visit(lambda _, reward: True)
        runs[1].visit(lambda _, reward: reward > 0)
    assert runs[0].made != runs[1].made


@pytest.mark.parametrize("policy", POLICIES)
def test_a_newcomer_of_which_nothing_is_known_looks_like_one_that_fails(policy: str) -> None:
    silent, failing = Visits(policy, 1e6), Visits(policy, 1e6)
    for round_ in range(900):
        for run in (silent, failing):
            if round_ == 500:
                run.principal.register_arms([("new", "a")])
        silent.visit(lambda agent, reward: agent != "new")
        failing.visit(lambda agent, reward: True)
    assert silent.made == failing.made
    assert silent.principal.pending == sum(agent == "new" for agent, _ in silent.made) > 0
