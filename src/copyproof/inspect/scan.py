"""The scan of a log: one pass, block by block, with every row used or counted as bad."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copyproof.fingerprints import Fingerprint
from copyproof.inspect.columns import MISSING, Codes, numbers, times
from copyproof.inspect.contents import ContentKind, Contents
from copyproof.inspect.problems import MOST_SHOWN, Problem, Problems
from copyproof.inspect.rates import Scale, scale_of
from copyproof.inspect.reading import Log
from copyproof.inspect.sampled_rows import SampledRows
from copyproof.inspect.tally import Tally
from copyproof.validation import LONGEST_NAME, FieldError

NEGATIVE = "a reward below 0"
IMPOSSIBLE = "a propensity that is not in (0, 1]"
OUTSIDE = "a reward that is not in the range"
LARGEST = 5e18  # that a number may be: times in nanoseconds are smaller, and squares add up


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns of a log hold what."""

    agent: str = "agent"
    arm: str = "arm"
    reward: str = "reward"
    time: str | None = None
    content: tuple[str, ...] = ()
    propensity: str | None = None

    @property
    def fields(self) -> dict[str, str]:
        """All of them, each with the field that names it."""
        names = {self.agent: "agent", self.arm: "arm", self.reward: "reward"}
        more = {self.time: "time", self.propensity: "propensity"}
        names |= {name: field for name, field in more.items() if name is not None}
        return names | dict.fromkeys(self.content, "content")


@dataclass(frozen=True, slots=True)
class Scan:
    """What one pass over a log has found.

    Attributes
    ----------
    rows : int
        Read in all; ``tally.rows`` of them were used.
    agents, arms : tuple of str
        Names, by the codes that the tally has.
    tally : Tally
        Sums for each arm.
    fingerprints : dict of int to Fingerprint
        By the arm's number.
    problems : tuple of Problem
        Rows that are bad or odd.
    has_time : bool
        Whether times were given; else the row's number stands for it.
    propensities : SampledRows or None
        Rows with the probabilities of their decisions, where these were given.
    scale : Scale
        The range of the rewards.
    groups : dict of str to str
        The principal of each agent that is bound to one, as a journal has it.
    notes : tuple of str
        What games do not take into account of it.
    """

    rows: int
    agents: tuple[str, ...]
    arms: tuple[str, ...]
    tally: Tally
    fingerprints: dict[int, Fingerprint]
    problems: tuple[Problem, ...]
    has_time: bool
    propensities: SampledRows | None
    scale: Scale
    groups: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def is_binary(self) -> bool:
        """Whether every reward is at one of the two ends of the range."""
        ends = {self.scale.low, self.scale.high}
        return self.tally.is_binary and {self.tally.least, self.tally.most} <= ends


def scan(
    path: Path, columns: Columns, content_kind: ContentKind = "text", given: Scale | None = None
) -> Scan:
    """Read a log once; rows with a reward outside the given range are bad.

    Raises
    ------
    FieldError
        If it cannot be read, lacks a column, or has no row that can be used.
    """
    problems = Problems()
    log = Log(path, columns.fields, problems)
    if log.journal is not None:
        columns = Columns(time="time")
    if content_kind != "text" and len(columns.content) > 1:
        raise FieldError("content", columns.content, f"one column, for a {content_kind}")
    reader = _Scanner(columns, content_kind, problems, given)
    reader.is_ordered = log.journal is None  # rewards come when they come
    for block in log.blocks():
        reader.add(block, log.rows)
    if reader.tally.rows == 0:
        said = f"= {path} has no row that can be used"
        worst = "; ".join(str(one) for one in problems.found()[:2])
        raise FieldError("LOG", str(path), "a log", f"{said}: {worst}" if worst else said)
    of_journal: dict[str, Any] = {}
    prints = reader.contents.fingerprints
    if log.journal is not None:
        prints = reader.prints_of(log.journal.fingerprints())
        of_journal = {"groups": log.journal.groups(), "notes": tuple(log.journal.notes())}
    return Scan(
        rows=log.rows + log.skipped,
        agents=tuple(reader.agents.names),
        arms=tuple(reader.arms.names),
        tally=reader.tally,
        fingerprints=prints,
        problems=problems.found(),
        has_time=columns.time is not None,
        propensities=reader.sampled if columns.propensity is not None else None,
        scale=given or scale_of(reader.tally.least, reader.tally.most),
        **of_journal,
    )


