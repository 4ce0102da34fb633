"""Every catalogue row has a fingerprint: a digest of its decisions for fixed seeds.

A fingerprint that moves means that results for a given seed have moved. If that has to be, write it
into the changelog and renew the file: ``python -m tests.engine.test_fingerprints``.
"""

import hashlib
import json
from pathlib import Path

import pytest

from copyproof import CATALOGUE, Agent, Market
from copyproof.simulation.decisions import decisions_of_games

FILE = Path(__file__).parent / "fingerprints.json"
MARKET = Market(
    [
        Agent("copies", [0.5, 0.3], copies=[400, 3]),
        Agent("honest", [0.7, 0.2, 0.1]),
        Agent("hides", [0.4, 0.8], copies=[2, 0]),
        Agent("single", [0.6]),
    ]
)


def fingerprint(policy: str) -> str:
    made = decisions_of_games(MARKET, policy, horizon=2000, repetitions=3, seed=2**63 + 5)
    return hashlib.sha256(made.astype("<i4").tobytes()).hexdigest()[:16]


@pytest.mark.parametrize("name", [row.name for row in CATALOGUE])
def test_decisions_have_not_moved(name: str) -> None:
    assert json.loads(FILE.read_text())[name] == fingerprint(name)


if __name__ == "__main__":
    renewed = {row.name: fingerprint(row.name) for row in CATALOGUE}
    FILE.write_text(json.dumps(renewed, indent=1) + "\n")
