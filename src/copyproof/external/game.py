"""One game of an external policy: names for the arms, luck by blocks, and the round loop.

The game is the engine's (``engine.play``) with somebody else's choices. The k-th play of agent i in
repetition r meets the same uniform u_{i,k} as there, revenue is v_i = Σ γ_t R_t with the same γ_t,
and the regret is Σ (μ* − μ(A_t)), or Σ (μ*_t − μ_t(A_t)) where means change, kept at checkpoints: a
learner that makes the engine's choices ends with the engine's numbers, to the last bit.
"""

import hashlib
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from copyproof.engine.changing_means import mean_and_gap
from copyproof.engine.drawn_means import Priors, drawn_means, put_means
from copyproof.engine.lower import lower_discount, lower_tape
from copyproof.engine.lower_rewards import lower_priors, lower_rewards
from copyproof.engine.luck import fill_rewards, fill_uniforms
from copyproof.engine.quantiles import Rewards
from copyproof.external.arms import METHODS, ArmChanges, Arms, arm_changes
from copyproof.external.records import ExternalError, ExternalPolicy, Learner, one_line
from copyproof.game import Market, Schedule
from copyproof.validation import shown

# Plays whose rewards are computed at a time.
_BLOCK = 256
# Rounds between two notes of how far a game is.
_TICK = 64


@dataclass(frozen=True, slots=True, eq=False)
class GameSetup:
    """What all games of a market have in common."""

    names: tuple[str, ...]
    arms: tuple[str, ...]
    agent_of: list[int]
    original_of: list[int]
    # The agent that earns what an original pays: its owner, or one name of an owner with several.
    earner_of: list[int]
    agents: int
    earners: int
    originals: int
    rewards: Rewards
    discount_factor: float
    discount_weights: list[float]
    # Rounds at which the regret is kept; the last one is T.
    checkpoints: list[int]
    seed: int
    # Given rewards of every agent's plays, in place of drawn ones; None if they are drawn.
    tape: list[list[float]] | None
    # What means are drawn from; None if all are known.
    priors: Priors | None
    # Which arms come and go; None if none do.
    changes: ArmChanges | None

    @property
    def places(self) -> dict[str, tuple[int, int]]:
        """The agent and the original of each arm."""
        return dict(zip(self.arms, zip(self.agent_of, self.original_of, strict=True), strict=True))

    @property
    def horizon(self) -> int:
        """T, the rounds of a game."""
        return self.checkpoints[-1]

    @property
    def owners(self) -> Mapping[str, str]:
        """The agent of each arm, by name; it cannot be written to."""
        return MappingProxyType({arm: arm.rpartition("/")[0] for arm in self.arms})

    def rewards_in(self, repetition: int) -> Rewards:
        """What the originals pay in one game."""
        if self.priors is None:
            return self.rewards
        found = self.rewards._replace(originals=self.rewards.originals.copy())
        (means,) = drawn_means(self.priors, seed=self.seed, first=repetition, repetitions=1)
        put_means(found, means)
        return found


@dataclass(slots=True)
class GameResult:
    """What one game leaves behind."""

    revenue: list[float]
    plays: list[int]
    original_plays: list[int]
    # Up to each checkpoint.
    regret: list[float]
    # A digest of the originals that were played, in their order.
    path: int
    # Arms that each agent registered during the game.
    new_arms: list[int]


