"""A rival's arm that comes during the game: the pathwise theorem's arms that stay are needed."""

from copyproof.live import MarketConfig, Principal

ROUNDS = 600
ARRIVAL = 490


def revenue(worthless: int) -> float:
    """What agent one earns with its best arm and some worthless ones, under ``trial``."""
    site = Principal(config=MarketConfig("trial", seed=1, horizon=10_000))
    weak = [("one", f"weak {number}") for number in range(worthless)]
    site.register_arms([("one", "best"), *weak, ("two", "worthless")])
    pays = {("one", "best"): 0.5, ("two", "late"): 1.0}
    total = 0.0
    for played in range(ROUNDS):
        if played == ARRIVAL:
            site.register_arms([("two", "late")])
        [decision] = site.ask()
        reward = pays.get((decision.agent, decision.arm), 0.0)
        site.tell(decision.id, reward)
        total += reward * (decision.agent == "one")
    return total


def test_worthless_arms_pay_where_a_rivals_arm_comes_late() -> None:
    assert revenue(3) > revenue(0) + 20
