r"""Copy groups: arms that are the same thing, as far as a log can tell, and by what evidence.

**By content.** Arms whose fingerprints are alike form a group (``fingerprints.alike``, in the order
in which they came). A copy in this game pays as its original does, so the rewards are looked at as
well: with n_k plays, mean r_k and a common variance v, Q = Σ n_k (r_k − r)²/v is about χ² with
K − 1 degrees of freedom if all K arms have one mean. An agent holds copies if its *own* arms of the
group pass that test: what others registered says nothing about it. Where its arms have a chance
below 10⁻⁶ they *differ*: alike by a template, say, and not copies; it is not called a copier for
them, and they stand one by one in the estimated market.

**By rewards.** Without contents, equal *histories* are evidence: arms whose first m rewards agree
one by one, m = 64 or 16, where independent arms would hardly do so: with c the chance that two
rewards of such an arm are equal, the larger of (repeats + 1)/(m + 1) and the sum of the squared
shares of its values, the number of pairs times c^m must be below 1/1000. It finds rewards that are
a property of the thing; copies whose clicks are drawn anew have histories of their own, and are not
found by it. Nor is it proof: nobody is called a copier for it.

Arms with *means* that cannot be told apart are no group at all: twenty honest arms of about the
same quality look just so.
"""

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from copyproof.fingerprints import THRESHOLDS, Alike, Thresholds, alike
from copyproof.inspect.scan import Scan
from copyproof.inspect.tally import OPENING, Tally

Kind: TypeAlias = Literal["content", "rewards"]
_LEVELS = (OPENING, 16)
_MOST_EXPECTED = 1e-3
_LEAST_CHANCE = 1e-6
_MOST_NAMED = 3  # agents


@dataclass(frozen=True, slots=True)
class Group:
    """Arms that are the same thing, it seems.

    Attributes
    ----------
    arms : tuple of (str, str)
        Agent and arm of each, the first to come first.
    kind : {"content", "rewards"}
        By what they were found.
    evidence : str
        In words.
    plays : int
        Of all of them.
    share : float
        Of all plays of the log.
    similarity : float or None
        The least similarity to the first, for contents.
    agree : bool
        Whether the rewards of all of them agree with one mean.
    holders : tuple of str
        Agents with several of them whose own rewards agree with one mean, for contents.
    numbers : tuple of int
        Their numbers in the log.
    """

    arms: tuple[tuple[str, str], ...]
    kind: Kind
    evidence: str
    plays: int
    share: float
    similarity: float | None
    agree: bool
    holders: tuple[str, ...]
    numbers: tuple[int, ...]

    @property
    def agents(self) -> tuple[str, ...]:
        """Who holds them."""
        return tuple(dict.fromkeys(agent for agent, _ in self.arms))

    @property
    def copies(self) -> dict[str, int]:
        """Arms beyond the first of each agent, where the group is evidence of copying."""
        held = Counter(agent for agent, _ in self.arms)
        return {agent: held[agent] - 1 for agent in self.holders}

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "arms": [{"agent": agent, "arm": arm} for agent, arm in self.arms],
            "evidence": self.evidence,
            "plays": self.plays,
            "share": self.share,
            "kind": self.kind,
            "agents": list(self.agents),
            "similarity": self.similarity,
            "rewards_agree": self.agree,
            "copies": self.copies,
        }


def find_groups(found: Scan, thresholds: Thresholds = THRESHOLDS) -> tuple[Group, ...]:
    """Return the groups of a log, those with most plays first."""
    tally = found.tally
    order = sorted(found.fingerprints, key=lambda arm: (tally.first[arm], arm))
    by_content = alike(((arm, found.fingerprints[arm]) for arm in order), thresholds)
    groups = [_content_group(found, one) for one in by_content]
    together = {arm: place for place, one in enumerate(by_content) for arm in one.keys}
    for numbers, level, chance in _equal_histories(tally):
        if len({together.get(arm, -1 - arm) for arm in numbers}) > 1:
            evidence = (
                f"the first {level} rewards are equal, one by one; among independent arms "
                f"{chance:.1g} such pairs are to be expected"
            )
            groups.append(_group(found, numbers, "rewards", evidence))
    return tuple(sorted(groups, key=lambda group: -group.plays))


