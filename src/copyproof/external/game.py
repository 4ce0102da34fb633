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
from copyproof.external.records import ExternalError, ExternalPolicy, Learner, one_line
from copyproof.game import Market
from copyproof.validation import shown

# Plays whose rewards are computed at a time.
_BLOCK = 256
# Rounds between two notes of how far a game is.
_TICK = 64


@dataclass(frozen=True, slots=True, eq=False)
class GameSetup:
    """What all games of a market have in common."""

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
    path: int = 0


def game_setup(
    market: Market,
    *,
    checkpoints: Sequence[int],
    seed: int,
    tape: Sequence[Sequence[float]] | None = None,
    earners: Sequence[int] | None = None,
) -> GameSetup:
    """Name the arms, agent by agent, original by original, copy by copy, and lower the rest.

    The j-th registered arm of agent ``ann`` is ``ann/j``, whichever original it is a copy of.
    ``earners`` names, for each original, who earns what it pays, where the agents of the market are
    principals with several names (``game.groups``).

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
    choose, learn = learner.choose, learner.learn
    weights, factor = setup.discount_weights, setup.discount_factor
    agent_of, original_of = setup.agent_of, setup.original_of
    number_of = {arm: number for number, arm in enumerate(setup.arms)}
    rewards = setup.rewards_in(repetition)
    gaps: list[float] = rewards.originals["gap"].tolist()
    reward_of = _Luck(setup, rewards, repetition).reward
    moving = len(rewards.changing) > 0
    checkpoints = iter(setup.checkpoints)
    checkpoint = next(checkpoints)
    found = GameResult([0.0] * setup.earners, [0] * setup.earners, [0] * setup.originals, [])
    revenue, original_plays = found.revenue, found.original_plays
    plays, earner_of = [0] * setup.agents, setup.earner_of
    regret, gamma = 0.0, 1.0
    played = array("i")
    for t in range(1, setup.horizon + 1):
        try:
            arm: Any = choose()  # whatever a policy may return
        except (Exception, SystemExit) as error:
            raise _breakdown(policy, repetition, t, f"choose() raised {one_line(error)}") from error
        number = number_of.get(arm) if isinstance(arm, str) else None
        if number is None:
            what = _not_an_arm(arm, len(setup.arms))
            raise _breakdown(policy, repetition, t, f"choose() returned {what}")
        agent, original = agent_of[number], original_of[number]
        reward = reward_of(agent, original, plays[agent], t)
        if reward is None:
            what = f"tape[{agent}] has {plays[agent]} rewards, and the game asks for one more"
            raise _breakdown(policy, repetition, t, what)
        try:
            learn(arm, reward)
        except (Exception, SystemExit) as error:
            raise _breakdown(policy, repetition, t, f"learn() raised {one_line(error)}") from error
        plays[agent] += 1
        played.append(original)
        original_plays[original] += 1
        earner = earner_of[original]
        if weights:
            revenue[earner] += weights[t - 1] * reward
        else:
            revenue[earner] += gamma * reward
            gamma *= factor
        regret += mean_and_gap(rewards, original, t)[1] if moving else gaps[original]
        if t == checkpoint:
            found.regret.append(regret)
            checkpoint = next(checkpoints, 0)
        if t % _TICK == 0:
            tick(_TICK)
    tick(setup.horizon % _TICK)
    found.path = int.from_bytes(hashlib.blake2b(played.tobytes(), digest_size=8).digest(), "big")
    for original, count in enumerate(original_plays):
        found.plays[earner_of[original]] += count
    return found


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
    for method in ("choose", "learn"):
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
