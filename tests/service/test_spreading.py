"""Several processes, one PostgreSQL: markets spread, move, and are never lost or doubled."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from copyproof.client import Client
from copyproof.live import Principal
from copyproof.live.stores import open_store
from copyproof.service.keys import Keyring
from copyproof.service.neighbours import preferred
from tests.patience import wait_until
from tests.postgres import Server
from tests.service.serving import Caller, Program

MARKETS = [f"m{n}" for n in range(12)]


@pytest.fixture
def url(postgres: Server) -> str:
    return postgres.new_url()


def made(url: str) -> str:
    """Make the markets; an operator's key."""
    with open_store(url) as store:
        for market in MARKETS:
            Principal("h-ucb", store, market=market).register_arms([("ann", "a"), ("bob", "b")])
        return Keyring(store, time.time).add("operator")[1]


@contextmanager
def programs(url: str, count: int, *options: str) -> Iterator[list[Program]]:
    found = [Program(url, *options) for _ in range(count)]
    for each in found:
        each._arguments += ["--advertise", each.url]
    try:
        yield found
    finally:
        for each in found:
            each.end()


def led(program: Program, key: str) -> set[str]:
    shown = Caller(program.url, key)("GET", "/v1/markets").json["markets"]
    return {each["market"] for each in shown if each["served_here"]}


def all_have_moved(url: str) -> None:
    """Wait until every market is where it belongs: they move a few at a time."""
    with open_store(url) as store:
        there = store.processes()
        wanted = {market: preferred(market, there) for market in store.markets()}
        wait_until(lambda: store.leaders() == wanted)


def test_markets_spread_and_come_back(url: str) -> None:
    key = made(url)
    with programs(url, 2) as (one, two):
        one.start()
        assert led(one, key) == set(MARKETS)
        two.start()
        wait_until(
            lambda: (
                led(one, key)
                and led(two, key)
                and len(led(one, key) | led(two, key)) == 12
                and not led(one, key) & led(two, key)
            ),
        )
        all_have_moved(url)
        elsewhere = sorted(led(two, key))[0]
        # Where another leads, its address is the answer, and the same request is good there.
        answer = Caller(one.url, key)("POST", f"/v1/markets/{elsewhere}/decisions?x=1")
        assert answer.status == 307
        assert answer.headers["location"] == f"{two.url}/v1/markets/{elsewhere}/decisions?x=1"
        assert answer.field == "market"
        good = Caller(two.url, key)("POST", f"/v1/markets/{elsewhere}/decisions")
        assert good.status == 200
        statistics = Caller(one.url, key)("GET", f"/v1/markets/{elsewhere}/statistics")
        assert statistics.status == 307
        promised = Caller(one.url, key)("GET", f"/v1/markets/{elsewhere}")
        assert promised.status == 307
        assert promised.headers["location"] == f"{two.url}/v1/markets/{elsewhere}"
        with Client(one.url, key) as client:  # which follows it
            assert client.market(elsewhere)["guarantee"].startswith("proven: ")

        status, said = two.stop()
        assert status == 0, said
        wait_until(lambda: led(one, key) == set(MARKETS))
        assert Caller(one.url, key)("POST", f"/v1/markets/{elsewhere}/decisions").status == 200


def test_a_request_waits_for_a_market_that_changes_hands(url: str) -> None:
    key = made(url)
    answered: list[str] = []
    failures: list[object] = []
    with programs(url, 2) as (one, two):
        one.start()
        two.start()
        wait_until(lambda: len(led(one, key)) + len(led(two, key)) == 12 and led(two, key))
        moving = sorted(led(one, key))
        end = threading.Event()

        def ask(market: str) -> None:
            call = Caller(two.url, key)
            while not end.is_set():
                answer = call("POST", f"/v1/markets/{market}/decisions")
                if answer.status == 200:
                    answered.append(market)
                elif answer.status != 307:  # while the other one leads it
                    failures.append(answer)
                time.sleep(0.02)

        threads = [threading.Thread(target=ask, args=(market,)) for market in moving]
        for thread in threads:
            thread.start()
        time.sleep(0.5)
        status, said = one.stop()
        time.sleep(1.0)
        end.set()
        for thread in threads:
            thread.join()
        assert status == 0, said
        assert failures == []
        assert {*answered} == {*moving}  # a benchmark says how long they wait


def test_markets_are_given_away_no_faster_than_they_are_taken(url: str) -> None:
    """Or else the last one would be away until all others are loaded."""
    key = made(url)
    with programs(url, 2) as found:
        for each in found:
            each.start()
        all_have_moved(url)
        wait_until(lambda: sum(len(led(each, key)) for each in found) == 12)
        leaving = max(found, key=lambda each: len(led(each, key)))  # at least six
        free: list[int] = []
        end = threading.Event()

        def watch() -> None:
            with open_store(url) as store:
                while not end.is_set():
                    free.append(len(MARKETS) - len(store.leaders()))
                    time.sleep(0.005)

        watching = threading.Thread(target=watch)
        watching.start()
        status, said = leaving.stop()
        end.set()
        watching.join()
        assert status == 0, said
        assert 0 < max(free) <= 3


def test_a_process_that_dies_is_replaced(url: str) -> None:
    key = made(url)
    with programs(url, 2, "--lease", "2") as (one, two):
        one.start()
        two.start()
        wait_until(lambda: len(led(one, key)) + len(led(two, key)) == 12 and led(two, key))
        with Client(one.url, key) as client:
            before = {market: client.ask(market)[0].round for market in sorted(led(one, key))}
        one.kill()
        wait_until(lambda: led(two, key) == set(MARKETS))
        with Client(two.url, key) as client:
            for market, round_ in before.items():
                assert client.ask(market)[0].round == round_ + 1


def test_a_market_that_is_made_goes_to_its_process(url: str) -> None:
    key = made(url)
    with programs(url, 2) as (one, two):
        one.start()
        two.start()
        wait_until(lambda: len(led(one, key)) + len(led(two, key)) == 12 and led(two, key))
        for n in range(6):
            call = Caller(one.url, key)
            assert call("PUT", f"/v1/markets/new{n}", {"policy": "h-ucb"}).status == 200
        new = {f"new{n}" for n in range(6)}
        wait_until(lambda: led(one, key) | led(two, key) == {*MARKETS, *new})
        assert not led(one, key) & led(two, key)


def test_a_market_that_was_just_made_is_waited_for(url: str) -> None:
    """Whoever makes it, and whosever it is: one of the two answers, without a second round."""
    key = made(url)
    both = [Program(url) for _ in range(2)]
    try:
        for each in both:
            each.start()
        all_have_moved(url)
        callers = [Caller(each.url, key) for each in both]
        for n in range(10):
            maker, other = callers[n % 2], callers[1 - n % 2]
            assert maker("PUT", f"/v1/markets/new{n}", {}).status == 200
            path = f"/v1/markets/new{n}/agents/ann/arms"
            found = [call("POST", path, {"arms": ["a"]}).status for call in (other, maker)]
            assert 200 in found, (n, found)
    finally:
        for each in both:
            each.end()