def game_setup(
    market: Market,
    *,
    checkpoints: Sequence[int],
    seed: int,
    tape: Sequence[Sequence[float]] | None = None,
    earners: Sequence[int] | None = None,
    schedule: Schedule | None = None,
) -> GameSetup:
    """Name the arms, agent by agent, original by original, copy by copy, and lower the rest.

    The j-th registered arm of agent ``ann`` is ``ann/j``, whichever original it is a copy of.
    ``earners`` names, for each original, who earns what it pays, where the agents of the market are
    principals with several names (``game.groups``). ``schedule`` says which arms come and go.

    Examples
    --------
    >>> from copyproof import paper_market
    >>> game_setup(paper_market("1a", copies=2), checkpoints=[10], seed=1).arms[:3]
    ('0.5-agent/1', '0.5-agent/2', '0.6-agent/1')
    """
    horizon = checkpoints[-1]
    market.discount.check_horizon(horizon)
    given = [row[:count].tolist() for row, count in zip(*lower_tape(market, tape), strict=True)]
    factor, weights = lower_discount(market.discount)
    counts = [agent.registered for agent in market.agents]
    copies = [count for agent in market.agents for count in agent.copies]
    if earners is None:
        earners = [place for place, agent in enumerate(market.agents) for _ in agent.arms]
    setup = GameSetup(
        names=market.names,
        arms=tuple(
            f"{agent.name}/{number}"
            for agent in market.agents
            for number in range(1, agent.registered + 1)
        ),
        agent_of=np.repeat(np.arange(len(counts)), counts).tolist(),
        original_of=np.repeat(np.arange(len(copies)), copies).tolist(),
        earner_of=list(earners),
        agents=len(counts),
        earners=1 + max(earners),
        originals=len(copies),
        rewards=lower_rewards(market),
        discount_factor=factor,
        discount_weights=weights[:horizon].tolist(),
        checkpoints=list(checkpoints),
        seed=seed,
        tape=None if tape is None else given,
        priors=lower_priors(market) if market.has_priors else None,
        changes=arm_changes(market, schedule, horizon) if schedule else None,
    )
    # Has the kernels compiled here, and not by every process that is forked off.
    fill_rewards(setup.rewards_in(0), np.uint64(0), 0, 0, 0, 0, np.empty(0))
    if market.has_changing_means:
        fill_uniforms(np.uint64(0), 0, 0, 0, np.empty(0))
        mean_and_gap(setup.rewards, 0, 1)
    return setup


def game_seed(seed: int, repetition: int) -> int:
    """The seed that a factory is given: the first 32-bit word of NumPy's seed sequence.

    It is ``SeedSequence(seed, spawn_key=(repetition,)).generate_state(1)[0]``, a function of the
    seed and the repetition alone, so that all strategies and all policies are given the same.

    Examples
    --------
    >>> game_seed(1, 0)
    1641411168
    """
    return int(np.random.SeedSequence(seed, spawn_key=(repetition,)).generate_state(1)[0])


def play_game(
    policy: ExternalPolicy, setup: GameSetup, repetition: int, tick: Callable[[int], None]
) -> GameResult:
    """Play one repetition; ``tick`` is told how many more rounds have been played."""
    learner = _new_learner(policy, setup, repetition)
    arms = Arms(setup.names, setup.places, setup.changes, learner)
    book = _Book(setup, repetition)
    for t in range(1, setup.horizon + 1):
        try:
            arms.before(t)
            arm: Any = learner.choose()  # whatever a policy may return
        except (Exception, SystemExit) as error:
            raise _breakdown(policy, repetition, t, f"choose() raised {one_line(error)}") from error
        place = arms.places.get(arm) if isinstance(arm, str) else None
        if place is None:
            what = _not_an_arm(arm, len(arms.places))
            raise _breakdown(policy, repetition, t, f"choose() returned {what}")
        agent, original = place
        reward = book.reward(agent, original, t)
        if reward is None:
            what = f"tape[{agent}] has {book.plays[agent]} rewards, and the game asks for one more"
            raise _breakdown(policy, repetition, t, what)
        try:
            learner.learn(arm, reward)
            if t < setup.horizon:
                arms.after(arm, reward)
        except (Exception, SystemExit) as error:
            raise _breakdown(policy, repetition, t, f"learn() raised {one_line(error)}") from error
        book.note(agent, original, reward, t)
        if t % _TICK == 0:
            tick(_TICK)
    tick(setup.horizon % _TICK)
    return book.result(arms.new)


