"""How often the limits of the example in ``docs/how-to/off-policy.md`` hold: one log per seed.

``python benchmarks/off_policy_coverage.py [--logs 2000] [--rows 20000]``. Writes
``results/off_policy_coverage.json``: of each estimator the share of logs whose 95 % limits have the
truth between them, with its own limits, and on which side it lies where they have not.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from copyproof.off_policy import Value, arm_policy_values

RESULTS = Path(__file__).parent / "results"
LOGGING = np.array([0.6, 0.3, 0.1])
MEANS = np.array([0.05, 0.10, 0.20])
ALIKE = np.full(3, 1 / 3)


def covered(seed: int, rows: int) -> list[tuple[str, int]]:
    """Of each estimator: 0 if the limits hold, −1 if they are below the truth, 1 if above."""
    rng = np.random.default_rng(seed)
    arms = rng.choice(3, size=rows, p=LOGGING)
    clicks = (rng.random(rows) < MEANS[arms]).astype(float)
    truth = float(ALIKE @ MEANS)
    found = []
    for one in arm_policy_values(arms, clicks, LOGGING[arms], ALIKE):
        assert isinstance(one, Value)
        side = -1 if one.value.high < truth else 1 if one.value.low > truth else 0
        found.append((one.estimator, side))
    return found


def main() -> None:
    """Measure, write and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logs", type=int, default=2000)
    parser.add_argument("--rows", type=int, default=20_000)
    given = parser.parse_args()
    sides: dict[str, list[int]] = {}
    for seed in range(given.logs):
        for estimator, side in covered(seed, given.rows):
            sides.setdefault(estimator, []).append(side)
    summary: dict[str, Any] = {"logs": given.logs, "rows": given.rows, "estimators": {}}
    for estimator, found in sides.items():
        share = found.count(0) / len(found)
        error = 1.96 * (share * (1 - share) / len(found)) ** 0.5
        missed = [seed for seed in range(10) if found[seed]]
        summary["estimators"][estimator] = {
            "held": share,
            "low": share - error,
            "high": share + error,
            "below": found.count(-1),
            "above": found.count(1),
            "missed_of_the_first_ten_seeds": missed,
        }
        print(f"{estimator:14} {share:.4f} ± {error:.4f}, missed by seeds {missed}")
    path = RESULTS / "off_policy_coverage.json"
    path.write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
