"""Whole games: the round loop, over a range of repetitions.

Per repetition it keeps what a study needs and nothing that grows with the horizon: discounted
revenue v_i = Σ γ_t R_t per agent, plays per agent and per original arm, and the regret
Σ (μ* − μ(A_t)) at given checkpoints, where μ* and μ are those of the round if means change during
the game (``changing_means``). The k-th play of agent i meets the uniform keyed by (i, k), or
the k-th reward of a given tape.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from copyproof.engine.cache import inlined, kernel, part
from copyproof.engine.changing_means import gap_at
from copyproof.engine.plan import Plan
from copyproof.engine.pools import epoch_is_over, next_epoch, reset
from copyproof.engine.principal import Observation, choose, observe
from copyproof.engine.quantiles import Rewards, reward
from copyproof.engine.registration import Changes, change, is_due, renew
from copyproof.engine.state import State
from copyproof.engine.streams import REWARD, uniform

# How a call ended.
DONE = 0
STOPPED = -1  # asked to stop. A status above 0 is 1 + the agent whose tape ran out.


class Game(NamedTuple):
    """What is played for, as arrays."""

    rewards: Rewards
    discount_factor: float
    # Γ_1, γ_2, …; empty for the geometric sequence of the factor (1 for no discount).
    discount_weights: Any
    tape: Any  # row i holds the rewards of agent i's plays; no columns if rewards are drawn
    tape_lengths: Any
    changes: Changes


class Record(NamedTuple):
    """What a range of repetitions left behind, one row each."""

    revenue: Any
    agent_plays: Any
    original_plays: Any
    renewals: Any  # how often each agent submitted an arm again as new, by its own rule
    regret: Any  # A column per checkpoint
    choices: Any  # the arm of every round; no columns unless wanted


@kernel
def play(
    plan: Plan,
    state: State,
    game: Game,
    checkpoints: np.ndarray,
    first_repetition: int,
    record: Record,
    control: np.ndarray,
    worker: int,
) -> int:
    """Play as many repetitions as ``record`` has rows; ``state`` and ``record`` are modified.

    ``control[0]`` is the wish to stop, read every round; ``control[1 + worker]`` counts rounds.
    """
    agents = record.revenue.shape[1]
    horizon = checkpoints[checkpoints.shape[0] - 1]
    weighted = game.discount_weights.shape[0] > 0
    changing = game.changes.round.shape[0] > 0
    renewing = game.changes.renew_after.shape[0] > 0
    for row in range(record.revenue.shape[0]):
        repetition = first_repetition + row
        reset(plan, state, repetition)
        for kept in (record.agent_plays, record.original_plays, record.renewals):
            kept[row, :] = 0
        revenue = record.revenue[row]
        revenue[:] = 0.0
        regret = 0.0
        gamma = 1.0
        checkpoint = 0
        changed = 0
        for t in range(1, horizon + 1):
            if control[0] != 0:
                return STOPPED
            if epoch_is_over(plan, state, t):
                _add_plays(state, agents, row, record)
                next_epoch(plan, state, repetition)
            if changing:
                changed = change(plan, state, game.changes, t, changed)
            agent, arm, place = choose(plan, state, t, repetition, None)
            original = state.items[arm].original
            if game.tape.shape[1] > 0 and state.items[agent].plays >= game.tape_lengths[agent]:
                return 1 + agent
            r = _reward(state, game, agent, original, repetition, t)
            observe(plan, state, agent, arm, place, Observation(1, 1, r))
            if renewing and t < horizon and is_due(game.changes, agent, state.items[arm]):
                record.original_plays[row, original] += state.items[arm].plays
                record.renewals[row, agent] += 1
                renew(plan, state, arm)
            if weighted:
                gamma = game.discount_weights[t - 1]
            revenue[agent] += gamma * r
            if not weighted:
                gamma *= game.discount_factor
            regret += _gap(game.rewards, original, t)
            if record.choices.shape[1] > 0:
                record.choices[row, t - 1] = arm - agents
            if t == checkpoints[checkpoint]:
                record.regret[row, checkpoint] = regret
                checkpoint += 1
            if t & 1023 == 0:
                control[1 + worker] += 1024
        control[1 + worker] += horizon & 1023
        _add_plays(state, agents, row, record)
    return DONE


@inlined
def _gap(rewards: Rewards, original: int, t: int) -> float:
    """What playing an original costs; only where means change it depends on the round."""
    gap: float = rewards.originals[original].gap
    return gap_at(rewards, original, t) if math.isnan(gap) else gap


@inlined
def _reward(state: State, game: Game, agent: int, original: int, repetition: int, t: int) -> float:
    """What the agent's next play pays: as the tape has it, or F⁻¹(u) of its uniform."""
    k = state.items[agent].plays
    if game.tape.shape[1] > 0:
        return float(game.tape[agent, k])
    key0 = state.keys[agent + 1, 0]
    key1 = state.keys[agent + 1, 1]
    u = uniform(key0, key1, k, REWARD, 0, repetition)
    return reward(game.rewards, original, u, t)


@part
def _add_plays(state: State, agents: int, row: int, record: Record) -> None:
    """Add the plays of an epoch, or of the whole game; ``record`` is modified in place."""
    for agent in range(agents):
        record.agent_plays[row, agent] += state.items[agent].plays
    for number in range(agents, state.items.shape[0]):
        item = state.items[number]
        record.original_plays[row, item.original] += item.plays
