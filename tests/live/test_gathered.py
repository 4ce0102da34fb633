"""Decisions and rewards that are carried out together: as if they had come one by one."""

import random
from collections.abc import Callable
from operator import attrgetter, methodcaller
from pathlib import Path
from typing import Any

import pytest

from copyproof.live import KeyReused, MarketConfig, NoArm, Principal
from copyproof.live.stores import StoreError, open_store
from copyproof.live.stores.contract import Store

Request = Callable[[Principal], Any]


def market(store: Store, clock: Callable[[], float]) -> Principal:
    config = MarketConfig(policy="trial-anytime", seed=7, reward_window=50.0)
    principal = Principal(store=store, market="m", config=config, clock=clock)
    if not principal.knows("agent 0"):
        principal.register_arms([(f"agent {n % 3}", f"arm {n}") for n in range(7)])
    return principal


def some_requests(luck: random.Random, ids: list[str]) -> list[Request]:
    """A mixture: most are plain, some are not, some come twice, some do nothing."""
    found: list[Request] = []
    for _ in range(luck.randrange(1, 30)):
        kind, key = luck.randrange(8), luck.choice([None, None, f"k{luck.randrange(40)}"])
        if kind < 3 or not ids:
            count = luck.choice([1, 1, 3])
            found.append(methodcaller("ask_rows", count, key=key))
        elif kind < 6:
            pair = (luck.choice(ids), float(luck.randrange(2)))
            found.append(methodcaller("tell_row", *pair, key=key))
        elif kind == 6:
            pairs = [(luck.choice(ids), 0.5) for _ in range(3)]
            found.append(methodcaller("tell_rows", pairs, key=key))
        else:
            others: list[Request] = [
                methodcaller("ask_rows", 2, slate=True),
                attrgetter("pending"),
            ]
            found.append(luck.choice(others))
    return found


def carried_out(principal: Principal, request: Request) -> Any:
    try:
        return request(principal)
    except KeyReused as error:
        return str(error)


def answer(found: Any) -> Any:
    return found() if callable(found) else found


@pytest.mark.parametrize("seed", range(6))
def test_a_group_answers_and_writes_what_one_by_one_does(tmp_path: Path, seed: int) -> None:
    luck, now = random.Random(seed), [1000.0]
    stores = [open_store(f"sqlite:{tmp_path}/{name}.db") for name in ("one", "many")]
    alone, together = (market(store, lambda: now[0]) for store in stores)
    secret = stores[0].chain("m").secret
    ids: tuple[list[str], list[str]] = ([], [])
    for _ in range(25):
        state = luck.getstate()
        first = some_requests(luck, ids[0])
        luck.setstate(state)
        second = some_requests(luck, ids[1])
        answers = [answer(carried_out(alone, request)) for request in first]
        with together.staging():
            later = [carried_out(together, request) for request in second]
        append = together.staged
        if append is not None:
            stores[1].append(*append[:3], token=None, generation=append.generation)
            together.stored()
        assert [[row[1:] for row in one] if isinstance(one, list) else one for one in answers] == [
            [row[1:] for row in one] if isinstance(one, list) else one for one in map(answer, later)
        ]
        for known, found in zip(ids, (answers, map(answer, later)), strict=True):
            known += [row[0] for one in found if isinstance(one, list) for row in one]
        now[0] += luck.choice([0.0, 1.0, 30.0, 60.0])
    assert secret != stores[1].chain("m").secret  # so ids differ, and nothing else does
    assert alone.digest() == together.digest()
    journals = [[event for _, event in store.events("m")] for store in stores]
    assert journals[0] == journals[1]
    assert market(stores[1], lambda: now[0]).digest() == together.digest()


def test_a_group_calls_the_kernel_once(monkeypatch: pytest.MonkeyPatch) -> None:
    principal = market(open_store("memory:"), lambda: 0.0)
    [one] = principal.ask()
    calls = 0
    serve = __import__("copyproof.live.operations", fromlist=["serve"]).serve

    def counted(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        return serve(*arguments)

    monkeypatch.setattr("copyproof.live.operations.serve", counted)
    with principal.group():
        later = [principal.ask_rows(), principal.tell_row(one.id, 1.0), principal.ask_rows(2)]
        assert calls == 0
    assert calls == 1
    assert [len(each()) for each in later] == [1, 1, 2]


def test_the_same_key_twice_in_a_group_has_one_answer() -> None:
    principal = market(open_store("memory:"), lambda: 0.0)
    with principal.group():
        first = principal.ask_rows(2, key="k")
        again = principal.ask_rows(2, key="k")
        with pytest.raises(KeyReused):
            principal.ask_rows(3, key="k")
    assert first() == again()
    assert principal.round == 2


def test_a_refusal_leaves_the_others_of_a_group_as_they_are() -> None:
    principal = Principal("h-ucb")
    with principal.group():
        with pytest.raises(NoArm):
            principal.ask_rows()
        principal.register_arms([("ann", "a")])
        later = principal.ask_rows()
        with pytest.raises(ValueError, match="count"):
            principal.ask_rows(0)
    assert [row[1:] for row in later()] == [("ann", "a", 1)]


def test_what_fails_has_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    principal = market(open_store(f"sqlite:{tmp_path}/m.db"), lambda: 0.0)
    before = principal.digest()

    def broken(*_: Any) -> Any:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr("copyproof.live.operations.serve", broken)
        with pytest.raises(MemoryError), principal.group():
            later = principal.ask_rows()
    with pytest.raises(StoreError, match="nothing of it is stored"):
        later()
    assert principal.digest() == before
    assert len(principal.ask()) == 1
