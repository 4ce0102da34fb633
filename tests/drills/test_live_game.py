"""Games share their luck by agent and own play."""

from copyproof.drills import LiveGame


def game(attacks: bool, policy: str = "h-ucb") -> LiveGame:
    made = LiveGame(policy, 5, attacks=attacks, horizon=200, config={})
    made.register("ann", 0.5, copies=4 if attacks else 1)
    made.register("bob", 0.4)
    return made


def test_the_kth_play_of_an_agent_meets_the_same_luck() -> None:
    one, other = game(attacks=False), game(attacks=True)
    first = [one.show(eligible=["ann"])[0].reward for _ in range(5000)]
    second = [other.show(eligible=["bob", "ann"][n % 3 > 0 :])[0] for n in range(7000)]
    mine = [play.reward for play in second if play.decision.agent == "ann"]
    assert len(mine) > 4096
    assert mine[:5000] == first[: len(mine)]
    assert 0.47 < sum(first) / 5000 < 0.53


def test_what_is_told_is_what_the_market_counts() -> None:
    played = game(attacks=True, policy="h-ucb-t-free")
    for _ in range(100):
        played.tell(played.decide(2))
    statistics = played.principal.statistics()
    assert {one.agent: one.revenue for one in statistics.agents} == played.revenue
    assert {one.agent: one.plays for one in statistics.agents} == played.plays
    assert len(played.path) == statistics.answered == 200


def test_visitors_are_the_same_with_and_without_the_attack() -> None:
    one, other = game(attacks=False), game(attacks=True)
    other.others.random(9)
    assert one.visits.random(5).tolist() == other.visits.random(5).tolist()
