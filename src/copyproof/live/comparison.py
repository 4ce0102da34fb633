"""Two policies on the same requests: how often they agree, and what their decisions are worth.

In each round both policies say what they would show, given all that was shown before. One of them
is drawn: the second with probability s, its *share*, else the first. With r, what the play is
worth, and q, the probability with which a policy is drawn, the worth of the policy's own decision
is estimated by

    r if both agree;  r/q if they do not, and the policy was drawn;  0 if the other one was,

whose expectation, given all before, is the worth of what the policy would have shown (inverse
propensities). Where q = 0, as for a shadow, nobody has seen what its own decisions pay where they
differ: their worth is only known to lie between 0 and 1, and so the mean between two limits. The
difference of the two policies is 0 where they agree, and so is known best.

Decisions enter in the order in which they were made, up to the first whose worth is not known yet.
Limits hold for all such beginnings at once (``running_mean``), whichever of them the order in which
rewards come, early clicks or late zeros, happens to pick.

On a slate the one draw is for all places: from the first place on where the two differ, the slates
are different ones, and count as such.
"""

from array import array
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from copyproof.client.records import Estimate
from copyproof.live.running_mean import RunningMean

Which: TypeAlias = Literal["first", "candidate", "difference"]

_DRAWN, _AGREED = 1, 2
_TRIMMED = 4096  # flags that are let go at once


class Comparison:
    """The decisions of two policies since a round.

    Parameters
    ----------
    share : float
        With which probability the second one is drawn.
    since : int
        The last round before.

    Examples
    --------
    >>> found = Comparison(share=0.5, since=0)
    >>> found.decide([True, False], [False, True])
    >>> found.settle(1.0)
    >>> found.settle(1.0)
    >>> found.estimate("candidate").mean
    1.5
    """

    def __init__(self, share: float, since: int) -> None:
        self.share, self.since = share, since
        self.decisions = self.drawn = self.agreed = 0
        self.settled = 0
        self._flags = array("b")  # of decisions, the first ``_start`` of which are settled
        self._start = 0
        chance = {"first": 1.0 - share, "candidate": share}
        widths = {name: 1.0 / q if q > 0.0 else 1.0 for name, q in chance.items()}
        widths["difference"] = sum(widths.values()) if 0.0 < share < 1.0 else 1.0
        # The least and the most that what is estimated may be.
        self._means = {name: (RunningMean(c), RunningMean(c)) for name, c in widths.items()}

    def decide(self, drawn: Sequence[bool], agreed: Sequence[bool]) -> None:
        """Note decisions: whether the second policy was drawn, and whether both agree."""
        both = zip(drawn, agreed, strict=True)
        self._flags.extend(_DRAWN * mine + _AGREED * same for mine, same in both)
        self.decisions += len(drawn)
        self.drawn += sum(drawn)
        self.agreed += sum(agreed)

    @property
    def next(self) -> int:
        """The first round whose worth is not known yet."""
        return self.since + self.settled + 1

    def is_drawn(self, round_: int) -> bool:
        """Whether the second policy was drawn in a round whose worth is not known yet."""
        place = self._start + round_ - self.next
        return round_ >= self.next and bool(self._flags[place] & _DRAWN)

    def settle(self, worth: float) -> None:
        """Note what the next decision is worth."""
        flags = self._flags[self._start]
        self._start += 1
        self.settled += 1
        if self._start >= _TRIMMED:
            del self._flags[: self._start]
            self._start = 0
        agreed, drawn = bool(flags & _AGREED), bool(flags & _DRAWN)
        first = _bounds(worth, 1.0 - self.share, agreed, mine=not drawn)
        second = _bounds(worth, self.share, agreed, mine=drawn)
        apart = (0.0, 0.0) if agreed else (second[0] - first[1], second[1] - first[0])
        found = {"first": first, "candidate": second, "difference": apart}
        for name, values in found.items():
            for mean, value in zip(self._means[name], values, strict=True):
                mean.add(value)

    def estimate(self, which: Which) -> Estimate:
        """The mean worth of a decision, with 95 % limits; no mean where it cannot be known."""
        least, most = (-1.0, 1.0) if which == "difference" else (0.0, 1.0)
        low, high = self._means[which]
        if low.count == 0:
            return Estimate(None, least, most)
        return Estimate(
            low.mean if low.total == high.total else None,
            min(max(low.mean - low.margin, least), most),
            max(min(high.mean + high.margin, most), least),
        )

    def words(self) -> dict[str, Any]:
        """Everything but the flags, ready for JSON."""
        counts = [self.since, self.decisions, self.drawn, self.agreed, self.settled]
        means = {name: [one.to_list() for one in pair] for name, pair in self._means.items()}
        return {"share": self.share, "counts": counts, "means": means}

    @property
    def flags(self) -> Sequence[int]:
        """What is noted of decisions whose worth is not known yet."""
        return self._flags[self._start :]

    @classmethod
    def restore(cls, words: dict[str, Any], flags: Sequence[int]) -> "Comparison":
        """Read what ``words`` and ``flags`` gave."""
        since, *counts = words["counts"]
        found = cls(words["share"], since)
        found.decisions, found.drawn, found.agreed, found.settled = counts
        found._flags.extend(flags)
        for name, (low, high) in words["means"].items():
            found._means[name] = RunningMean.from_list(low), RunningMean.from_list(high)
        return found


def _bounds(worth: float, chance: float, agreed: bool, *, mine: bool) -> tuple[float, float]:
    """The least and the most that a policy's own decision counts for."""
    if agreed:
        return worth, worth
    if chance == 0.0:
        return 0.0, 1.0
    found = worth / chance if mine else 0.0
    return found, found
