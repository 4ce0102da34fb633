"""The selection under a mask decides as the plain reference does, for every rule."""

import random
import zlib

import pytest

from copyproof.live import MarketConfig, Principal
from tests.reference import POLICIES, Served

UNSAMPLED = [text for text, spec in POLICIES.items() if spec.fixed is None and spec.growing is None]


def serve_alike(policy: str, salt: int, steps: int) -> Principal:
    """Ask a live market and the reference for arms, some arms and slates; answers come in turn."""
    rng = random.Random(zlib.crc32(policy.encode()) + salt)
    arms = [rng.randint(1, 4) for _ in range(rng.randint(1, 4))]
    seed = rng.getrandbits(60)
    principal = Principal(config=MarketConfig(policy, seed=seed, horizon=1000))
    reference = Served(policy, arms, 1000, seed)
    for agent, count in enumerate(arms):
        principal.register_agent(str(agent))
        principal.register_arms([(str(agent), str(arm)) for arm in range(count)])
    everything = [(agent, arm) for agent, count in enumerate(arms) for arm in range(count)]
    waiting = []
    for _ in range(steps):
        may = set(rng.sample(everything, rng.randint(1, len(everything))))
        match rng.choice(["all", "agents", "arms"]):
            case "all":
                may, eligible = set(everything), None
            case "agents":
                agents = {agent for agent, _ in may}
                may = {one for one in everything if one[0] in agents}
                eligible = [str(agent) for agent in agents]
            case _:
                eligible = {str(agent): [] for agent, _ in may}
                for agent, arm in sorted(may):
                    eligible[str(agent)].append(str(arm))
        slate = rng.random() < 0.5
        expected = []
        for _ in range(rng.randint(1, 4)):
            found = reference.ask(may)
            if found is None:
                break
            expected.append(found)
            may -= {found} if slate else set()
        made = principal.ask(len(expected), eligible=eligible, slate=slate)
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
