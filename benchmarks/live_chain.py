"""What one event costs in the principal, with its chain: ``python benchmarks/live_chain.py``.

Decisions and rewards in groups of sixty, and batches of 100, on an SQLite file that does not wait
for the disk; in microseconds of the processor. It runs with versions without a chain, too.
"""

import tempfile
import time

from copyproof.live import MarketConfig, Principal
from copyproof.live.stores import open_store

GROUPS, BATCHES = 100, 200


def measure(url: str) -> list[float]:
    with open_store(url) as store:
        principal = Principal("h-ucb", store, config=MarketConfig(seed=1))
        principal.register_arms([(f"agent {i}", f"arm {j}") for i in range(100) for j in range(20)])
        principal.ask(1000)
        times = [time.process_time()]
        for _ in range(GROUPS):
            with principal.group():
                for _ in range(30):
                    [decision] = principal.ask()
                    principal.tell(decision.id, 1.0)
        times.append(time.process_time())
        asked = [principal.ask(100) for _ in range(BATCHES)]
        times.append(time.process_time())
        for decisions in asked:
            principal.tell_many([(decision.id, 1.0) for decision in decisions])
        times.append(time.process_time())
    counts = (60 * GROUPS, BATCHES, BATCHES)
    return [1e6 * (times[n + 1] - times[n]) / count for n, count in enumerate(counts)]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        one, decisions, rewards = measure(f"sqlite:{folder}/live.db?synchronous=off")
    print(f"a decision or a reward: {one:.1f} µs; 100 decisions: {decisions:.0f} µs; ", end="")
    print(f"100 rewards: {rewards:.0f} µs")
