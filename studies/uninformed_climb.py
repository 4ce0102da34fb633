"""The largest gain of copies that a climb finds, for an agent who knows only a prior.

    python studies/uninformed_climb.py [--policy P] [--steps N] [--out FOLDER]

Ann has some arms of one prior, "one good mean among bad ones", and stands beside one rival. A step
changes these numbers a little, the horizon and the number of copies, too. It is kept if copies of
every arm gain more, in per cent of the best that ann earns without copies. The last market is
played anew with another seed and ``--games`` games, against every number of arms shown once. So the
selection is no evidence. A climb finds a large gain, and does not show that none is larger.

Writes ``uninformed_climb.csv`` and ``uninformed_climb.md``, a row for each policy.
"""

import argparse
import csv
import io
import random
from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from copyproof import Agent, ListPrior, Market, parse_policy, simulate
from copyproof._files import write_atomically
from copyproof.policy import ALIASES
from copyproof.simulation import Interval
from runs import RESULTS

POLICIES = (ALIASES["default"], ALIASES["default-anytime"])
STEPS, CLIMBING, EVIDENCE = 30, 1000, 8000
"""Steps of a climb, games of a step, and games of what is published."""


@dataclass(frozen=True)
class Place:
    """A market of ann and one rival, and how she copies."""

    good: float
    bad: float
    bad_arms: int
    arms: int
    rival: float
    horizon: int
    copies: int

    def market(self, shown: int, copies: int) -> Market:
        """The market in which ann registers so many arms, each that many times."""
        prior = ListPrior([self.good] + [self.bad] * self.bad_arms)
        counts = [copies] * shown + [0] * (self.arms - shown)
        ann = Agent("ann", [prior] * self.arms, copies=counts)
        return Market([ann, Agent("rival", [self.rival])])

    def near(self, rng: random.Random) -> "Place":
        """A place a little away."""

        def moved(value: float, step: float, low: float, high: float) -> float:
            return round(min(high, max(low, value + rng.gauss(0, step))), 2)

        return Place(
            moved(self.good, 0.04, 0.3, 1),
            moved(self.bad, 0.04, 0, 0.5),
            min(40, max(1, self.bad_arms + rng.randint(-3, 3))),
            min(20, max(2, self.arms + rng.randint(-2, 2))),
            moved(self.rival, 0.04, 0.2, 1),
            min(3000, max(50, round(self.horizon * rng.uniform(0.8, 1.25)))),
            rng.choice([2, 3, 5, 20, self.copies]),
        )


STARTS = (
    Place(0.9, 0.1, 4, 4, 0.9, 400, 5),
    Place(0.94, 0.11, 11, 4, 0.97, 450, 3),
    Place(0.5, 0.05, 3, 3, 0.5, 1000, 3),
)


@dataclass(frozen=True)
class Gain:
    """What copies gain over the best number of arms shown once, in rewards."""

    shown: int
    plain: float
    copying: float
    gain: Interval

    @property
    def share(self) -> float:
        """The gain in per cent of what ann earns without copies."""
        return 100 * self.gain.mean / max(self.plain, 1e-9)


def gain_at(policy: str, place: Place, games: int, seed: int, numbers: Sequence[int]) -> Gain:
    """Play one place, with these numbers of arms shown once to compare with."""

    def revenue(shown: int, copies: int) -> NDArray[np.float64]:
        result = simulate(
            place.market(shown, copies),
            policy,
            horizon=place.horizon,
            repetitions=games,
            seed=seed,
            checkpoints=1,
        )
        return np.asarray(result.revenue[:, 0])

    plain = {shown: revenue(shown, 1) for shown in numbers}
    best = max(plain, key=lambda shown: float(plain[shown].mean()))
    copying = revenue(place.arms, place.copies)
    return Gain(
        best,
        float(plain[best].mean()),
        float(copying.mean()),
        Interval.of(copying - plain[best]),
    )


def climb(policy: str, start: Place, steps: int, games: int) -> Place:
    """The last of the steps that raise the gain."""
    rng = random.Random(f"{policy} {start}")

    def height(place: Place) -> float:
        few = sorted({1, place.arms - 1, place.arms})
        return gain_at(policy, place, games, 5, few).share

    place, reached = start, height(start)
    for _ in range(steps):
        other = place.near(rng)
        if (share := height(other)) > reached:
            place, reached = other, share
    return place


def largest(policy: str, steps: int, climbing: int, evidence: int) -> tuple[Place, Gain]:
    """The best of the climbs from all starts, played anew."""
    ends = [climb(policy, start, steps, climbing) for start in STARTS]
    found = [(end, gain_at(policy, end, evidence, 99, range(1, end.arms + 1))) for end in ends]
    return max(found, key=lambda one: one[1].share)


def as_markdown(found: Sequence[tuple[str, Place, Gain]]) -> str:
    """A row for each policy."""
    text = [
        "| policy | prior | arms | rival | $T$ | copies of each | revenue without copies "
        "| with copies | gain, % |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for policy, place, gain in found:
        ends = (100 * end / gain.plain for end in (gain.gain.low, gain.gain.high))
        share, low, high = (f"{one:+.1f}".replace("-", "−") for one in (gain.share, *ends))
        text.append(
            f"| `{policy}` | {place.good:g} (1 in {place.bad_arms + 1}) or {place.bad:g} "
            f"| {place.arms} | {place.rival:g} | {place.horizon:,} | {place.copies} "
            f"| {gain.plain:.2f} ({gain.shown} shown) | {gain.copying:.2f} "
            f"| {share} [{low}, {high}] |"
        )
    return "\n".join(text) + "\n"


def main() -> None:
    """Climb, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--policy", action="append", help="instead of all")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--games", type=int, default=EVIDENCE)
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args()
    found = []
    for policy in asked.policy or POLICIES:
        parse_policy(policy)
        found.append((policy, *largest(policy, asked.steps, CLIMBING, asked.games)))
        print(as_markdown(found[-1:]), flush=True)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        ["policy", *asdict(STARTS[0]), "shown", "plain", "copying", "gain", "low", "high"]
    )
    for policy, place, gain in found:
        numbers = (gain.shown, gain.plain, gain.copying, *astuple(gain.gain))
        writer.writerow([policy, *astuple(place), *(f"{number:.6g}" for number in numbers)])
    write_atomically(asked.out / "uninformed_climb.csv", text.getvalue().encode())
    write_atomically(asked.out / "uninformed_climb.md", as_markdown(found).encode())


if __name__ == "__main__":
    main()
