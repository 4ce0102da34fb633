"""Time, memory and states of exact computations: ``python benchmarks/exact.py``.

Two agents with three arms in all at T = 60, and three agents with four arms in all at T = 24, all
of them different (the worst case), under policies of every kind. Each runs in a process of its own,
so that its peak memory is its own; the compiler's part is in it, its time is not.
"""

import json
import resource
import subprocess
import sys
import time

from copyproof import Agent, Market, exact

CASES = {
    "2 agents, 3 arms": (Market([Agent("a", [0.7, 0.4]), Agent("b", [0.55])]), 60),
    "3 agents, 4 arms": (
        Market([Agent("a", [0.7, 0.4]), Agent("b", [0.55]), Agent("c", [0.9])]),
        24,
    ),
}
POLICIES = ["ucb1", "h-ucb", "prh-ucb", "rh-ucb", "fair(ucb1)", "h-epsilon-greedy"]


def measure(case: str, policy: str) -> dict[str, float]:
    market, horizon = CASES[case]
    exact(market, policy, horizon=2)
    begin, busy = time.perf_counter(), time.process_time()
    found = exact(market, policy, horizon=horizon)
    return {
        "horizon": horizon,
        "seconds": time.perf_counter() - begin,
        "processor": time.process_time() - busy,
        "states": found.states,
        "bound": found.size.total,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def main() -> None:
    if len(sys.argv) == 3:
        print(json.dumps(measure(*sys.argv[1:])))
        return
    print(
        "| market | T | policy | seconds | of the processor, s | peak memory, GB | states | bound |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for case in CASES:
        for policy in POLICIES:
            command = [sys.executable, __file__, case, policy]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            found = json.loads(done.stdout)
            print(
                f"| {case} | {found['horizon']} | `{policy}` | {found['seconds']:.1f} | "
                f"{found['processor']:.1f} | {found['memory'] / 1e9:.2f} | "
                f"{found['states']:,} | {found['bound']:,} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
