"""A simulated run fed through HTTP gives the identical decisions, for every policy."""

import zlib
from itertools import groupby

import pytest

from copyproof.client import Client
from copyproof.live.stores import open_store
from copyproof.service.keys import Keyring
from tests.live.simulated import EVERY_ROW, Run
from tests.service.serving import serving


def _replay(policies: list[str], horizon: int) -> None:
    store = open_store("memory:")
    _, key = Keyring(store, lambda: 0.0).add("operator")
    with serving(store) as running, Client(running.url, key) as client:
        for number, policy in enumerate(policies):
            market = f"m{number}"
            run = Run(policy, horizon, seed=zlib.crc32(policy.encode()) + 1)
            client.create_market(market, **run.config.to_dict())

            def register(
                agents: list[str], arms: list[tuple[str, str]], market: str = market
            ) -> None:
                for agent in agents:
                    client.register_agent(market, agent)
                for agent, pairs in groupby(arms, lambda pair: pair[0]):
                    names = [arm for _, arm in pairs]
                    for start in range(0, len(names), 1000):
                        client.register_arms(market, agent, names[start : start + 1000])

            def ask(market: str = market) -> tuple[str, str, str]:
                [decision] = client.ask(market)
                return decision.id, decision.agent, decision.arm

            def tell(decision: str, reward: float, market: str = market) -> None:
                assert client.tell(market, decision, reward).status == "counted"

            run.play(register, ask, tell)
            assert client.statistics(market)["answered"] == horizon


def test_every_policy_over_http() -> None:
    _replay(EVERY_ROW, 60)


@pytest.mark.slow
@pytest.mark.parametrize("policy", EVERY_ROW)
def test_ten_thousand_rounds_over_http(policy: str) -> None:
    _replay([policy], 10_000)
