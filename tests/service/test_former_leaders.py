"""A process that slept past its lease says nothing about a market that another one serves."""

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from copyproof.live.stores import open_store
from tests.postgres import Server
from tests.service.conftest import filled
from tests.service.serving import Answer, Caller, Program
from tests.service.test_two_processes import _settled

ASK = "/v1/markets/site/decisions"
TELL = "/v1/markets/site/rewards"
STATISTICS = "/v1/markets/site/statistics"
TRIALS = 1


def _decided(url: str, key: str) -> Any:
    """The decision that a process makes, as soon as it serves the market."""
    until = time.monotonic() + 30.0
    while (answer := Caller(url, key)("POST", ASK)).status != 200:
        assert time.monotonic() < until
        time.sleep(0.1)
    return answer.json["decisions"][0]


def _as_it_wakes(former: Program, key: str, decision: Any) -> tuple[Answer, Answer]:
    """What a sleeping process answers to requests that lie before it as it wakes."""
    told = {"decision": decision["id"], "reward": 1}
    with ThreadPoolExecutor() as pool:
        waiting = (
            pool.submit(Caller(former.url, key), "POST", TELL, told),
            pool.submit(Caller(former.url, key), "GET", STATISTICS),
        )
        time.sleep(0.5)
        assert former.process is not None
        former.process.send_signal(signal.SIGCONT)
        reward, statistics = (each.result() for each in waiting)
        return reward, statistics


def test_a_former_leader_neither_refuses_nor_reads_from_memory(postgres: Server) -> None:
    url = postgres.new_url()
    with open_store(url) as store:
        key = filled(store)["operator"]
    one, other = Program(url, "--lease", "2"), Program(url, "--lease", "2")
    try:
        one.start()
        other.start()
        for _ in range(TRIALS):
            one, other = _settled(one, other, key)
            _decided(one.url, key)
            assert one.process is not None
            one.process.send_signal(signal.SIGSTOP)
            decision = _decided(other.url, key)
            reward, statistics = _as_it_wakes(one, key, decision)
            # It may have the market again by the time it answers: then it knows the decision.
            assert reward.status in (200, 503), reward.body
            if statistics.status == 200:
                assert statistics.json["plays"] >= decision["round"]
            else:
                assert statistics.status == 503, statistics.body
    finally:
        one.end()
        other.end()
