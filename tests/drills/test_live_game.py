"""Games share their luck by agent and own play."""

from typing import Any

import numpy as np
import pytest

from copyproof.drills import LiveGame
from copyproof.drills.live_game import Play
from copyproof.live import MarketConfig, NoArm, Principal


def game(attacks: bool, policy: str = "h-ucb") -> LiveGame:
    made = LiveGame(policy, 5, attacks=attacks, horizon=200, config={})
    made.register("ann", 0.5, copies=4 if attacks else 1)
    made.register("bob", 0.4)
    return made


def test_the_kth_play_of_an_agent_meets_the_same_luck() -> None:
    one, other = game(attacks=False), game(attacks=True)
    first = [one.show(eligible=["ann"])[0].reward for _ in range(5000)]
    second = [other.show(eligible=["bob", "ann"][n % 3 > 0 :])[0] for n in range(7000)]
    mine = [play.reward for play in second if play.agent == "ann"]
    assert len(mine) > 4096
    assert mine[:5000] == first[: len(mine)]
    assert 0.47 < sum(first) / 5000 < 0.53


def test_a_principal_decides_the_same() -> None:
    """Slates, lists, segments, late rewards, what expires, and who comes and goes."""
    played = LiveGame(
        "trial-anytime", 5, attacks=False, horizon=1, config={"reward_window": 60.0, "per_agent": 2}
    )
    config = MarketConfig("trial-anytime", seed=5, reward_window=60.0, per_agent=2)
    principal = Principal(config=config, clock=lambda: played.now)
    for agent, mean in (("ann", 0.5), ("bob", 0.4), ("cid", 0.3)):
        played.register(agent, mean, copies=2, content=agent)
        principal.register_arms([(agent, str(n), agent) for n in range(2)])
    rng = np.random.default_rng(1)
    requests: list[dict[str, Any]] = [
        {},
        {"count": 3},
        {"count": 3, "slate": True},
        {"eligible": ["bob", "cid"]},
        {"eligible": {"ann": ["1"], "cid": ["0"]}},
        {"seen": {"ann": ["0"]}},
        {"segment": "de", "count": 2},
        {"segment": "fr"},
    ]
    waiting: list[tuple[Play, str]] = []
    for visit in range(600):
        played.now += 1.0
        if visit % 100 == 50:
            played.retire("ann", "0")
            principal.retire_arm("ann", "0")
        elif visit % 100 == 70:
            played.bring_back("ann", "0")
            principal.register_arm("ann", "0")
        request = requests[rng.integers(len(requests))]
        plays, decisions = played.decide(**request), principal.ask(**request)
        assert [one[:3] for one in plays] == [(d.round, d.agent, d.arm) for d in decisions]
        waiting += zip(plays, (one.id for one in decisions), strict=True)
        rng.shuffle(waiting)
        if len(waiting) > 40:
            told, waiting = waiting[:30], waiting[30:]
            played.tell([play for play, _ in told])
            principal.tell_many([(key, play.reward) for play, key in told])
    played.state.settle()
    assert played.state.digest() == principal._current().digest()
    assert played.plays == {one.agent: one.plays for one in principal.statistics().agents}
    assert len(played.path) == len(played.rewards) == len(played.missed) == principal.round


def test_what_is_missed_is_held_against_the_best_arm_there_is() -> None:
    played = game(attacks=False)
    played.show(eligible=["bob"])
    played.retire("ann", "0")
    played.show()
    played.bring_back("ann", "0")
    played.show(eligible=["ann"])
    assert np.allclose(played.missed, [0.1, 0.0, 0.0])
    for agent in ("ann", "bob"):
        played.retire(agent, "0")
    with pytest.raises(NoArm):
        played.show()


def test_visitors_are_the_same_with_and_without_the_attack() -> None:
    one, other = game(attacks=False), game(attacks=True)
    other.others.random(9)
    assert one.visits.random(5).tolist() == other.visits.random(5).tolist()
