"""The live principal: ``ask`` which arm to show, ``tell`` what came of it, and lose nothing.

Every request becomes an event; the event is carried out in memory and appended to the market's
journal; and only when the store has it for good is the answer given. What fails to be stored did
not happen: memory is rebuilt from the store before anything else is answered.

What is written is carried out in memory at once, staged, and committed at the end of a *group*
with one append. If the store fails, or the group ends with an error, nothing of it has happened:
also when it is not known whether the store has it (``Uncertain``), as then the store decides.

One market has one ``Principal`` at a time, which is used by one thread at a time.

The decisions are those of the simulated game (``engine.live``). The theorems on copies speak of
games in which every reward comes at once and all arms are there from the start: late rewards,
eligible subsets and arms that come and go are not covered by them.
"""

import hashlib
import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from copyproof_client.records import Decision, Statistics, Told

from copyproof.live import events
from copyproof.live.events import DecisionRequest, Eligible, Expired, Ids, Key, MarketEvent, encode
from copyproof.live.idempotency import Answer
from copyproof.live.market import MarketState, answers_of, plan_of
from copyproof.live.membership import Membership
from copyproof.live.records import (
    MOST_DECISIONS,
    KeyReused,
    MarketConfig,
    NoArm,
    checked_pairs,
    plain_eligible,
    unit_reward,
)
from copyproof.live.replay import recover
from copyproof.live.snapshots import to_bytes
from copyproof.live.statistics import View
from copyproof.live.stores import Store, StoreError, open_store
from copyproof.policy import Policy, parse_policy
from copyproof.validation import FieldError, name, require, shown, whole_in