class _Scanner:
    """The state of a scan."""

    def __init__(
        self, columns: Columns, kind: ContentKind, problems: Problems, given: Scale | None
    ) -> None:
        self.columns, self.problems, self.given = columns, problems, given
        self.agents, self.arms = Codes("agent"), Codes("arm")
        self.tally, self.contents = Tally(), Contents(kind)
        self.sampled = SampledRows()
        self.is_ordered = True  # whether rows should come in the order of their times

    def add(self, block: Any, before: int) -> None:
        """Take in a block of rows, ``before`` of which have been read."""
        if block.num_rows == 0:
            return
        columns = self.columns
        agents, arms = self.agents.of(block[columns.agent]), self.arms.of(block[columns.arm])
        rewards, missing = numbers(block[columns.reward])
        good = np.ones(len(agents), bool)
        self._names("agent", agents, block[columns.agent], good, before)
        self._names("arm", arms, block[columns.arm], good, before)
        self._numbers("reward", rewards, missing, block[columns.reward], good, before)
        if self.given is not None:
            outside = (rewards < self.given.low) | (rewards > self.given.high)
            self._bad(OUTSIDE, np.flatnonzero(good & outside), block[columns.reward], before)
            good &= ~outside
        at = np.arange(before, before + len(agents), dtype=float)
        if columns.time is not None:
            at, missing = times(block[columns.time])
            self._numbers("time", at, missing, block[columns.time], good, before)
        chances = np.ones(len(agents))
        if columns.propensity is not None:
            chances, missing = numbers(block[columns.propensity])
            self._numbers("propensity", chances, missing, block[columns.propensity], good, before)
            wrong = np.flatnonzero(good & ~((chances > 0) & (chances <= 1)))
            self._bad(IMPOSSIBLE, wrong, block[columns.propensity], before)
            good[wrong] = False
        kept = np.flatnonzero(good)
        if len(kept) == 0:
            return
        if len(kept) < len(good):
            agents, arms, rewards, at = agents[kept], arms[kept], rewards[kept], at[kept]
        negative = np.flatnonzero((rewards < 0) & (self.given is None))
        if len(negative):
            self._bad(NEGATIVE, kept[negative], block[columns.reward], before, left_out=False)
        if columns.time is not None and self.is_ordered:
            self.tally.check_order(at, kept, self.problems, before)
        found = self.tally.arms(agents, arms, kept, self.problems, before)
        self.tally.add(found, rewards, at, len(self.agents.names))
        if columns.propensity is not None:
            self.sampled.add(before + kept, found, rewards, chances[kept])
        if columns.content:
            content = [block[name] for name in columns.content]
            self.contents.add(content, kept, found, self.problems, before)

    def prints_of(self, known: Mapping[tuple[str, str], Fingerprint]) -> dict[int, Fingerprint]:
        """Fingerprints that are known by agent and arm, by the arms' numbers."""
        tally, agents, arms = self.tally, self.agents.names, self.arms.names
        names = ((agents[tally.owner[k]], arms[tally.name[k]]) for k in range(tally.count))
        return {k: known[name] for k, name in enumerate(names) if name in known}

    def _names(
        self,
        field: str,
        codes: NDArray[np.int64],
        column: Any,
        good: NDArray[np.bool_],
        before: int,
    ) -> None:
        if codes.min() >= 0:
            return
        for what, where in (
            (f"no {field}", codes == MISSING),
            (
                f"an {field} that is not one line of at most {LONGEST_NAME} visible characters "
                "in UTF-8",
                codes < MISSING,
            ),
        ):
            self._bad(what, np.flatnonzero(where & good), column, before)
        good &= codes >= 0

    def _numbers(
        self,
        field: str,
        values: NDArray[np.float64],
        missing: NDArray[np.bool_],
        column: Any,
        good: NDArray[np.bool_],
        before: int,
    ) -> None:
        usable = np.abs(values) <= LARGEST  # not of NaN
        if usable.all():
            return
        finite = np.isfinite(values)
        for what, where in (
            (f"no {field}", missing),
            (f"a {field} that is no finite number", ~finite & ~missing),
            (f"a {field} beyond ±{LARGEST:.0e}", finite & ~usable),
        ):
            self._bad(what, np.flatnonzero(where & good), column, before)
        good &= usable

    def _bad(
        self,
        what: str,
        places: NDArray[np.int64],
        column: Any,
        before: int,
        *,
        left_out: bool = True,
    ) -> None:
        few = {place: column[place].as_py() for place in places[:MOST_SHOWN].tolist()}
        texts = {
            place: value.decode(errors="replace") if isinstance(value, bytes) else value
            for place, value in few.items()
        }
        self.problems.add_rows(what, places, before, texts, left_out=left_out)
