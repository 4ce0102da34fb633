"""``exact``: expectations and distributions of a game, over everything that chance may do.

Forward dynamic programming, round by round. With P_t(a) the probability that an arm like a is
chosen in round t, summed over the states that round t may begin with,

    E[v_i] = Σ_t γ_t Σ_{a of i} P_t(a) μ(a),   E[regret] = Σ_t Σ_a P_t(a) (μ* − μ(a)),

and the states after round T give the distribution of every agent's successes: of its revenue, if
γ ≡ 1.

Where agents are bound to groups, the principals' game is computed (``game.groups``). Arms of one
principal that have the same mean are exchangeable, so that each of a group's names can expect its
share of their plays: as many of all those arms as are its own.
"""

import math
import time
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import assert_never

import numpy as np

from copyproof._progress import Progress, shown
from copyproof.exact_values.feasibility import Task, prepare, undiscounted
from copyproof.exact_values.floats import play_floats
from copyproof.exact_values.rational import as_written, play_fractions
from copyproof.exact_values.result import Exact, ExactAgent, Number
from copyproof.exact_values.weighted_games import Played, Setting
from copyproof.game import (
    ByName,
    Constant,
    Discount,
    Explicit,
    Geometric,
    GivenMarket,
    Neutral,
    Quotient,
    as_market,
    quotient,
)
from copyproof.policy import Policy

__all__ = ["exact"]


def exact(
    market: GivenMarket,
    policy: Policy | str,
    *,
    horizon: int,
    fractions: bool = False,
    limit: int | None = None,
    progress: Progress = None,
) -> Exact:
    """Compute what a market comes to under a policy, with no sampling.

    Parameters
    ----------
    market : Market, path or str
        Or the path of its file, or ``"paper:2a"``. Bernoulli arms only; the fewer, and the more of
        them copies, the better.
    policy : Policy or str
        A record, or its text form such as ``"rh-ucb(L=3)"``; any but Thompson sampling.
    horizon : int
        T, the rounds of a game.
    fractions : bool
        Compute in rational numbers; a mean of 0.9 is 9/10.
    limit : int, optional
        The most states to keep of one round; by default what a quarter of the machine's memory
        holds. A computation that would go beyond it is refused, beforehand if that can be known.
    progress : bool or callable, optional
        True shows a bar; a function is told the number of rounds done so far, over all games
        (``size.games`` × T in the end).

    Returns
    -------
    Exact
        Regret, and for every agent revenue, plays, utility and the distribution of revenue.

    Raises
    ------
    ValueError
        If ``why_not_exact`` gives a reason, or the states are too many.

    Examples
    --------
    >>> from copyproof import Agent, Market
    >>> market = Market([Agent("half", [0.5], copies=[3]), Agent("better", [0.75])])
    >>> exact(market, "ucb1", horizon=8, fractions=True).agents[0].revenue
    Fraction(5707, 2048)
    >>> exact(market, "h-ucb", horizon=8).agents[0].revenue
    1.67742919921875
    """
    market = as_market(market)
    task = prepare(market, policy, horizon=horizon, fractions=fractions, limit=limit)
    game = task.game
    begin = time.perf_counter()
    with shown(progress, task.size.games * game.horizon) as task.progress:
        plays, chances = _average(task, fractions)
    read = as_written if fractions else float
    means = [read(mean) for mean in game.means]
    best = read(market.best_mean)
    gaps = [best - mean for mean in means]
    regret = _total((row[kind] * gap for row in plays for kind, gap in enumerate(gaps)), read)
    principals = ByName(
        _summary(game, i, plays, chances[i], means, read) for i in range(len(game.market.agents))
    )
    bound = not (found := quotient(market)).is_trivial
    return Exact(
        market=market,
        policy=task.asked,
        horizon=game.horizon,
        fractions=fractions,
        regret=regret,
        agents=_by_name(found, game, principals, plays, means, read) if bound else principals,
        groups=ByName(principals[name] for name in market.groups),
        size=task.size,
        states=task.states,
        seconds=time.perf_counter() - begin,
    )


