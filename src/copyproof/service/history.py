"""Who was shown, over time, from the last events of a market's journal.

The journal knows what happened when; statistics only know how much there is by now. Read are the
last so many events, a slice at a time (``readers``); what is kept of them is, for each span of
time, how often each arm was decided for and what rewards were told. Whose an arm is, is looked up
at the end.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from copyproof.live.stores import Store

SLICE = 1000  # events that are read at once
_LISTED = 12  # agents
_NEWCOMERS = 50


@dataclass(frozen=True, slots=True)
class Span:
    """What happened in one span of time, which begins ``at``.

    ``counts`` are the decisions for each of the agents that are listed, in their order.
    """

    at: float
    decisions: int
    counts: tuple[int, ...]
    rewards: int
    reward: float


@dataclass(frozen=True, slots=True)
class Newcomer:
    """An agent that was registered lately, when, and how many arms were registered for it since."""

    agent: str
    at: float
    arms: int


@dataclass(frozen=True, slots=True)
class History:
    """Decisions and rewards over time, as far as the last events tell.

    ``agents`` are those with most decisions; ``first`` and ``last`` the events that were looked at.
    A span lasts ``seconds``.
    """

    market: str
    first: int
    last: int
    seconds: float
    agents: tuple[str, ...]
    spans: tuple[Span, ...]
    newcomers: tuple[Newcomer, ...]


@dataclass
class Reading:
    """What was read so far of a journal.

    Attributes
    ----------
    after : int
        The last event that was read.
    asked : list
        When, and how often each arm.
    told : list
        When, how many rewards, and their sum.
    registered : dict
        When each agent was registered, as far as that was read.
    arms : Counter
        Arms that were registered, by agent.
    """

    after: int
    asked: list[tuple[float, Counter[int]]] = field(default_factory=list)
    told: list[tuple[float, int, float]] = field(default_factory=list)
    registered: dict[str, float] = field(default_factory=dict)
    arms: Counter[str] = field(default_factory=Counter)

    def add(self, events: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        """Take some events in."""
        for number, event in events:
            self.after = number
            match event["kind"]:
                case "asked":
                    self.asked.append((event["at"], Counter(event["arms"])))
                case "told":
                    rewards = event["rewards"]
                    self.told.append((event["at"], len(rewards), sum(rewards)))
                case "agent":
                    self.registered[event["agent"]] = event["at"]
                case "arms":
                    self.arms.update(pair[0] for pair in event["arms"])
                case _:  # nothing that is shown here
                    pass

    def every_arm(self) -> list[int]:
        """Return all arms that were decided for."""
        found: set[int] = set()
        return sorted(found.union(*(counts for _, counts in self.asked)))

    def summed(self, market: str, first: int, spans: int, owners: Mapping[int, str]) -> "History":
        """Return what was read, in so many spans of equal length."""
        times = [at for at, _ in self.asked] + [at for at, *_ in self.told]
        begin, end = min(times, default=0.0), max(times, default=0.0)
        seconds = max((end - begin) / spans, 1e-3)
        by_span: list[Counter[str]] = [Counter() for _ in range(spans)]
        rewards, sums = [0] * spans, [0.0] * spans

        def place(at: float) -> int:
            return min(spans - 1, max(0, int((at - begin) / seconds)))

        for at, counts in self.asked:
            found = by_span[place(at)]
            for arm, count in counts.items():
                found[owners[arm]] += count
        for at, count, total in self.told:
            rewards[place(at)] += count
            sums[place(at)] += total
        every = sum(by_span, Counter[str]())
        agents = tuple(agent for agent, _ in every.most_common(_LISTED))
        latest = sorted(self.registered.items(), key=lambda one: -one[1])[:_NEWCOMERS]
        return History(
            market=market,
            first=first,
            last=self.after,
            seconds=seconds,
            agents=agents,
            spans=tuple(
                Span(
                    at=begin + n * seconds,
                    decisions=found.total(),
                    counts=tuple(found[agent] for agent in agents),
                    rewards=rewards[n],
                    reward=sums[n],
                )
                for n, found in enumerate(by_span if times else [])
            ),
            newcomers=tuple(Newcomer(agent, at, self.arms[agent]) for agent, at in latest),
        )


def some(store: Store, market: str, after: int, last: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """Give the next events of a journal, up to the last that is wanted."""
    return islice(store.events(market, after), max(0, min(SLICE, last - after)))
