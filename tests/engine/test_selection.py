"""The selection under a mask decides as the plain reference does, for every rule."""

import random
import zlib

import pytest

from copyproof.live import MarketConfig, Principal
from copyproof.live.records import SeenBy
from tests.own_reference import OWN_POLICIES, OwnServed
from tests.reference import LEFT_TO_MARKET, POLICIES, Served

UNSAMPLED = [
    text
    for text, spec in POLICIES.items()
    if spec.fixed is None and spec.growing is None and text not in LEFT_TO_MARKET
]


def named(arms: set[tuple[int, int]]) -> dict[str, list[str]]:
    """The arms of each agent, by their names."""
    found: dict[str, list[str]] = {}
    for agent, arm in sorted(arms):
        found.setdefault(str(agent), []).append(str(arm))
    return found


def serve_alike(policy: str, salt: int, steps: int) -> Principal:
    """Ask a live market and the reference for arms, some arms and slates; answers come in turn."""
    rng = random.Random(zlib.crc32(policy.encode()) + salt)
    arms = [rng.randint(1, 4) for _ in range(rng.randint(1, 4))]
    seed = rng.getrandbits(60)
    per_agent = rng.choice([None, 1, 2])
    rules_out: SeenBy = rng.choice(["agent", "content"])
    # Unanswered plays as the reference has them.
    settings = {"per_agent": per_agent, "seen": rules_out, "unanswered": "omitted"}
    config = MarketConfig(policy, seed=seed, horizon=1000, **settings)  # type: ignore[arg-type]
    principal = Principal(config=config)
    reference = Served(policy, arms, 1000, seed)
    everything = [(agent, arm) for agent, count in enumerate(arms) for arm in range(count)]
    content = {one: rng.choice("xyz") for one in everything}
    for agent, arm in everything:
        principal.register_arm(str(agent), str(arm), content=content[agent, arm])
    waiting = []
    for _ in range(steps):
        may = set(rng.sample(everything, rng.randint(1, len(everything))))
        eligible: list[str] | dict[str, list[str]] | None = named(may)
        restriction = rng.choice(["none", "agents", "arms"])
        if restriction == "none":
            may, eligible = set(everything), None
        elif restriction == "agents":
            agents = {agent for agent, _ in may}
            may = {one for one in everything if one[0] in agents}
            eligible = [str(agent) for agent in agents]
        seen = set(rng.sample(everything, rng.randint(0, 1)))
        if rules_out == "agent":
            may -= {one for one in everything if one[0] in {agent for agent, _ in seen}}
        else:
            may -= {one for one in everything if content[one] in {content[two] for two in seen}}
        if not may:
            continue
        slate = rng.random() < 0.5
        expected: list[tuple[int, int]] = []
        for _ in range(rng.randint(1, 4)):
            found = reference.ask(may) if may else None
            if found is None:
                break
            expected.append(found)
            may -= {found} if slate else set()
            if slate and [agent for agent, _ in expected].count(found[0]) == per_agent:
                may -= {one for one in everything if one[0] == found[0]}
        count = len(expected) + (3 if slate and not may else 0)  # so many places stay empty
        made = principal.ask(count, eligible=eligible, slate=slate, seen=named(seen))
        assert [(int(one.agent), int(one.arm)) for one in made] == expected, policy
        waiting += list(made)
        rng.shuffle(waiting)
        while len(waiting) > 3:
            one = waiting.pop()
            reward = float(rng.random() < (int(one.agent) + int(one.arm)) / 8)
            principal.tell(one.id, reward)
            reference.tell(int(one.agent), int(one.arm), reward)
    return principal


@pytest.mark.parametrize("policy", UNSAMPLED)
def test_subsets_and_slates_are_decided_as_in_the_reference(policy: str) -> None:
    for salt in range(3):
        serve_alike(policy, salt, steps=80)


@pytest.mark.parametrize(
    "policy", [text for text, spec in OWN_POLICIES.items() if not spec.horizons]
)
def test_own_indices_and_champions_among_some_are_those_of_the_reference(policy: str) -> None:
    for salt in range(3):
        rng = random.Random(zlib.crc32(policy.encode()) + salt)
        arms = [rng.randint(1, 6) for _ in range(rng.randint(1, 4))]
        seed = rng.getrandbits(60)
        principal = Principal(config=MarketConfig(policy, seed=seed, horizon=400))
        reference = OwnServed(policy, arms, 400, seed)
        for agent, count in enumerate(arms):
            principal.register_agent(str(agent))
            principal.register_arms([(str(agent), str(arm)) for arm in range(count)])
        everything = [(agent, arm) for agent, count in enumerate(arms) for arm in range(count)]
        for _ in range(300):
            may = set(everything)
            if rng.random() < 0.7:
                may = set(rng.sample(everything, rng.randint(1, len(everything))))
            [made] = principal.ask(1, eligible=named(may))
            expected = reference.ask(may)
            assert (int(made.agent), int(made.arm)) == expected, policy
            reward = float(rng.random() < sum(expected) / 10)
            principal.tell(made.id, reward)
            reference.tell(*expected, reward)
