"""A live market's journal, as ``copyproof store export`` writes it, as rows of a log.

A row is a decision whose worth is known, as the market's terms have it: the first, the last, the
sum or the largest of its rewards, or the default reward once its window is over. It comes when
nothing can change it any more, or at the end, and has the time at which it was shown. A decision
that still waits for its reward is counted, and is no row.

Every place of a slate is a row, and so is every decision of every segment, and every one that was
shown beside a candidate, whoever made it; what would have been shown instead is none. Fingerprints
stand for contents. An arm without one has its content, if that was said: a text of the operator's
own choice, which is the same as another's or not. Names that are bound to a group at the end are
one principal. Names are tokens there.

What the lines hold is told in ``live.events``, which the laboratory does not import.
"""

import json
from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from copyproof.fingerprints import Fingerprint, of_hashes
from copyproof.inspect.problems import Problems
from copyproof.validation import FieldError

JOURNAL_COLUMNS = ("agent", "arm", "reward", "time")
_WITHOUT_EFFECT = "a reward that does not count: told again, too late, or of no decision here"
_WAITING = "decisions that still wait for their reward"
_SLATE, _SEGMENT, _AMONG, _BESIDE = range(4)

Row = tuple[str, str, float, float]


def is_journal(head: bytes) -> bool:
    """Whether a file begins as a journal does."""
    return b'"copyproof"' in head.partition(b"\n")[0][:200]


class _Play:
    """A decision whose worth may still change."""

    __slots__ = ("arm", "at", "is_default", "worth")

    def __init__(self, arm: int, at: float) -> None:
        self.arm, self.at = arm, at
        self.worth: float | None = None
        self.is_default = False


