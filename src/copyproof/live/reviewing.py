"""Who stands behind the names of a market: groups, fingerprints, and the review of suspicions.

``identities`` is what is known, and why content alone binds nobody; here are the requests.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from copyproof.client.records import IdentitySuspicion
from copyproof.live import events
from copyproof.live.identities import Review, checked_fingerprint
from copyproof.live.records import Unknown
from copyproof.live.switching import Switching
from copyproof.validation import FieldError, items, name, shown


class Reviewing(Switching):
    """One market, and who may stand behind its names."""

    def bind(self, agents: Iterable[str], group: str | None, *, key: str | None = None) -> bool:
        """Say that agents are names of one principal; whether that is a change.

        The operator's knowledge, not a guess. From then on they are one agent to the policy, with
        one index over the plays and rewards of all their arms, and everything that counts by
        agent counts them as one: places on a slate, what a visitor has seen, guard rails, the most
        arms. An agent that is freed goes on with the plays and rewards of its own arms.

        Parameters
        ----------
        agents : iterable of str
            Agents of this market.
        group : str or None
            What their principal is called; None frees them.
        key : str, optional
            A key of the caller's choice.

        Examples
        --------
        >>> from copyproof.live import Principal
        >>> principal = Principal("h-ucb")
        >>> principal.register_arms([("ann", "a"), ("anna", "b"), ("bob", "c")])
        3
        >>> principal.bind(["ann", "anna"], "ann & co")
        True
        >>> [agent.group for agent in principal.statistics().agents]
        ['ann & co', 'ann & co', None]
        """
        registry = self._current().registry
        members = [registry.agent(agent) for agent in items("agents", agents, "agents")]
        wanted = None if group is None else name("group", group)
        identities = registry.identities
        changes = any(identities.groups.get(member) != wanted for member in members)
        return self._change(events.Bound, key, changes, members=members, group=wanted)

    def set_fingerprints(
        self, fingerprints: Mapping[tuple[str, str], Any], *, key: str | None = None
    ) -> bool:
        """Say what arms are made of, as fingerprints by (agent, arm); whether that is a change.

        An arm that has a fingerprint keeps it. What is accepted is said by
        ``identities.checked_fingerprint``.
        """
        registry = self._current().registry
        known, rows = registry.identities.fingerprints, []
        for (agent, arm), given in fingerprints.items():
            field = f"fingerprints[{shown(arm)}]"
            text, number = checked_fingerprint(field, given), registry.arm(agent, arm)
            if known.get(number, text) != text:
                accepted = f"{shown(known[number])}, which the arm was registered with"
                raise FieldError(field, text, accepted)
            if number not in known:
                rows.append([number, text])
        return self._change(events.Fingerprinted, key, bool(rows), arms=rows)

    def suspicions(self) -> list[IdentitySuspicion]:
        """Arms of several agents that are alike, the oldest first: the queue for operators.

        Examples
        --------
        >>> from copyproof.live import Principal
        >>> principal = Principal("h-ucb")
        >>> principal.register_arms([("ann", "a"), ("eve", "e")])
        2
        >>> same = {"hash": "00000000000000ff"}
        >>> principal.set_fingerprints({("ann", "a"): same, ("eve", "e"): same})
        True
        >>> [one] = principal.suspicions()
        >>> one.agents, one.status, principal.review(one.id, "dismissed")
        (('ann', 'eve'), 'open', True)
        >>> principal.suspicions()[0].status
        'dismissed'
        """
        return self.suspicions_page(None, None)[0]

    def suspicions_page(
        self, after: str | None, limit: int | None
    ) -> tuple[list[IdentitySuspicion], str | None]:
        """Some of ``suspicions``, and what to ask for the next page with, if there is one.

        Parameters
        ----------
        after : str or None
            What the page before said; None for the first.
        limit : int or None
            Most of a page; None for all.

        Examples
        --------
        >>> from copyproof.live import Principal
        >>> Principal("h-ucb").suspicions_page(None, 1000)
        ([], None)
        """
        return self._current().registry.suspicions(after, limit)

    def review(
        self, suspicion: str, review: Review, *, group: str | None = None, key: str | None = None
    ) -> bool:
        """Confirm a suspicion, which binds its agents to one group, or dismiss it.

        Parameters
        ----------
        suspicion : str
            The id of one that is there.
        review : {"confirmed", "dismissed"}
            What the operator found.
        group : str, optional
            What the agents' principal is called if it is confirmed; by default as the group that
            one of them is bound to, or else by the suspicion's id.
        key : str, optional
            A key of the caller's choice.

        Returns
        -------
        bool
            Whether that is a change.
        """
        values: dict[str, Any] = {"suspicion": suspicion, "review": review}
        _, answered = self._keyed(key, [events.kind_of(events.Reviewed), values])
        if answered:
            return bool(answered.answer)
        found = next((one for one in self.suspicions() if one.id == suspicion), None)
        if found is None:
            raise Unknown("suspicion", suspicion)
        registry = self._current().registry
        identities = registry.identities
        with self.group():
            changed = identities.reviews.get(suspicion) != review
            bound = False
            if review == "confirmed":
                numbers = [registry.agent(agent) for agent in found.agents]
                there = (identities.groups[one] for one in numbers if one in identities.groups)
                bound = self.bind(found.agents, group or next(there, suspicion))
            return self._change(events.Reviewed, key, changed or bound, **values)
