"""A running service with two markets, and a key of every kind."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from copyproof.live import MarketConfig, Principal
from copyproof.live.stores import Store, open_store
from copyproof.service import Limits
from copyproof.service.keys import Keyring
from tests.service.serving import Caller, Running, serving

MARKETS = ("site", "shop")
AGENTS = {"ann": ["a1", "a2"], "bob": ["b1"], "eve": ["e1", "e2", "e3"]}


@dataclass
class Service:
    """A running service; ``keys`` by a name that says whose they are."""

    running: Running
    store: Store
    keys: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return self.running.url

    def caller(self, whose: str = "operator") -> Caller:
        return Caller(self.url, self.keys[whose])


def filled(store: Store) -> dict[str, str]:
    """Make the markets and the keys."""
    for market in MARKETS:
        principal = Principal(
            store=store, market=market, config=MarketConfig(policy="h-ucb", seed=7)
        )
        for agent, arms in AGENTS.items():
            principal.register_arms([(agent, arm) for arm in arms])
    ring = Keyring(store, time.time)
    made = {
        "operator": ring.add("operator"),
        "application": ring.add("application", markets=("site",)),
        "shop application": ring.add("application", markets=("shop",)),
        "agent": ring.add("agent", markets=("site",), agent="ann"),
        "bob": ring.add("agent", markets=("site",), agent="bob"),
        "shop agent": ring.add("agent", markets=("shop",), agent="ann"),
        "auditor": ring.add("auditor"),
    }
    return {whose: text for whose, (_, text) in made.items()}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    store = open_store("memory:")
    keys = filled(store)
    many = Limits(agent_rate=1e6, agent_burst=10**6)
    backups = tmp_path_factory.mktemp("backups")
    with serving(store, limits=many, backups_to=backups) as running:
        yield Service(running, store, keys)