class JournalReader:
    """What a journal has said so far.

    Parameters
    ----------
    path : Path
        The file, for what is said of it.
    problems : Problems
        Where lines and rewards that do not count are counted.
    """

    def __init__(self, path: Path, problems: Problems) -> None:
        self.path, self.problems = path, problems
        self.lines = self.waiting = 0
        self.agents: dict[str, int] = {}
        self.arms: dict[tuple[str, str], int] = {}
        self._names: list[tuple[str, str]] = []
        self._contents: dict[int, str] = {}
        self._prints: dict[int, str] = {}
        self._groups: dict[int, str] = {}
        self._default, self._counts, self._late = 0.0, "first", "refuse"
        self._open: dict[int, _Play] = {}
        self._due: deque[int] = deque()  # rounds whose window is not over
        self._changing: deque[int] = deque()  # rounds whose worth may change
        self._expired = self._forgotten = 0
        self._conditions: Counter[int] = Counter()
        self._segments: set[str] = set()

    def blocks(self, blocks: Iterator[bytes]) -> Iterator[Any]:
        """Give the decisions whose worth is known as Arrow tables, from blocks of lines."""
        for block in blocks:
            yield from _table([row for line in block.splitlines() for row in self._rows(line)])
        yield from _table([self._row(one) for one in self._open.values() if one.worth is not None])
        for round_, one in self._open.items():
            if one.worth is None:
                self.waiting += 1
                self.problems.add(_WAITING, round_, "/".join(self._names[one.arm]))

    def _rows(self, line: bytes) -> Iterator[Row]:
        """Give the rows that a line completes."""
        self.lines += 1
        try:
            event = json.loads(line)
            if "copyproof" in event:
                self._begin(event)
                return
            match event.get("kind"):
                case "asked":
                    self._ask(event)
                case "told":
                    for round_, reward in zip(event["rounds"], event["rewards"], strict=True):
                        yield from self._tell(int(round_), float(reward))
                case "expired":
                    yield from self._expire(event["upto"], event["forgotten"])
                case "agent":
                    self._agent(event["agent"], event.get("group"))
                case "arms":
                    for agent, arm, *content in event["arms"]:
                        self._arm(agent, arm, *content)
                case "prints":
                    self._prints |= dict(event["arms"])
                case "group":
                    for agent in event["members"]:
                        self._bind(agent, event.get("group"))
                case _:  # what tells of no play and of no name
                    pass
        except FieldError:
            raise
        except (ValueError, KeyError, TypeError, IndexError, AttributeError):
            text = line[:60].decode(errors="replace")
            self.problems.add("no line of a journal", self.lines, text)

    def _begin(self, first: dict[str, Any]) -> None:
        if first["copyproof"] != "journal":
            said = "is the journal of one agent, which shows its own part alone"
            raise self._refused(f"{said}: `copyproof store export` without --agent writes all")
        if first.get("after"):
            said = f"begins after event {first['after']:,}, and what came before is not in it"
            raise self._refused(f"{said}: export a journal before it is compacted")
        terms = first.get("config", {})
        self._default = float(terms.get("default_reward", self._default))
        self._counts = terms.get("rewards", self._counts)
        self._late = terms.get("late", self._late)

    def _refused(self, said: str) -> FieldError:
        return FieldError("LOG", str(self.path), "a whole journal", f"= {self.path} {said}")

    def _agent(self, agent: str, group: str | None = None) -> None:
        number = self.agents.setdefault(agent, len(self.agents))
        if group is not None:
            self._bind(number, group)

    def _arm(self, agent: str, arm: str, content: str | None = None) -> None:
        self._agent(agent)
        if (agent, arm) not in self.arms:
            self.arms[agent, arm] = len(self._names)
            self._names.append((agent, arm))
        if content is not None:
            self._contents[self.arms[agent, arm]] = content

    def _bind(self, agent: int, group: str | None) -> None:
        self._groups.pop(agent, None)
        if group is not None:
            self._groups[agent] = group

    def _ask(self, event: dict[str, Any]) -> None:
        for round_, arm in enumerate(event["arms"], event["round"]):
            self._names[arm]  # or else the line is none of a journal
            self._open[round_] = _Play(arm, float(event["at"]))
            self._due.append(round_)
            self._changing.append(round_)
        some = len(event["arms"])
        self._conditions[_SLATE] += some * bool(event.get("slate"))
        self._conditions[_AMONG] += some * ("eligible" in event or "seen" in event)
        self._conditions[_BESIDE] += some * ("propensities" in event)
        if "segment" in event:
            self._segments.add(event["segment"])
            self._conditions[_SEGMENT] += some

    def _tell(self, round_: int, reward: float) -> Iterator[Row]:
        play = self._open.get(round_)
        is_late = round_ <= self._expired and self._late == "refuse"
        if play is None or is_late or round_ <= self._forgotten:
            self.problems.add(_WITHOUT_EFFECT, round_, reward)
            return
        if play.worth is None or play.is_default:
            play.worth, play.is_default = reward, False
        elif self._counts == "last":
            play.worth = reward
        elif self._counts == "sum":
            play.worth = min(1.0, play.worth + reward)
        elif self._counts == "max":
            play.worth = max(play.worth, reward)
        if self._counts == "first":
            yield self._row(self._open.pop(round_))

    def _expire(self, upto: int, forgotten: int) -> Iterator[Row]:
        self._expired, self._forgotten = max(self._expired, upto), forgotten
        while self._due and self._due[0] <= upto:
            play = self._open.get(self._due.popleft())
            if play is not None and play.worth is None:
                play.worth, play.is_default = self._default, True
        final = self._expired if self._late == "refuse" else forgotten
        while self._changing and self._changing[0] <= final:
            play = self._open.pop(self._changing.popleft(), None)
            if play is not None:
                yield self._row(play)

    def _row(self, play: _Play) -> Row:
        assert play.worth is not None
        return *self._names[play.arm], play.worth, play.at

    def fingerprints(self) -> dict[tuple[str, str], Fingerprint]:
        """What is known of the arms' contents, by agent and arm.

        An arm that has a content and no print has the print of another with the same content.
        """
        of_content = {
            self._contents[arm]: text for arm, text in self._prints.items() if arm in self._contents
        }
        found: dict[tuple[str, str], Fingerprint] = {}
        for number, name in enumerate(self._names):
            content = self._contents.get(number)
            text = self._prints.get(number, of_content.get(content or ""))
            if text is not None:
                found[name] = Fingerprint.parse(text)
            elif content is not None:
                found[name] = of_hashes([content])
        return found

    def groups(self) -> dict[str, str]:
        """The group of each agent that is bound to one at the end."""
        names = list(self.agents)
        found = {names[agent]: group for agent, group in self._groups.items()}
        return {  # a market has no group that is called like an agent outside it
            agent: f"{group} (group)" if group in self.agents and found.get(group) != group
            else group
            for agent, group in found.items()
        }  # fmt: skip

    def notes(self) -> Iterator[str]:
        """What the games do not take into account of how the decisions were made."""
        segments = f"{len(self._segments):,} segment{'s' * (len(self._segments) != 1)}"
        said = [
            f"{self._conditions[kind]:,} {how}"
            for kind, how in (
                (_SLATE, "as places of slates"),
                (_SEGMENT, f"in {segments}"),
                (_AMONG, "among some of the arms"),
                (_BESIDE, "beside a candidate"),
            )
            if self._conditions[kind]
        ]
        if said:
            yield (
                f"Decisions were made {', '.join(said)}: each is a row, and games choose one arm "
                "at a time among all, for visitors who are all alike."
            )


def _table(rows: list[Row]) -> Iterator[Any]:
    import pyarrow as pa

    if rows:
        columns = zip(JOURNAL_COLUMNS, zip(*rows, strict=True), strict=True)
        yield pa.table({name: pa.array(values) for name, values in columns})
