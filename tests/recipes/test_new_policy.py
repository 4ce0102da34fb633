"""The recipe for a policy: one file, a row of the catalogue, and every way in knows it."""

import json

from tests.recipes.changed import Changed, text_of

FILE = "policy/catalogue.py"
BEGIN = "\nCATALOGUE: tuple[NamedPolicy, ...] = ("
ROW = """
    NamedPolicy(
        "toy-ucb",
        Policy(UCB(), UCB(a=1.0, clock="plays")),
        "UCB over agents, then a narrower one over the chosen agent's arms",
        "nobody: a toy",
        {"a": "arm.a"},
        (BELIEVED_PRONE,),
    ),
"""
SCRIPT = """
from copyproof import CATALOGUE, Agent, Market, exact, parse_policy, simulate
from copyproof.cli import main
from copyproof.live import Principal

assert CATALOGUE[0].name == "toy-ucb"
policy = parse_policy("toy-ucb(a=1.5)")
print(policy)
market = Market([Agent("ann", [0.5, 0.2], copies=[3, 1]), Agent("bob", [0.9])])
print(simulate(market, policy, horizon=100, repetitions=5, seed=1).regret.mean)
print(simulate(market, "h-ucb", horizon=100, repetitions=5, seed=1).regret.mean)
print(exact(market, "toy-ucb", horizon=4).regret)
principal = Principal("toy-ucb")
principal.register_arms([("ann", "1"), ("bob", "1")])
print(*sorted(decision.agent for decision in principal.ask(2)))
sys.argv = ["copyproof", "policies", "--json"]
main()
"""


def test_a_policy_costs_one_file() -> None:
    text = text_of(FILE)
    assert text.count(BEGIN) == 1
    files = {FILE: text.replace(BEGIN, BEGIN + ROW)}
    form, regret, other, exactly, asked, listed = Changed(files).run(SCRIPT)
    assert form == "toy-ucb(a=1.5)"
    assert 0 < float(regret) != float(other) > 0
    assert 0 < float(exactly) < 4
    assert asked == "ann bob"
    [row] = [each for each in json.loads(listed)["policies"] if each["name"] == "toy-ucb"]
    assert "narrower" in json.dumps(row)