class Principal(Membership):
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

    _state: MarketState
    _last: int
    _saved: int

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
        self.market = name("market", market)
        self.store = open_store(store) if isinstance(store, str) else store
        self.token = token
        self._clock = clock
        self._staged: list[dict[str, Any]] = []
        self._depth = 0
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
        if type(count) is not int or not 1 <= count <= MOST_DECISIONS:
            count = whole_in("count", count, 1, MOST_DECISIONS)
        if not isinstance(slate, bool):
            raise FieldError("slate", slate, "true or false")
        wanted = None if eligible is None else plain_eligible(eligible)
        keyed = self._keyed(key, ["ask", count, wanted, slate])
        if found := self._answered(keyed):
            return self._decisions(*found.answer)
        state = self._current()
        registry = state.registry
        among = None if wanted is None else registry.numbers_of(wanted)
        choosable = registry.available if among is None else registry.choosable(among)
        if choosable == 0:
            raise NoArm(
                "no arm is registered" if among is None else "eligible: no such arm is registered"
            )
        # A slate is as long as it can be, so that replay, which counts decisions, does the same.
        made = min(count, choosable) if slate else count
        with self.group():
            at = self._expire_due()
            try:
                asked = state.decide(DecisionRequest(made, at, wanted, slate, keyed), among)
            except BaseException:
                self._failed = True  # some of it may be carried out
                raise
            self._staged.append(encode(asked))
        return self._decisions(asked.round, asked.arms)

    def tell(self, decision: str, reward: float, *, key: str | None = None) -> Told:
        """Tell the reward of a decision, a number in [0, 1]."""
        return self._tell([(decision, reward)], key, "decision", "reward")[0]

    def tell_many(
        self, rewards: Sequence[tuple[str, float]], *, key: str | None = None
    ) -> list[Told]:
        """Tell rewards as (decision, reward), up to 1000, one after another; all or none."""
        rewards = checked_pairs("rewards", rewards, "(decision, reward)")
        whole_in("len(rewards)", len(rewards), 1, MOST_DECISIONS)
        return self._tell(rewards, key, "rewards[{}].decision", "rewards[{}].reward")

    def _tell(
        self, rewards: Sequence[tuple[str, float]], key: str | None, first: str, second: str
    ) -> list[Told]:
        """Tell rewards; the fields' names have a blank for the place in the list."""
        last, round_of = self._current().round, self._ids.round
        rounds = [round_of(decision, last, first, n) for n, (decision, _) in enumerate(rewards)]
        values = [unit_reward(second, reward, n) for n, (_, reward) in enumerate(rewards)]
        keyed = self._keyed(key, ["tell", rounds, values])
        if found := self._answered(keyed):
            return self._told(*found.answer)
        with self.group():
            at = self._expire_due()
            outcomes = self._write(events.Told(rounds, values, at, keyed))
        return self._told(rounds, answers_of(outcomes))

    def expire(self, now: float | None = None) -> int:
        """Give decisions whose window is over the default reward; how many there were.

        ``ask`` and ``tell`` do it by themselves; call it now and then where nobody asks.
        """
        with self.group():
            before = self.pending
            self._expire_due(now)
            return before - self.pending

    def _expire_due(self, now: float | None = None) -> float:
        """Write down what has expired by now; the time."""
        at = self._time(now)
        due = self._state.due(at)
        if due is not None:
            self._write(Expired(*due, at))
        return at

    def _decisions(self, first: int, arms: Sequence[int]) -> list[Decision]:
        registry, id_of = self._state.registry, self._ids.id
        agents, owners, names = registry.agent_names, registry.arm_owner, registry.arm_names
        return [
            Decision(id_of(number), agents[owners[arm]], names[arm], number)
            for number, arm in enumerate(arms, first)
        ]

    def _told(self, rounds: Sequence[int], answers: Sequence[Sequence[Any]]) -> list[Told]:
        return [
            Told(self._ids.id(number), status, value)
            for number, (status, value) in zip(rounds, answers, strict=True)
        ]

    # --- what is known ---------------------------------------------------------------------

    @property
    def policy(self) -> str:
        """The policy that is run now, in its text form."""
        return str(self._current().policy)

    @property
    def round(self) -> int:
        """How many decisions there have been."""
        return self._current().round

    @property
    def pending(self) -> int:
        """How many decisions wait for their reward."""
        return self._current().arrays.pending

    @property
    def last(self) -> int:
        """The number of the last event that is stored."""
        return self._last

    @property
    def saved(self) -> int:
        """The event after which the newest snapshot was taken that is known to be good."""
        return self._saved

    def statistics(self, agent: str | None = None) -> Statistics:
        """Plays, rewards and shares: of all agents, or of one agent and its arms."""
        return self.view(agent).statistics()

    def view(self, agent: str | None = None) -> View:
        """What ``statistics`` needs, taken now; its ``statistics()`` may run on another thread."""
        return View(self.market, self._current(), agent)

    def digest(self) -> str:
        """Digest of everything that is remembered, bit for bit."""
        return self._current().digest()

    # --- the journal -----------------------------------------------------------------------

    @contextmanager
    def group(self) -> Iterator[None]:
        """Commit all that is written within together, at the end, with one sync.

        Nothing that was answered within may be passed on before the end. If the store fails, or
        the block ends with an error, nothing of the group has happened.
        """
        self._current()
        self._depth += 1
        before = len(self._staged) if self._depth > 1 else 0
        try:
            yield
            if self._depth == 1:
                self._commit()
        except BaseException:
            # An error that comes before anything is written leaves a larger group as it is.
            if len(self._staged) > before:
                self._failed = True
            raise
        finally:
            self._depth -= 1
            if self._depth == 0 and self._failed:
                self._staged = []

    def snapshot(self) -> None:
        """Save the state, so that the next start need not replay what came before."""
        require(self._depth == 0, "snapshot", "within a group", "possible: end the group first")
        self.store.save_snapshot(self.market, self._last, to_bytes(self._current()))
        self._saved = self._last

    def compact(self) -> None:
        """Save the state, and drop the journal before the last snapshot but this one.

        So there are always two ways back, should a snapshot be damaged.
        """
        self.snapshot()
        older = self.store.snapshot(self.market, before=self._last)
        if older is not None:
            self.store.compact(self.market, older[0])

    def _current(self) -> MarketState:
        """The state; rebuilt from the store first, if something failed."""
        if self._failed:
            if self._depth > 0:
                raise StoreError("this group has failed: nothing of it is stored")
            self._rebuild()
        return self._state

    def _rebuild(self) -> None:
        self._failed = True
        self._staged = []
        self._state, self._last, self._saved = recover(self.store, self.market, self.config)
        self._failed = False

    def _commit(self) -> None:
        if self._failed:
            raise StoreError("this group has failed: nothing of it is stored")
        if self._staged:
            self.store.append(self.market, self._last + 1, self._staged, token=self.token)
            self._last += len(self._staged)
            self._staged = []

    def _time(self, now: float | None = None) -> float:
        at = float(self._clock() if now is None else now)
        if not math.isfinite(at):
            raise FieldError("now", at, "a finite number")
        return max(at, self._state.at)

    def _write(self, event: MarketEvent) -> Any:
        """Carry an event out in memory, and have it committed at the end of the group."""
        self._staged.append(encode(event))
        self._state.enter(event)
        return self._state.settle()

    def _keyed(self, key: str | None, request: Any) -> Key | None:
        """A caller's key with the digest of its request."""
        if key is None:
            return None
        written = json.dumps(request, separators=(",", ":"))
        return Key(name("key", key), hashlib.sha256(written.encode()).hexdigest()[:32])

    def _answered(self, key: Key | None) -> Answer | None:
        """What was answered to a key before, if it was; KeyReused if to another request."""
        if key is None:
            return None
        found = self._current().answers.get(key.key)
        if found is not None and found.request != key.request:
            raise KeyReused(
                f"key = {shown(key.key)} is not free: it came with another request before"
            )
        return found
