"""Who decides in a market: change its policy at once or by shares, and set guard rails.

``switch`` is what these requests do to a market, ``docs/how-to/switch.md`` how they are used.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from copyproof.live import events
from copyproof.live.ask_tell import AskTell
from copyproof.live.events import MarketEvent
from copyproof.live.rails import Rail, checked_rails
from copyproof.live.terms import plan_of
from copyproof.live.watch import by_number
from copyproof.policy import Policy, parse_policy
from copyproof.validation import FieldError, name, number, require

_NOTHING_MORE: Mapping[str, Any] = {}


class Switching(AskTell):
    """One market, and who decides in it; ``Principal`` says who takes part."""

    def set_policy(
        self, policy: Policy | str, *, share: float | None = None, key: str | None = None
    ) -> bool:
        """Run another policy from now on, all statistics kept; whether that is a change.

        Parameters
        ----------
        policy : Policy or str
            The policy. If it is the candidate, that takes over with all that it has learnt; another
            candidate is dropped.
        share : float, optional
            The policy becomes the *candidate*, which decides so many of the decisions, from 0 to 1:
            with 0 it only says what it would have decided. Once more with another share, it goes
            on with that.
        key : str, optional
            A key of the caller's choice.

        Examples
        --------
        >>> from copyproof.live import Principal
        >>> principal = Principal("h-ucb")
        >>> principal.register_arms([("ann", "a"), ("bob", "b")])
        2
        >>> principal.set_policy("fair", share=0)
        True
        >>> decisions = principal.ask(100)
        >>> found = principal.statistics().candidate
        >>> found.decisions, found.drawn, found.value.mean is None
        (100, 0, True)
        """
        wanted = str(self._checked("policy", policy))
        if share is None:
            changes = wanted != str(self._current().policy) or self.candidate is not None
            return self._change(events.PolicyChanged, key, changes, policy=wanted)
        part = number("share", share)
        require(0.0 <= part <= 1.0, "share", share, "in [0, 1]")
        changes = self.candidate != (wanted, part)
        return self._change(events.CandidateSet, key, changes, policy=wanted, share=part)

    def drop_candidate(self, *, key: str | None = None) -> bool:
        """Let the first policy decide alone; whether there was a candidate."""
        return self._change(events.CandidateDropped, key, self.candidate is not None)

    @property
    def candidate(self) -> tuple[str, float] | None:
        """The policy beside the first one, in its text form, and its share; None if none is."""
        found = self._current().candidate
        return None if found is None else (str(found.policy), found.share)

    def set_rails(
        self,
        rails: Sequence[Rail | Mapping[str, Any]],
        *,
        fallback: Policy | str | None = None,
        key: str | None = None,
    ) -> bool:
        """Set guard rails, in place of those before; whether that is a change.

        Parameters
        ----------
        rails : sequence of Rail or mapping
            The rails, up to 20; none ends them. Agents that they name must be known.
        fallback : Policy or str, optional
            The policy to fall back to where no candidate has a share.
        key : str, optional
            A key of the caller's choice.

        Examples
        --------
        >>> from copyproof.live import Principal
        >>> principal = Principal("h-ucb")
        >>> principal.register_arms([("ann", "a"), ("bob", "b")])
        2
        >>> principal.set_rails([{"measure": "share", "last": 10, "at_most": 0.6}])
        True
        >>> for _ in range(10):
        ...     [decision] = principal.ask(eligible=["ann"])
        >>> principal.paused
        "the share of agent 'ann' in the last 10 decisions is 1: at_most = 0.6"
        >>> principal.resume()
        True
        """
        state = self._current()
        wanted = by_number(checked_rails(rails), state.registry)
        to = None if fallback is None else str(self._checked("fallback", fallback))
        changes = (wanted, to) != (state.watch.rails, state.watch.fallback)
        plain = [one.to_dict() for one in wanted]
        return self._change(events.RailsSet, key, changes, rails=plain, fallback=to)

    def pause(self, reason: str, *, key: str | None = None) -> bool:
        """Decide nothing until the market is resumed; whether that is a change."""
        said = name("reason", reason)
        return self._change(events.Paused, key, self.paused is None, reason=said)

    def resume(self, *, key: str | None = None) -> bool:
        """Decide again after a pause; whether that is a change."""
        return self._change(events.Continued, key, self.paused is not None)

    @property
    def paused(self) -> str | None:
        """Why there are no decisions now; None if there are."""
        state = self._current()
        return state.watch.why_paused(state.registry)

    def _checked(self, field: str, policy: Policy | str) -> Policy:
        """Return a policy that this market can run."""
        require(isinstance(policy, Policy | str), field, policy, "a policy or its text")
        try:
            wanted = parse_policy(policy) if isinstance(policy, str) else policy
            plan_of(wanted, self.config)
        except FieldError as error:
            raise error if field == "policy" else error.renamed(field) from None
        return wanted

    def _change(
        self,
        record: type[MarketEvent],
        key: str | None,
        changes: bool,
        more: Mapping[str, Any] = _NOTHING_MORE,
        **values: Any,
    ) -> bool:
        """Write one change, if there is one; whether there is.

        ``more`` is written beside ``values``, by which the request is known.
        """
        keyed, found = self._keyed(key, [events.kind_of(record), values])
        if found:
            return bool(found.answer)
        answer = None if keyed is None else keyed._replace(answer=changes)
        if changes:
            with self.group():
                self._write(record(**values, **more, at=self._time(), key=answer))
        else:
            self._remember_unchanged(keyed, changes)
        return changes
