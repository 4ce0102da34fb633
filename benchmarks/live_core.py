"""The live principal without HTTP: ``python benchmarks/live_core.py [--policy P] [--arms N]``.

Single decisions and batches on the memory store; a million arms in ten thousand agents; and the
start from a journal of a million events in SQLite, which must arrive at the same digest. Every
figure comes with the processor's seconds, as other work on the machine makes the clock's longer.
"""

import argparse
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from copyproof.live import MarketConfig, Principal
from copyproof.live.stores import open_store


class Timer:
    clock = 0.0
    processor = 0.0

    def __str__(self) -> str:
        return f"{self.clock:7.2f} s by the clock, {self.processor:7.2f} s of the processor"


@contextmanager
def timed() -> Iterator[Timer]:
    timer = Timer()
    clock, processor = time.perf_counter(), time.process_time()
    yield timer
    timer.clock = time.perf_counter() - clock
    timer.processor = time.process_time() - processor


def latencies(what: str, call: Callable[[], object], count: int) -> None:
    taken = []
    for _ in range(count):
        begin = time.perf_counter()
        call()
        taken.append(1000 * (time.perf_counter() - begin))
    taken.sort()
    print(f"{what}: p50 {taken[count // 2]:.3f} ms, p99 {taken[count * 99 // 100]:.3f} ms")


def small(policy: str) -> None:
    principal = Principal(policy)
    principal.register_arms([(f"agent {i}", f"arm {j}") for i in range(100) for j in range(20)])
    principal.ask(1000)
    with timed() as timer:
        for _ in range(10_000):
            [decision] = principal.ask()
            principal.tell(decision.id, 1.0)
    print(f"10,000 single decisions and rewards: {timer}")
    with timed() as timer:
        for _ in range(1000):
            principal.ask(100)
    print(f"100,000 decisions in batches of 100: {timer} ({1e5 / timer.processor:,.0f} / s)")
    told = [[(one.id, 1.0) for one in principal.ask(100)] for _ in range(1000)]
    with timed() as timer:
        for many in told:
            principal.tell_many(many)
    print(f"100,000 rewards in batches of 100:   {timer} ({1e5 / timer.processor:,.0f} / s)")


def large(policy: str, arms: int) -> None:
    agents = max(1, arms // 100)
    principal = Principal(policy)
    with timed() as timer, principal.group():
        for first in range(0, agents, 100):
            some = range(first, min(agents, first + 100))
            principal.register_arms([(f"agent {i}", f"arm {j}") for i in some for j in range(100)])
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{100 * agents:,} arms in {agents:,} agents: {timer}, {memory:,.0f} MB")
    with timed() as timer:
        principal.ask()
    print(f"the first decision, which lays the trees: {timer}")
    latencies("a decision", principal.ask, 5000)
    latencies("100 decisions", lambda: principal.ask(100), 500)
    latencies("a slate of 10", lambda: principal.ask(10, slate=True), 200)
    some = {f"agent {i}": ["arm 1", "arm 7"] for i in range(0, agents, max(1, agents // 50))}
    latencies("one of 100 eligible arms", lambda: principal.ask(eligible=some), 1000)
    with timed() as timer:
        principal.snapshot()
    print(f"a snapshot: {timer}")
    with timed() as timer:
        again = Principal(store=principal.store)
    print(f"the start from it: {timer}")
    assert again.digest() == principal.digest()


def replay(policy: str, events: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:{Path(folder) / 'live.db'}"
        with open_store(url) as store:
            principal = Principal(policy, store, config=MarketConfig(seed=1))
            arms = [(f"agent {i}", f"arm {j}") for i in range(100) for j in range(20)]
            principal.register_arms(arms)
            with timed() as timer:
                while principal.last < events:
                    with principal.group():
                        for _ in range(min(500, (events - principal.last + 1) // 2)):
                            [decision] = principal.ask()
                            principal.tell(decision.id, decision.round % 7 / 6)
            digest = principal.digest()
            print(f"{principal.last:,} events written, 1,000 to a commit: {timer}")
        with open_store(url) as store:
            with timed() as timer:
                principal = Principal(store=store)
            print(f"the start from that journal: {timer}")
            assert principal.digest() == digest, "the replayed state differs"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--policy", default=MarketConfig().policy)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--arms", type=int, default=1_000_000)
    given = parser.parse_args()
    Principal(given.policy).register_arm("compile", "first")
    print(given.policy)
    small(given.policy)
    large(given.policy, given.arms)
    replay(given.policy, given.events)
