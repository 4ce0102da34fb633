"""A simulated run fed through ask and tell gives the identical decisions, for every policy."""

import zlib

import pytest

from copyproof.live import Principal
from tests.live.simulated import EVERY_ROW, Run


def replayed(policy: str, horizon: int, salt: int) -> Principal:
    run = Run(policy, horizon, seed=zlib.crc32(policy.encode()) + salt)
    principal = Principal(config=run.config)

    def register(agents: list[str], arms: list[tuple[str, str]]) -> None:
        for agent in agents:
            principal.register_agent(agent)
        principal.register_arms(arms)

    def ask() -> tuple[str, str, str]:
        [decision] = principal.ask()
        return decision.id, decision.agent, decision.arm

    run.play(register, ask, principal.tell)
    return principal


@pytest.mark.parametrize("policy", EVERY_ROW)
def test_ten_thousand_rounds_of_every_policy(policy: str) -> None:
    principal = replayed(policy, 10_000, salt=0)
    assert principal.round == 10_000
    assert principal.pending == 0
    again = Principal(store=principal.store)
    assert again.digest() == principal.digest()