def _average(task: Task, fractions: bool) -> tuple[list[list[Number]], list[list[Number]]]:
    """Average over all games: plays by round and kind, and chances by agent and successes."""
    plays: list[list[Number]] = []
    chances: list[list[Number]] = []
    play: Callable[..., Played[Fraction] | Played[float]] = (
        play_fractions if fractions else play_floats
    )
    for one in task.game.games():
        found = play(task.game, one, watch=task.watch)
        weight = one.weight if fractions else float(one.weight)
        plays = _added(plays, [[weight * part for part in row] for row in found.plays])
        chances = _added(chances, [[weight * part for part in row] for row in found.successes])
        task.game_done(found.states)
    return plays, chances


def _added(table: list[list[Number]], more: list[list[Number]]) -> list[list[Number]]:
    """Add two tables of equal shape, or an empty one and another."""
    if not table:
        return more
    rows = zip(table, more, strict=True)
    return [[a + b for a, b in zip(*row, strict=True)] for row in rows]


def _total(values: Iterable[Number], read: Callable[[float], Number]) -> Number:
    """Add numbers: floats with one rounding in all, fractions with none."""
    return math.fsum(values) if read is float else sum(values, Fraction(0))


def _summary(
    game: Setting,
    place: int,
    plays: list[list[Number]],
    chances: list[Number],
    means: list[Number],
    read: Callable[[float], Number],
) -> ExactAgent:
    """What one agent can expect."""
    market = game.market
    agent = market.agents[place]
    own = [kind for kind, owner in enumerate(game.owners) if owner == place]
    weights = _weights(market.discount, game.horizon, read)
    earned = (
        weight * row[kind] * means[kind]
        for weight, row in zip(weights, plays, strict=True)
        for kind in own
    )
    revenue = _total(earned, read)
    worth = revenue
    if not isinstance(agent.utility, Neutral):
        worth_of = agent.utility.of(np.arange(game.horizon + 1.0)).tolist()
        worth = math.fsum(float(c) * u for c, u in zip(chances, worth_of, strict=True))
    return ExactAgent(
        name=agent.name,
        revenue=revenue,
        plays=_total((row[kind] for row in plays for kind in own), read),
        utility=worth - read(market.fee) * agent.registered,
        distribution=tuple(chances) if undiscounted(market) else None,
    )


def _by_name(
    quotient: Quotient,
    game: Setting,
    principals: ByName[ExactAgent],
    plays: list[list[Number]],
    means: list[Number],
    read: Callable[[float], Number],
) -> ByName[ExactAgent]:
    """What the given market's agents can expect: of a group, each name's share of its arms."""
    weights = _weights(game.market.discount, game.horizon, read)
    kinds = {key: kind for kind, key in enumerate(zip(game.owners, game.means, strict=True))}
    of_kind = [
        (
            _total((row[kind] for row in plays), read),
            _total((w * row[kind] for w, row in zip(weights, plays, strict=True)), read),
        )
        for kind in range(len(game.means))
    ]
    found: dict[int, ExactAgent] = {}
    for place, members in enumerate(quotient.members):
        for position in members:
            agent = quotient.named.agents[position]
            if agent.group is None:
                found[position] = principals[place]
                continue
            played, earned = read(0.0), read(0.0)
            for arm, copies in zip(agent.arms, agent.copies, strict=True):
                if copies > 0:
                    kind = kinds[place, arm.mean]
                    share = Fraction(copies, game.copies[kind])
                    part = share if read is not float else float(share)
                    played += part * of_kind[kind][0]
                    earned += part * of_kind[kind][1] * means[kind]
            worth = earned - read(game.market.fee) * agent.registered
            utility = worth if isinstance(agent.utility, Neutral) else math.nan
            found[position] = ExactAgent(agent.name, earned, played, utility, None)
    return ByName(found[position] for position in range(len(quotient.named.agents)))


def _weights(discount: Discount, horizon: int, read: Callable[[float], Number]) -> list[Number]:
    """γ_1, …, γ_T."""
    match discount:
        case Constant():
            return [read(1.0)] * horizon
        case Geometric(factor=factor):
            return [read(factor) ** t for t in range(horizon)]
        case Explicit(weights=weights):
            return [read(weight) for weight in weights[:horizon]]
        case _:
            assert_never(discount)
