"""Operations, gathered and carried out together: one call of the kernel for many of them.

A call with many arrays costs some 20 µs before it does anything, a decision about 1 µs. So a
request of many decisions, and above all the replay of a journal, gathers operations first.
"""

from typing import Any

import numpy as np

from copyproof.engine import live
from copyproof.engine.live import EXPIRED, FORGOTTEN, OPERATION, OUTCOME, ROUND, Terms, serve
from copyproof.engine.lower import lower_policy
from copyproof.engine.plan import Plan
from copyproof.live.arena import Arena
from copyproof.live.records import MarketConfig
from copyproof.policy import AllArms, Policy
from copyproof.validation import require

_REWARDS = {"first": live.FIRST, "last": live.LAST, "sum": live.SUM, "max": live.MAXIMUM}
_LATE = {"refuse": live.REFUSE, "correct": live.CORRECT}
_NO_HORIZON = 2**47
_NONE = np.zeros(0, OUTCOME)


def plan_of(policy: Policy, config: MarketConfig) -> Plan:
    """A policy as numbers, if it can be run live."""
    if policy.needs_horizon and config.horizon is None:
        raise ValueError(
            f"policy = '{policy}' needs T: give the market's configuration a horizon, "
            "or take a policy that needs none, such as default-anytime, prh-ucb or h-ucb"
        )
    if not isinstance(policy.sampling, AllArms):
        require(
            policy.sampling.factor is not None,
            "policy",
            str(policy),
            "ready to run live: the size of its sample is left to the number of originals, which "
            "nobody knows here; give it, as in rh-ucb(L=3) or s-ucb(l=5)",
        )
    return lower_policy(policy, horizon=config.horizon or _NO_HORIZON, seed=config.seed)


