"""Who leads: the same figures as the statistics have, of the agents that were played most."""

from copyproof.live import MarketConfig, Principal
from copyproof.live.estimates import Estimates


def filled() -> Principal:
    principal = Principal("h-ucb", config=MarketConfig("h-ucb", seed=3))
    principal.register_arms([(f"agent {n}", f"{k}") for n in range(6) for k in range(2)])
    for n in range(60):
        [decision] = principal.ask(segment="de" if n % 3 else None)
        principal.tell(decision.id, 1.0 if decision.agent == "agent 2" else 0.0)
    return principal


def test_figures_are_those_of_the_statistics() -> None:
    principal = filled()
    principal.suspend_agent("agent 5")
    whole = principal.statistics()
    found, before = principal.leading(100)
    assert set(found.agents) == set(whole.agents)
    for name in ("round", "plays", "answered", "pending", "revenue", "policy", "paused"):
        assert getattr(found, name) == getattr(whole, name)
    assert before.sum() == 60


def test_those_who_grow_come_first() -> None:
    principal = filled()
    _, before = principal.leading(1)
    principal.register_arms([("new", "x")])
    for _ in range(3):
        principal.ask(eligible=["new"])
    [first] = principal.leading(1, before=before)[0].agents
    assert (first.agent, first.plays) == ("new", 3)
    named = principal.leading(1, before=before, named=["agent 4", "nobody"])[0].agents
    assert [one.agent for one in named] == ["new", "agent 4"]


def test_estimates_are_means_of_what_may_be_shown() -> None:
    principal = filled()
    principal.register_arms([("new", "x")])
    principal.suspend_agent("agent 1")
    principal.retire_arm("agent 0", "1")
    found = principal.estimates(10, 10)
    assert "agent 1" not in found.agents
    assert len(found.agents["agent 0"]) == 1
    assert set(found.agents["agent 2"]) == {1.0}
    statistics = principal.statistics()
    assert found.agents["new"] == [statistics.revenue / statistics.answered]
    assert found.left_out == 0
    few = principal.estimates(2, 1)
    assert [len(means) for means in few.agents.values()] == [1, 1]
    assert few.left_out == 4 + 2
    assert isinstance(few, Estimates)


def test_an_empty_market_has_no_estimates() -> None:
    principal = Principal("h-ucb")
    assert principal.estimates(3, 3).agents == {}
    assert principal.leading(3)[0].agents == ()