def _content_group(found: Scan, one: Alike[int]) -> Group:
    tally, members = found.tally, np.array(one.keys)
    chance = _chance_of_one_mean(tally, members)
    owners = tally.owner[members]
    holders = tuple(
        found.agents[agent]
        for agent, count in Counter(owners.tolist()).items()
        if count > 1 and _chance_of_one_mean(tally, members[owners == agent]) >= _LEAST_CHANCE
    )
    evidence = f"contents are alike, by {one.least:.2f} or more to the first"
    agree = chance >= _LEAST_CHANCE
    if agree:
        evidence += "; rewards agree with one mean"
    elif holders:
        named = ", ".join(holders[:_MOST_NAMED])
        named += f" and {len(holders) - _MOST_NAMED:,} more" * (len(holders) > _MOST_NAMED)
        all_agents = f"those of all agents differ (chance {chance:.0e} if they had one mean)"
        evidence += f"; rewards of {named} agree with one mean, but {all_agents}"
    else:
        evidence += f"; but the rewards differ (chance {chance:.0e} if they had one mean)"
    return _group(
        found, list(one.keys), "content", evidence, one.least, agree=agree, holders=holders
    )


def _group(
    found: Scan,
    numbers: list[int],
    kind: Kind,
    evidence: str,
    similarity: float | None = None,
    *,
    agree: bool = True,
    holders: tuple[str, ...] = (),
) -> Group:
    tally = found.tally
    plays = int(tally.plays[numbers].sum())
    arms = tuple((found.agents[tally.owner[k]], found.arms[tally.name[k]]) for k in numbers)
    share = plays / tally.rows
    return Group(arms, kind, evidence, plays, share, similarity, agree, holders, tuple(numbers))


def _chance_of_one_mean(tally: Tally, arms: NDArray[np.int64]) -> float:
    """P(χ² ≥ Q), by Wilson and Hilferty's cube root."""
    plays, total = tally.plays[arms].astype(float), tally.total[arms]
    mean = total.sum() / plays.sum()
    variance = tally.squares[arms].sum() / plays.sum() - mean**2
    freedom = len(arms) - 1
    if variance <= 1e-12 * (tally.most - tally.least) ** 2:
        return 1.0
    # A mean of few plays is not normal: half a reward of each arm's distance is forgiven.
    away = np.maximum(np.abs(total - plays * mean) - 0.5 * math.sqrt(variance), 0.0)
    Q = float((away**2 / plays).sum() / variance)
    spread = math.sqrt(2 / (9 * freedom))
    z = ((Q / freedom) ** (1 / 3) - (1 - spread**2)) / spread
    return 0.5 * math.erfc(z / math.sqrt(2))


def _equal_histories(tally: Tally) -> list[tuple[list[int], int, float]]:
    """Arms whose first rewards are equal: their numbers, how many rewards, pairs expected."""
    plays = tally.plays[: tally.count]
    pairs = tally.count * (tally.count - 1) / 2
    seen: set[int] = set()
    found = []
    for level in _LEVELS:
        there = np.flatnonzero(plays >= level)
        by_history: dict[bytes, list[int]] = {}
        for arm, opening in zip(there.tolist(), tally.opening[there, :level], strict=True):
            by_history.setdefault(opening.tobytes(), []).append(arm)
        for numbers in by_history.values():
            if len(numbers) < 2 or seen.issuperset(numbers):
                continue
            opening = tally.opening[numbers[0], :level]
            repeats = int((opening[1:] == opening[:-1]).sum())
            _, counts = np.unique(opening, return_counts=True)
            c = max((repeats + 1) / (level + 1), float(counts @ counts) / level**2)
            chance = pairs * c**level
            if chance < _MOST_EXPECTED:
                seen.update(numbers)
                found.append((numbers, level, chance))
    return found