class Machine:
    """A market's memory and the operations that wait to be carried out on it.

    Examples
    --------
    >>> from copyproof.policy import parse_policy
    >>> machine = Machine(parse_policy("h-ucb"), MarketConfig())
    >>> machine.add_agent()
    0
    >>> machine.add_arm(0)
    0
    >>> machine.ask(3, 0.0)
    >>> machine.flush()[1]
    [0, 0, 0]
    """

    def __init__(self, policy: Policy, config: MarketConfig) -> None:
        self.config = config
        self.policy = policy
        self.arena = Arena(plan_of(policy, config))
        self._terms = Terms(_REWARDS[config.rewards], _LATE[config.late], config.default_reward)
        self._operations: list[tuple[int, int, int, int, float]] = []
        self._lists: list[int] = []
        self._decisions = 0
        self._outcomes: list[Any] = []
        self._made: list[int] = []
        self._done = 0

    @property
    def gathered(self) -> int:
        """How many operations there are since the last ``flush``."""
        return self._done + len(self._operations)

    def flush(self) -> tuple[Any, list[int]]:
        """Carry out what waits: an outcome per operation, and the arms of all decisions."""
        self._run()
        outcomes, made = self._outcomes, self._made
        self._outcomes, self._made, self._done = [], [], 0
        return outcomes[0] if len(outcomes) == 1 else np.concatenate([_NONE, *outcomes]), made

    def _run(self) -> None:
        if not self._operations:
            return
        operations = np.array(self._operations, OPERATION)
        outcomes = np.zeros(len(operations), OUTCOME)
        lists = np.array(self._lists, np.int64)
        arena = self.arena
        arena.fit_log(self._decisions)
        self._operations, self._lists, self._decisions = [], [], 0
        before = self.round
        serve(arena.plan, arena.state, arena.live, self._terms, operations, lists, outcomes)
        self._done += len(operations)
        self._outcomes.append(outcomes)
        base = int(arena.counters[live.BASE])
        self._made += arena.live.log["arm"][before - base : self.round - base].tolist()

    # --- decisions and rewards -------------------------------------------------------------

    def ask(
        self, count: int, at: float, *, among: list[int] | None = None, slate: bool = False
    ) -> None:
        """Decide; ``among`` holds agents a ≥ 0 and arms as −1 − arm."""
        self._decisions += count
        if among is None:
            code = live.SLATE if slate else live.ASK
            self._operations.append((code, count, -1, -1, at))
            return
        start = len(self._lists)
        item_of = self.arena.item_of
        self._lists += [one if one >= 0 else item_of(-1 - one) for one in among]
        code = live.SLATE if slate else live.AMONG
        self._operations.append((code, count, start, len(self._lists), at))

    def tell(self, rounds: list[int], rewards: list[float]) -> None:
        """Let rewards come, one operation each."""
        self._operations += [
            (live.TELL, number, 0, 0, reward)
            for number, reward in zip(rounds, rewards, strict=True)
        ]

    def expire(self, upto: int, forgotten: int) -> None:
        """Give what waits, up to a round, the default reward, and forget up to another round."""
        self._operations.append((live.EXPIRE, upto, forgotten, 0, 0.0))

    @property
    def round(self) -> int:
        """Decisions so far, those that wait to be made left out."""
        return int(self.arena.counters[ROUND])

    @property
    def pending(self) -> int:
        """Decisions that wait for their reward."""
        agents = self.arena.state.items[: self.arena.agents]
        past = self.arena.live.past
        plays = agents["plays"].sum() + past["plays"].sum()
        return int(plays - agents["answers"].sum() - past["answers"].sum())

    def due(self, at: float) -> tuple[int, int] | None:
        """What expires by a time: up to which round, and up to which one is forgotten; or None."""
        counters = self.arena.counters
        expired, made, base = int(counters[EXPIRED]), int(counters[ROUND]), int(counters[live.BASE])
        asked = self.arena.live.log["at"]
        limit = at - self.config.reward_window
        if expired == made or asked[expired - base] > limit:
            return None
        forgotten = int(counters[FORGOTTEN])
        upto = expired + int(
            np.searchsorted(asked[expired - base : made - base], limit, side="right")
        )
        if self.config.late == "refuse":
            return upto, upto
        limit -= self.config.correction_window
        kept = asked[forgotten - base : upto - base]
        return upto, forgotten + int(np.searchsorted(kept, limit, side="right"))

    # --- who is there ----------------------------------------------------------------------

    def add_agent(self) -> int:
        """Register an agent; its number."""
        self._run()
        number = self.arena.add_agent()
        self._operations.append((live.AGENT, number, 0, 0, 0.0))
        return number

    def make_room(self, agent: int, more: int) -> None:
        """See to it that ``more`` arms of an agent fit."""
        if not self.arena.has_room(agent, more):
            self._run()
            self.arena.make_room(agent, more)

    def add_arm(self, agent: int) -> int:
        """Register a new arm; its number."""
        self.make_room(agent, 1)
        item, arm = self.arena.add_arm(agent)
        self._operations.append((live.ADMIT, item, arm, agent, 0.0))
        return arm

    def return_arm(self, arm: int) -> None:
        """Bring a retired arm back."""
        self._operations.append((live.RETURN, self.arena.item_of(arm), 0, 0, 0.0))

    def retire_arm(self, arm: int) -> None:
        """Withdraw an arm."""
        self._operations.append((live.RETIRE, self.arena.item_of(arm), 0, 0, 0.0))

    def suspend(self, agent: int) -> None:
        """Keep an agent out of all choices."""
        self._operations.append((live.SUSPEND, agent, 0, 0, 0.0))

    def resume(self, agent: int) -> None:
        """Let a suspended agent back in."""
        self._operations.append((live.RESUME, agent, 0, 0, 0.0))

    def set_policy(self, policy: Policy) -> None:
        """Change the policy; samples stay if the sampling rule does, else they are drawn anew."""
        plan = plan_of(policy, self.config)
        self._run()
        before = self.policy
        same = policy.sampling == before.sampling and policy.is_flat == before.is_flat
        same = same and policy.brings_fresh_arms == before.brings_fresh_arms
        self.policy = policy
        self.arena.load(self.arena.export(), plan, drawn=not same, changed=True)

    def load(self, policy: Policy, arrays: dict[str, Any]) -> None:
        """Take over what ``Arena.export`` wrote."""
        self.policy = policy
        self.arena.load(arrays, plan_of(policy, self.config))
