"""Copies are suspected by equal histories, and by nothing less."""

import random

from copyproof.live import Principal


def paid(principal: Principal, arms: dict[str, list[float]]) -> None:
    """Give every arm its rewards, one after another."""
    for arm, rewards in arms.items():
        principal.register_arm("ann" if arm < "m" else "zoe", arm)
        for reward in rewards:
            [decision] = principal.ask(eligible={"ann" if arm < "m" else "zoe": [arm]})
            principal.tell(decision.id, reward)


def coins(seed: int, count: int, mean: float = 0.5) -> list[float]:
    rng = random.Random(seed)
    return [float(rng.random() < mean) for _ in range(count)]


def test_equal_histories_are_found_within_and_across_agents() -> None:
    principal = Principal("h-ucb")
    paid(principal, {"a": coins(1, 80), "b": coins(2, 80), "c": coins(1, 70), "x": coins(2, 64)})
    found = {one.arms: one for one in principal.statistics().suspected}
    assert set(found) == {(("ann", "a"), ("ann", "c")), (("ann", "b"), ("zoe", "x"))}
    assert all(one.answers == 64 and one.chance < 1e-9 for one in found.values())
    # An agent's own statistics say nothing about other agents' arms.
    mine = principal.statistics("ann").suspected
    assert [one.arms for one in mine] == [(("ann", "a"), ("ann", "c"))]
    assert principal.statistics("zoe").suspected == ()


def test_arms_of_equal_means_and_arms_that_always_pay_the_same_are_not_suspected() -> None:
    principal = Principal("h-ucb")
    independent = {name: coins(n, 70, 0.5) for n, name in enumerate("abcdef")}
    constant = {"x": [0.0] * 70, "y": [0.0] * 70, "z": [0.3] * 70, "zz": [0.3] * 70}
    paid(principal, {**independent, **constant})
    assert principal.statistics().suspected == ()


def test_a_history_that_is_too_short_to_tell_is_not_suspected() -> None:
    principal = Principal("h-ucb")
    paid(principal, {"a": coins(3, 15), "b": coins(3, 15)})
    assert principal.statistics().suspected == ()
    # 16 answers of rare successes agree by chance; of fair coins they do not.
    paid(principal, {"c": coins(4, 20, 0.1), "d": coins(4, 20, 0.1)})
    assert principal.statistics().suspected == ()


def test_scores_that_belong_to_the_thing_are_found_early() -> None:
    rng = random.Random(5)
    scores = [rng.random() for _ in range(16)]
    principal = Principal("h-ucb")
    paid(principal, {"a": scores, "b": scores, "c": scores[::-1]})
    [found] = principal.statistics().suspected
    assert found.arms == (("ann", "a"), ("ann", "b"))
    assert found.answers == 16
