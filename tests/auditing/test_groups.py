"""Audits of markets with groups: the principal is held to account, with a joint strategy."""

from copyproof import Agent, Market, attacks, audit, bounds, equilibrium

AGENTS = [Agent("ann", [0.6]), Agent("bob", [0.8]), Agent("anna", [0.6, 0.2])]


def bound() -> Market:
    return Market(AGENTS).bind(["ann", "anna"], "ann & co")


def test_a_deviation_of_a_group_is_a_joint_strategy() -> None:
    found = audit(bound(), "ucb1", horizon=500, seed=1, agent="anna", deviations=[[5, 5, 0]])
    (one,) = found.agents
    assert one.name == "ann & co"
    assert one.reference == (1, 0, 0)
    assert one.best_deviation.copies == (5, 5, 0)
    assert found.verdict == "prone"
    assert found.to_dict()["groups"] == {"ann & co": ["ann", "anna"]}


def test_pathwise_policies_pay_a_principal_nothing_for_more_arms() -> None:
    found = audit(bound(), "trial", horizon=500, seed=1, agent="ann & co", most_copies=10)
    assert found.verdict == "no-gain"
    assert all(gain.gain.high <= 0 for gain in found.agents[0].copying)


def test_other_examinations_speak_of_principals() -> None:
    market = bound()
    attack = attacks(market, "h-ucb", agent="anna", horizon=300, seed=1, identities=[2])
    assert attack.agent == "ann & co"
    found = equilibrium(market, "h-ucb", horizon=100, seed=1, cap=2, starts=["truthful"])
    assert found.market.names == ("ann & co", "bob")
    for theirs, ours in zip(
        bounds(market.quotient, "h-ucb", 1000), bounds(market, "h-ucb", 1000), strict=True
    ):
        assert theirs.value == ours.value