class _Book:
    """What happens in one game, and what it comes to."""

    def __init__(self, setup: GameSetup, repetition: int) -> None:
        rewards = setup.rewards_in(repetition)
        self.plays = [0] * setup.agents
        self._setup, self._rewards = setup, rewards
        self._gaps: list[float] = rewards.originals["gap"].tolist()
        self._luck = _Luck(setup, rewards, repetition)
        self._moving = len(rewards.changing) > 0
        self._checkpoints = frozenset(setup.checkpoints)
        self._revenue = [0.0] * setup.earners
        self._path = array("i")
        self._regrets: list[float] = []
        self._regret, self._gamma = 0.0, 1.0

    def reward(self, agent: int, original: int, t: int) -> float | None:
        """The reward of the agent's next play; None where its tape has no more."""
        return self._luck.reward(agent, original, self.plays[agent], t)

    def note(self, agent: int, original: int, reward: float, t: int) -> None:
        """Note the play of round t."""
        setup = self._setup
        self.plays[agent] += 1
        self._path.append(original)
        if setup.discount_weights:
            self._revenue[setup.earner_of[original]] += setup.discount_weights[t - 1] * reward
        else:
            self._revenue[setup.earner_of[original]] += self._gamma * reward
            self._gamma *= setup.discount_factor
        if self._moving:
            self._regret += mean_and_gap(self._rewards, original, t)[1]
        else:
            self._regret += self._gaps[original]
        if t in self._checkpoints:
            self._regrets.append(self._regret)

    def result(self, new_arms: list[int]) -> GameResult:
        """What the game leaves behind."""
        setup = self._setup
        counts = np.bincount(np.array(self._path), minlength=setup.originals).tolist()
        plays = [0] * setup.earners
        for original, count in enumerate(counts):
            plays[setup.earner_of[original]] += count
        digest = hashlib.blake2b(self._path.tobytes(), digest_size=8).digest()
        path = int.from_bytes(digest, "big")
        return GameResult(self._revenue, plays, counts, self._regrets, path, new_arms)


class _Luck:
    """What the plays of one game pay: as the tape has it, or drawn, a block of plays at a time."""

    def __init__(self, setup: GameSetup, rewards: Rewards, repetition: int) -> None:
        self.tape = setup.tape
        self.rewards, self.repetition, self.seed = rewards, repetition, np.uint64(setup.seed)
        self.changing = frozenset(rewards.changing.tolist())
        self.block = np.empty(min(_BLOCK, setup.horizon))
        self.starts = [-self.block.size] * setup.originals
        self.paid: list[list[float]] = [[] for _ in range(setup.originals)]

    def reward(self, agent: int, original: int, k: int, t: int) -> float | None:
        """The reward of the agent's play number k, from 0; None where its tape has no more.

        The round t only matters where means change: a block of such an original has the uniforms.
        """
        if self.tape is not None:
            return self.tape[agent][k] if k < len(self.tape[agent]) else None
        place = k - self.starts[original]
        if place >= self.block.size:
            if original in self.changing:
                fill_uniforms(self.seed, agent, k, self.repetition, self.block)
            else:
                fill_rewards(
                    self.rewards, self.seed, agent, original, k, self.repetition, self.block
                )
            self.paid[original], self.starts[original], place = self.block.tolist(), k, 0
        found = self.paid[original][place]
        if original in self.changing:
            return float(found >= 1.0 - mean_and_gap(self.rewards, original, t)[0])
        return found


def _new_learner(policy: ExternalPolicy, setup: GameSetup, repetition: int) -> Learner:
    """Make the learner of one game, and check that it has the two methods."""
    seed = game_seed(setup.seed, repetition)
    try:
        learner = policy.factory(setup.arms, owners=setup.owners, horizon=setup.horizon, seed=seed)
    except (Exception, SystemExit) as error:
        what = f"the factory raised {one_line(error)}"
        if isinstance(error, TypeError) and what.endswith("unexpected keyword argument 'owners'"):
            called = getattr(policy.factory, "__name__", "fn")
            what += f"; if it takes a tally, wrap it: mine = function_policy({called})"
        raise _breakdown(policy, repetition, 0, what) from error
    needed = ("choose", "learn") if setup.changes is None else ("choose", "learn", *METHODS)
    for method in needed:
        if not callable(getattr(learner, method, None)):
            kind = type(learner).__name__
            what = f"the factory returned a {kind}, which has no method {method}()"
            raise _breakdown(policy, repetition, 0, what)
    return learner


def _not_an_arm(arm: object, count: int) -> str:
    kind = "" if isinstance(arm, str) or arm is None else f" ({type(arm).__name__})"
    return f"{shown(arm)}{kind}, which is not one of the {count} arms"


def _breakdown(policy: ExternalPolicy, repetition: int, t: int, what: str) -> ExternalError:
    """The one line that says which policy broke down, when and how; round 0 is before the first."""
    when = f"round {t} of repetition {repetition}" if t else f"repetition {repetition}"
    return ExternalError(f"policy {policy.name!r}: {when}: {what}")
