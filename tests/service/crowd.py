"""Clients that ask and tell all the time, remember every answer, and hold the journal to it."""

import random
import threading
from collections import Counter
from typing import Any, cast

from copyproof.client import Client
from copyproof.live import Principal
from copyproof.live.replay import ids_of, recover
from copyproof.live.stores import Store

MARKET = "site"


class Crowd:
    """Some clients, each in a thread of its own; they never give up.

    Parameters
    ----------
    url, key : str
        The service.
    clients : int
        How many.
    timeout : float
        Seconds after which a client asks again.
    """

    def __init__(self, url: str, key: str, clients: int = 8, timeout: float = 20.0) -> None:
        self.decisions: list[Any] = []
        self.told: list[tuple[str, float, str]] = []
        self.errors: list[BaseException] = []
        self._url = url
        self._key = key
        self._timeout = timeout
        self._end = threading.Event()
        self._threads = [
            threading.Thread(target=self._work, args=(number,), daemon=True)
            for number in range(clients)
        ]

    def __enter__(self) -> "Crowd":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        for thread in self._threads:
            thread.join(1200)
            assert not thread.is_alive()
        if self.errors:
            raise self.errors[0]

    def _work(self, number: int) -> None:
        luck = random.Random(number)
        try:
            with Client(self._url, self._key, timeout=self._timeout, patience=1200.0) as client:
                while not self._end.is_set():
                    decisions = client.ask(MARKET, luck.choice([1, 1, 1, 5]))
                    self.decisions += decisions
                    rewards = [
                        (each.id, float(luck.random() < 0.5))
                        for each in decisions
                        if luck.random() < 0.9
                    ]
                    for told in client.tell_many(MARKET, rewards) if rewards else []:
                        self.told.append((told.decision, dict(rewards)[told.decision], told.status))
        except BaseException as error:
            self.errors.append(error)


def check(store: Store, crowd: Crowd) -> None:
    """Every acknowledged decision and reward is there once, and nothing else is."""
    principal = Principal(store=store, market=MARKET)
    ids = ids_of(store, MARKET)
    asked: Counter[str] = Counter()
    told: Counter[tuple[str, float]] = Counter()
    for _, event in store.events(MARKET):
        if event["kind"] == "asked":
            rounds = range(event["round"], event["round"] + len(event["arms"]))
            asked.update(ids.id(number) for number in rounds)
        if event["kind"] == "told":
            pairs = zip(event["rounds"], event["rewards"], strict=True)
            told.update((ids.id(number), reward) for number, reward in pairs)
    assert asked == Counter(each.id for each in crowd.decisions)
    assert set(asked.values()) == {1}
    assert told == Counter((decision, reward) for decision, reward, _ in crowd.told)
    assert {status for _, _, status in crowd.told} == {"counted"}
    assert principal.round == len(crowd.decisions)
    assert principal.statistics().revenue == sum(reward for _, reward, _ in crowd.told)
    assert principal.digest() == fresh_digest(store, principal)


def fresh_digest(store: Store, principal: Principal) -> str:
    """The digest of a replay of the whole journal, without any snapshot."""

    class Bare:
        def __getattr__(self, name: str) -> Any:
            return getattr(store, name)

        def snapshot(self, market: str, before: int | None = None) -> None:
            return None

    return recover(cast(Store, Bare()), MARKET, principal.config).state.digest()
