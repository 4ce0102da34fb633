"""The live principal: ``ask`` which arm to show, ``tell`` what came of it, and lose nothing.

Every request becomes an event; the event is carried out in memory and appended to the market's
journal; and only when the store has it for good is the answer given. What fails to be stored did
not happen: memory is rebuilt from the store before anything else is answered.

One market has one ``Principal`` at a time, which is used by one thread at a time.

The decisions are those of the simulated game (``engine.live``). The theorems on copies speak of
games in which every reward comes at once and all arms are there from the start: late rewards,
eligible subsets and arms that come and go are not covered by them.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from copyproof.live.ids import Ids
from copyproof.live.journal import Journalled
from copyproof.live.machine import plan_of
from copyproof.live.market import Eligible, Event, answers_of
from copyproof.live.records import (
    MOST_DECISIONS,
    Decision,
    MarketConfig,
    NoArm,
    Statistics,
    Told,
    name_of,
    unit_reward,
)
from copyproof.live.statistics import View
from copyproof.live.stores import Store, open_store
from copyproof.policy import Policy, parse_policy
from copyproof.validation import require, shown, whole_in


class Principal(Journalled):
    """One market: which arm comes next, and what is known so far.

    Parameters
    ----------
    policy : Policy or str, optional
        For a new market, in place of ``config.policy``. For one that exists it must be the policy
        that it runs.
    store : Store or str
        Where the journal is kept, or its address: "memory:", "sqlite:PATH", "postgresql://…".
    market : str
        The market's name; it is created if the store does not have it.
    config : MarketConfig, optional
        For a new market. For one that exists it must be the one it has.
    clock : callable
        Gives the seconds since 1970. Times never go back within a market: a clock that is set
        back stands still for it.
    token : int, optional
        The fencing token of the market's lease, if it is leased.

    Examples
    --------
    >>> principal = Principal("h-ucb")
    >>> principal.register_arms([("ann", "a"), ("bob", "b")])
    2
    >>> [decision] = principal.ask()
    >>> principal.tell(decision.id, 1).status
    'counted'
    >>> principal.statistics().revenue
    1.0
    """

    def __init__(
        self,
        policy: Policy | str | None = None,
        store: Store | str = "memory:",
        *,
        market: str = "default",
        config: MarketConfig | None = None,
        clock: Callable[[], float] = time.time,
        token: int | None = None,
    ) -> None:
        super().__init__(open_store(store) if isinstance(store, str) else store, market, clock)
        self.token = token
        given = str(parse_policy(policy) if isinstance(policy, str) else policy or "")
        known = self.store.markets().get(self.market)
        if known is None:
            settings = (config or MarketConfig()).to_dict()
            fresh = MarketConfig.from_dict({**settings, "policy": given or settings["policy"]})
            plan_of(parse_policy(fresh.policy), fresh)
            try:
                self.store.create_market(self.market, fresh.to_dict())
            except ValueError:  # another process was faster, or the name is no good
                if self.market not in self.store.markets():
                    raise
            known = self.store.markets()[self.market]
        self.config = MarketConfig.from_dict(known)
        if config is not None:
            # If a policy is given it stands for the config's, as it did when the market was new.
            wanted = replace(config, policy=self.config.policy) if given else config
            require(
                wanted == self.config,
                "config",
                config,
                f"the one of market {self.market!r}, which exists: {self.config}",
            )
        self._ids = Ids(self.market, self.config.seed)
        self._rebuild()
        if given:
            require(given == self.policy, "policy", given, f"{self.policy!r}: use set_policy")

    # --- who is there ----------------------------------------------------------------------

    def register_agent(self, agent: str, *, key: str | None = None) -> bool:
        """Register an agent; whether it is new."""
        name = name_of("agent", agent)
        return self._change("agent", {"agent": name}, key, name not in self._now().agents)

    def suspend_agent(self, agent: str, *, key: str | None = None) -> bool:
        """Keep an agent out of all choices, its statistics kept; whether that is a change."""
        state = self._now()
        changes = not state.suspended[state.agent(agent)]
        return self._change("suspend", {"agent": agent}, key, changes)

    def resume_agent(self, agent: str, *, key: str | None = None) -> bool:
        """Let a suspended agent back in; whether that is a change."""
        state = self._now()
        return self._change("resume", {"agent": agent}, key, state.suspended[state.agent(agent)])

    def suspend_arm(self, agent: str, arm: str, *, key: str | None = None) -> bool:
        """Keep one arm out of all choices, its statistics kept; whether that is a change.

        Its agent may retire it and register it again meanwhile, but not bring it back.
        """
        state = self._now()
        changes = state.arm(agent, arm) not in state.withheld
        return self._change("suspend", {"agent": agent, "arm": arm}, key, changes)

    def resume_arm(self, agent: str, arm: str, *, key: str | None = None) -> bool:
        """Let a suspended arm back in, if it is registered; whether that is a change."""
        state = self._now()
        changes = state.arm(agent, arm) in state.withheld
        return self._change("resume", {"agent": agent, "arm": arm}, key, changes)

    def register_arm(self, agent: str, arm: str, *, key: str | None = None) -> bool:
        """Register an arm, and its agent if it is not known; whether that is a change.

        An arm that was retired comes back with its statistics.
        """
        return self.register_arms([(agent, arm)], key=key) > 0

    def register_arms(self, pairs: Sequence[tuple[str, str]], *, key: str | None = None) -> int:
        """Register arms as (agent, arm), and agents that are not known; how many are a change."""
        named = [
            [name_of(f"arms[{n}].agent", agent), name_of(f"arms[{n}].arm", arm)]
            for n, (agent, arm) in enumerate(_pairs("arms", pairs, "(agent, arm)"))
        ]
        if kept := self._kept(key, ["arms", named]):
            return int(kept.answer)
        state = self._now()
        wanted: dict[tuple[str, str], None] = {}
        new: dict[str, int] = {}
        for agent, arm in named:
            number = state.agents.get(agent)
            known = None if number is None else state.arm_numbers[number].get(arm)
            if (agent, arm) in wanted or (known is not None and state.is_registered(known)):
                continue
            wanted[agent, arm] = None
            if known is None:
                new[agent] = new.get(agent, 0) + 1
        self._check_most_arms(new)
        with self.group():
            for agent in dict.fromkeys(agent for agent, _ in wanted):
                if agent not in state.agents:
                    self._write({"kind": "agent", "agent": agent})
            event: Event = {"kind": "arms", "arms": [list(pair) for pair in wanted]}
            if not wanted:
                event = {"kind": "kept"}
            if wanted or key is not None:
                self._write(event, key, ["arms", named], answer=len(wanted))
        return len(wanted)

    def _check_most_arms(self, new: Mapping[str, int]) -> None:
        """Refuse arms beyond those that an agent may ever register."""
        state, most = self._state, self.config.most_arms
        if most is None:
            return
        for agent, more in new.items():
            number = state.agents.get(agent)
            ever = more + (0 if number is None else len(state.arm_numbers[number]))
            accepted = f"at most {most}: arms that agent {shown(agent)} ever registered"
            require(ever <= most, "arms", ever, accepted)

    def retire_arm(self, agent: str, arm: str, *, key: str | None = None) -> bool:
        """Withdraw an arm, its statistics kept; whether that is a change."""
        state = self._now()
        changes = state.is_registered(state.arm(agent, arm))
        return self._change("retire", {"agent": agent, "arm": arm}, key, changes)

    def set_policy(self, policy: Policy | str, *, key: str | None = None) -> bool:
        """Run another policy from now on, all statistics kept; whether that is a change."""
        wanted = parse_policy(policy) if isinstance(policy, str) else policy
        require(isinstance(wanted, Policy), "policy", policy, "a policy or its text")
        plan_of(wanted, self.config)
        changes = str(wanted) != self.policy
        return self._change("policy", {"policy": str(wanted)}, key, changes)

    # --- ask and tell ----------------------------------------------------------------------

    def ask(
        self,
        count: int = 1,
        *,
        eligible: Eligible | None = None,
        slate: bool = False,
        key: str | None = None,
    ) -> list[Decision]:
        """Decide what to show.

        Parameters
        ----------
        count : int
            How many plays, one after another, up to 1000.
        eligible : sequence of str or mapping of str to sequence of str, optional
            The agents that may be chosen, or arms by agent.
        slate : bool
            Whether all arms must be different; there are fewer decisions than ``count`` if
            there are fewer arms.
        key : str, optional
            A key of the caller's choice: the same key gives the same decisions again.

        Raises
        ------
        NoArm
            If there is nothing to choose.
        """
        count = whole_in("count", count, 1, MOST_DECISIONS)
        require(isinstance(slate, bool), "slate", slate, "true or false")
        wanted = _plain(eligible)
        request = ["ask", count, wanted, slate]
        if kept := self._kept(key, request):
            return self._decisions(*kept.answer)
        state = self._now()
        among = None if wanted is None else state.numbers_of(wanted)
        choosable = state.choosable(among)
        if choosable == 0:
            raise NoArm(
                "no arm is registered" if among is None else "eligible: no such arm is registered"
            )
        # A slate is as long as it can be, so that replay, which counts decisions, does the same.
        made = min(count, choosable) if slate else count
        event: Event = {"kind": "asked", "round": 0, "count": made}
        if wanted is not None:
            event["eligible"] = wanted
        if slate:
            event["slate"] = True
        with self.group():
            at = self._expire_due()
            event["round"] = first = state.machine.round + 1
            self._write(event, key, request, at=at)
        return self._decisions(first, event["arms"])

    def tell(self, decision: str, reward: float, *, key: str | None = None) -> Told:
        """Tell the reward of a decision, a number in [0, 1]."""
        return self._tell([(decision, reward)], key, "decision", "reward")[0]

    def tell_many(
        self, rewards: Sequence[tuple[str, float]], *, key: str | None = None
    ) -> list[Told]:
        """Tell rewards as (decision, reward), up to 1000, one after another; all or none."""
        return self._tell(rewards, key, "rewards[{}].decision", "rewards[{}].reward")

    def _tell(
        self, rewards: Sequence[tuple[str, float]], key: str | None, first: str, second: str
    ) -> list[Told]:
        rewards = _pairs("rewards", rewards, "(decision, reward)")
        whole_in("len(rewards)", len(rewards), 1, MOST_DECISIONS)
        state = self._now()
        last = state.machine.round
        rounds = [
            self._ids.round(decision, last, first.format(n))
            for n, (decision, _) in enumerate(rewards)
        ]
        values = [unit_reward(second.format(n), reward) for n, (_, reward) in enumerate(rewards)]
        request = ["tell", rounds, values]
        if kept := self._kept(key, request):
            return self._told(*kept.answer)
        with self.group():
            at = self._expire_due()
            event: Event = {"kind": "told", "rounds": rounds, "rewards": values}
            outcomes = self._write(event, key, request, at=at)
        return self._told(rounds, answers_of(outcomes))

    def expire(self, now: float | None = None) -> int:
        """Give decisions whose window is over the default reward; how many there were.

        ``ask`` and ``tell`` do it by themselves; a market that nobody asks wants to be called.
        """
        with self.group():
            before = self.pending
            self._expire_due(now)
            return before - self.pending

    # --- what is known ---------------------------------------------------------------------

    @property
    def policy(self) -> str:
        """The policy that is run now, in its text form."""
        return str(self._now().machine.policy)

    @property
    def round(self) -> int:
        """How many decisions there have been."""
        return self._now().machine.round

    @property
    def pending(self) -> int:
        """How many decisions wait for their reward."""
        return self._now().machine.pending

    def statistics(self, agent: str | None = None) -> Statistics:
        """Plays, rewards and shares: of all agents, or of one agent and its arms."""
        return self.view(agent).statistics()

    def view(self, agent: str | None = None) -> View:
        """What ``statistics`` needs, taken now; its ``statistics()`` may run on another thread."""
        return View(self.market, self._now(), agent)

    def digest(self) -> str:
        """Digest of everything that is remembered, bit for bit."""
        return self._now().digest()

    def _expire_due(self, now: float | None = None) -> float:
        """Write down what has expired by now; the time."""
        at = self._time(now)
        due = self._state.machine.due(at)
        if due is not None:
            self._write({"kind": "expired", "upto": due[0], "forgotten": due[1]}, at=at)
        return at

    def _change(self, kind: str, values: Event, key: str | None, changes: bool) -> bool:
        if kept := self._kept(key, [kind, values]):
            return bool(kept.answer)
        if changes or key is not None:
            event = {"kind": kind, **values} if changes else {"kind": "kept"}
            with self.group():
                self._write(event, key, [kind, values], answer=changes)
        return changes

    def _decisions(self, first: int, arms: Sequence[int]) -> list[Decision]:
        state, ids = self._state, self._ids
        return [
            Decision(
                ids.id(number),
                state.agent_names[state.arm_owner[arm]],
                state.arm_names[arm],
                number,
            )
            for number, arm in enumerate(arms, first)
        ]

    def _told(self, rounds: Sequence[int], answers: Sequence[Sequence[Any]]) -> list[Told]:
        return [
            Told(self._ids.id(number), status, value)
            for number, (status, value) in zip(rounds, answers, strict=True)
        ]


def _pairs(field: str, given: object, of: str) -> Sequence[tuple[Any, Any]]:
    """A list of pairs; what is in them is seen when they are read."""
    is_list = isinstance(given, Sequence) and not isinstance(given, str | bytes)
    require(is_list, field, given, f"a list of {of}")
    assert isinstance(given, Sequence)
    for n, pair in enumerate(given):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            require(False, f"{field}[{n}]", pair, of)
    return given


def _plain(eligible: Eligible | None) -> Any:
    """What is eligible as lists and dicts, ready for JSON."""
    if eligible is None:
        return None
    if isinstance(eligible, Mapping):
        return {
            _name("eligible", agent): _names(f"eligible[{shown(agent)}]", arms)
            for agent, arms in eligible.items()
        }
    return list(dict.fromkeys(_names("eligible", eligible)))


def _names(field: str, names: object) -> list[str]:
    is_list = isinstance(names, Sequence) and not isinstance(names, str | bytes)
    require(is_list, field, names, "a list of names")
    assert isinstance(names, Sequence)
    return [_name(field, name) for name in names]


def _name(field: str, name: object) -> str:
    """A text; whether it is the name of anything is seen when it is looked up."""
    require(isinstance(name, str), field, name, "a name")
    return str(name)
