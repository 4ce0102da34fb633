"""Who decides in a market, and whether: a candidate beside the first policy, and guard rails.

Where there is neither, a ``SwitchState`` is a ``SegmentedState``. With one of them, events are
carried out one by one, also in a replay: what a play is worth when it becomes known, and which rail
is left first, depends on their order.
"""

from collections.abc import Sequence
from typing import Any, assert_never, get_args

import numpy as np

from copyproof.client.records import CandidateStatistics
from copyproof.engine.live_records import PENDING
from copyproof.live import events
from copyproof.live.candidate import Beside, Candidate, Request
from copyproof.live.comparison import Comparison
from copyproof.live.events import (
    Asked,
    Diverged,
    Expired,
    GameEvent,
    MarketEvent,
    PolicyChanged,
    Rewarded,
)
from copyproof.live.market import MarketState
from copyproof.live.records import MarketConfig
from copyproof.live.registry import Among
from copyproof.live.watch import Watch, stored_rails
from copyproof.live.worth import WorthState
from copyproof.policy import Policy, parse_policy

_SWITCHES = frozenset(get_args(events.SwitchEvent))
_NOTHING = Beside()


class SwitchState(WorthState):
    """A market's state, with a candidate and guard rails where there are some.

    Attributes
    ----------
    candidate : Candidate or None
        The second policy.
    watch : Watch
        The guard rails, and whether the market is paused.
    beside : Beside
        What the journal is to say of the last decisions.
    watches : bool
        Whether there is a candidate, a rail or a pause.
    looks_back : bool
        Whether the candidate is not the journal's own, which then says nothing of it.

    Examples
    --------
    >>> state = SwitchState(MarketConfig(policy="h-ucb", seed=1))
    >>> state.enter(events.AgentRegistered("ann", at=0.0))
    >>> state.enter(events.ArmsRegistered([["ann", "a"]], at=0.0))
    >>> state.enter(events.CandidateSet("ucb1", 0.5, at=0.0))
    >>> state.decide(2, 0.0, None, slate=False), state.beside.propensities
    ([0, 0], [1.0, 1.0])
    """

    def __init__(self, config: MarketConfig, policy: Policy | None = None) -> None:
        self.candidate: Candidate | None = None
        self.watch = Watch()
        self.beside = _NOTHING
        self.watches = self.looks_back = False
        super().__init__(config, policy)

    @property
    def is_plain(self) -> bool:
        """Whether there is one game with one policy, and nothing that watches it."""
        return not self.watches and not self.segments

    # --- events ----------------------------------------------------------------------------

    def enter(self, event: MarketEvent) -> None:
        """Take one event in."""
        one: Any = event  # the types of both branches are seen to by the set
        if type(event) in _SWITCHES:
            self._switch(one)
        elif self.watches:
            self._enter_watched(one)
        else:
            super().enter(one)

    def settle(self) -> Any:
        """Carry out what was entered; the outcome of every reward."""
        found = super().settle()
        if self.candidate is not None:
            for twin in self.candidate.twins:
                twin.settle()
            self._compare_known()
        return found

    def decide(
        self, plays: int, at: float, among: Among | None, slate: bool, segment: str | None = None
    ) -> list[int]:
        """Make decisions, all that was entered being settled; ``beside`` says more of them."""
        if not self.watches:
            return super().decide(plays, at, among, slate, segment)
        if self.candidate is None:
            made = super().decide(plays, at, among, slate, segment)
            self._look_at(made, None)
        else:
            made = self._decide_both(self.candidate, Request(plays, at, among, slate), segment)
        return made

    def _switch(self, event: events.SwitchEvent) -> None:
        """Change who decides, or whether."""
        self.settle()
        match event:
            case events.CandidateSet():
                self._set_candidate(parse_policy(event.policy), event.share)
            case events.CandidateDropped():
                self.candidate = None
            case events.RailsSet():
                rails = stored_rails(event.rails, len(self.registry.agent_names))
                self.watch.set_rails(rails, event.fallback)
            case events.RailCrossed():
                self._cross(event)
            case events.Paused():
                self.watch.paused = event.reason
            case events.Continued():
                self.watch.paused = None
            case _:
                assert_never(event)
        self._begin(event)

    def _begin(self, event: MarketEvent) -> None:
        """Go on after a change of who decides."""
        self.watch.begin()
        self.watches = self.candidate is not None or self.watch.is_on
        self.beside = _NOTHING
        self.at = max(self.at, event.at)
        if event.key is not None:
            self.keep_answer(event)

    def _set_candidate(self, policy: Policy, share: float) -> None:
        before = self.candidate
        if before is not None and str(before.policy) == str(policy):
            self.candidate = before.with_share(share, self.round)
            return
        self.candidate = Candidate(policy, share, self.round)
        for game in self.games:
            self.candidate.add_game(game)

    def _cross(self, event: events.RailCrossed) -> None:
        """Do what a rail says that was left."""
        if not 0 <= event.rail < len(self.watch.rails):
            raise Diverged(f"the journal says that rail {event.rail} was left: there is none")
        rail = self.watch.rails[event.rail]
        measured, owner = event.measured, event.owner
        said = {"rail": rail.to_dict(), "measured": measured, "owner": owner, "at": event.at}
        self.watch.last = said
        if rail.then == "pause":
            self.watch.paused = ""
        elif self.candidate is not None and self.candidate.share > 0.0:
            self._set_candidate(self.candidate.policy, 0.0)
        elif self.watch.fallback is not None:
            self.candidate = None
            super().enter(PolicyChanged(self.watch.fallback, event.at))

    def _enter_watched(self, event: GameEvent) -> None:
        self.settle()
        match event:
            case Asked():
                self._enter_asked(event)
            case Rewarded():
                self._look_at_rewards(self.first_rewards(event))
                self._enter_twice(event)
            case Expired():
                self._look_at_rewards(self.known_by(event.upto))
                self._compare_until(event.upto)
                self._enter_twice(event)
            case PolicyChanged():
                self._change_first(event)
            case events.Bound():
                self._enter_twice(event)
                self.watch.begin()  # shares are of principals, which are others now
            case _:
                self._enter_twice(event)

    def _enter_twice(self, event: GameEvent) -> None:
        """Take an event in, for the candidate's games, too."""
        super().enter(event)
        if self.candidate is not None and not self.segments:  # else they are told one by one
            self.candidate.twins[0].enter(event._replace(key=None))

    def _enter_one(self, number: int, event: GameEvent) -> None:
        super()._enter_one(number, event)
        if self.candidate is not None:
            self.candidate.twins[number].enter(event)

    def _change_first(self, event: PolicyChanged) -> None:
        """Let another policy be the first; the candidate takes over with all that it has."""
        candidate, self.candidate = self.candidate, None
        if candidate is None or str(candidate.policy) != event.policy:
            super().enter(event)
            self._begin(event._replace(key=None))
            return
        for game, twin in zip(self.games, candidate.twins, strict=True):
            game.arrays, game.policy = twin.arrays, twin.policy
            game.copying = None
        self._begin(event)

    # --- decisions -------------------------------------------------------------------------

    def _enter_asked(self, event: Asked) -> None:
        if self.watch.paused is not None:
            raise Diverged(f"the journal decides in round {event.round} while the market is paused")
        candidate = self.candidate
        if candidate is None:
            super().enter(event)
            self._look_at(event.arms, None)
            return
        among = self.registry.among(event.eligible, event.seen)
        request = Request(len(event.arms), event.at, among, event.slate)
        made = self._decide_both(candidate, request, event.segment)
        if event.key is not None:
            self.keep_answer(event)
        self._made, self._expected = made, list(event.arms)
        is_told = self.looks_back or self.beside == (event.shadow, event.propensities)
        if made != self._expected or not is_told:
            raise Diverged(
                f"decisions from round {event.round} on, those of the shadow or their propensities "
                "are not those of the journal: it was written by another version, or is damaged"
            )
        self._made, self._expected = [], []

    def _decide_both(
        self, candidate: Candidate, request: Request, segment: str | None
    ) -> list[int]:
        """Decide beside a candidate."""
        if segment is not None:
            self._game(segment)
        number, first = self._number(segment), self.round + 1
        game, twin = self.games[number], candidate.twins[number]
        draws = candidate.draws(self.config.seed or 0, first, request.plays, request.slate)
        made, self.beside = candidate.decide(game, twin, request, draws)
        if self.segments:
            self._note(number, first, len(made))
        self.at = max(self.at, request.at)
        self._look_at(made, draws)
        return made

    def _game(self, segment: str) -> MarketState:
        is_new = segment not in self.segments
        found = super()._game(segment)
        if is_new and self.candidate is not None:
            self.candidate.add_game(found)
        return found

    # --- guard rails -----------------------------------------------------------------------

    @property
    def _takes_back(self) -> bool:
        """Whether there is something to fall back to."""
        if self.candidate is not None and self.candidate.share > 0.0:
            return True
        fallback = self.watch.fallback
        return fallback is not None and fallback != str(self.policy)

    def _look_at(self, arms: Sequence[int], draws: Sequence[bool] | None) -> None:
        """Have the rails look at decisions."""
        first_name, owner = self.registry.principals.first_name, self.registry.arm_owner
        owners = [first_name(owner[arm]) for arm in arms]
        newer: list[int] | None = owners if self._takes_back else None
        if draws is not None and self.candidate is not None and self.candidate.share > 0.0:
            newer = [owner for owner, drawn in zip(owners, draws, strict=True) if drawn]
        self.watch.add_decisions(owners, newer, first_name)
        self.watch.look()

    def _look_at_rewards(self, known: Sequence[tuple[int, float]]) -> None:
        """Have the rails look at what plays are worth, by round."""
        newer: list[float] | None = None
        if known and self._takes_back:
            taken = self.candidate
            if taken is None or taken.share == 0.0:
                newer = [worth for _, worth in known]
            else:
                newer = [one for round_, one in known if taken.comparison.is_drawn(round_)]
        self.watch.add_rewards([worth for _, worth in known], newer)
        self.watch.look()

    def _compare_known(self) -> None:
        """Compare decisions whose worth is known for good, up to the first that waits."""
        if self.candidate is None or self.config.rewards != "first":
            return
        comparison, last = self.candidate.comparison, self.round
        while comparison.next <= last:
            row = self.row_of(comparison.next)
            if row["told"] == PENDING:
                break
            comparison.settle(float(row["value"]))

    def _compare_until(self, upto: int) -> None:
        """Compare decisions whose window is over, before they are forgotten."""
        if self.candidate is not None:
            comparison = self.candidate.comparison
            while comparison.next <= upto:
                comparison.settle(self.worth_of(self.row_of(comparison.next)))

    # --- what is known -----------------------------------------------------------------------

    def compared(self) -> CandidateStatistics | None:
        """How the candidate compares with the first policy."""
        if self.candidate is None:
            return None
        found = self.candidate.comparison
        return CandidateStatistics(
            policy=str(self.candidate.policy),
            share=found.share,
            since=found.since + 1,
            decisions=found.decisions,
            drawn=found.drawn,
            agreed=found.agreed,
            known=found.settled,
            value=found.estimate("candidate"),
            value_of_first=found.estimate("first"),
            difference=found.estimate("difference"),
        )

    @property
    def every_game(self) -> dict[str, MarketState]:
        """All games, and the candidate's, by what the names of their arrays begin with."""
        found = {f"{number}/" if number else "": one for number, one in enumerate(self.games)}
        if self.candidate is not None:
            twins = enumerate(self.candidate.twins)
            found |= {f"candidate/{number}/": twin for number, twin in twins}
        return found

    def export(self) -> dict[str, Any]:
        """All arrays, also those of the candidate and of the rails."""
        found = super().export()
        if self.candidate is not None:
            saved = self.candidate.export()
            found |= {f"candidate/{name}": rows for name, rows in saved.items()}
        return found

    def export_rest(self) -> dict[str, Any]:
        """The arrays that are of no one game."""
        found = super().export_rest()
        found |= {f"watch/{name}": rows for name, rows in self.watch.export().items()}
        if self.candidate is not None:
            found["candidate/flags"] = np.array(self.candidate.comparison.flags, np.int8)
        return found

    def words(self) -> dict[str, Any]:
        """Everything else, ready for JSON."""
        words = super().words()
        if self.candidate is None and not self.watch.is_used:
            return words
        words |= {"watch": self.watch.words()}
        if self.candidate is not None:
            compared = self.candidate.comparison.words()
            words["candidate"] = {"policy": str(self.candidate.policy), "compared": compared}
        return words

    @classmethod
    def restore(cls, words: dict[str, Any], saved: dict[str, Any]) -> "SwitchState":
        """Make a state of what ``words`` and ``export`` gave."""
        state = super().restore(words, saved)
        assert isinstance(state, SwitchState)
        if "watch" not in words:
            return state
        state.watch = Watch.restore(words["watch"], _below("watch", saved))
        if "candidate" in words:
            own = words["candidate"]
            rows = _below("candidate", saved)
            found = Comparison.restore(own["compared"], rows.pop("flags").tolist())
            state.candidate = Candidate(parse_policy(own["policy"]), found.share, found.since)
            state.candidate.comparison = found
            configs = [state.config, *(state._config_of(name) for name in state.segments)]
            state.candidate.load(words, rows, configs)
        state.watches = state.candidate is not None or state.watch.is_on
        return state


def _below(head: str, saved: dict[str, Any]) -> dict[str, Any]:
    """Return what was saved under names that begin with ``head``, without that."""
    start = f"{head}/"
    return {name[len(start) :]: rows for name, rows in saved.items() if name.startswith(start)}
