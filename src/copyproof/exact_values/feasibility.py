"""Whether a computation can be done: everything that is refused, and the one place that refuses.

What the policy leaves to chance decides how good the count of states is. ε-greedy arms reach nearly
all states that can be counted, so that a count above the limit is refused at once. UCB rules reach
a small part (some 2 % with three arms and 60 rounds), so that they may try, and are stopped when a
round has reached too many.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field

from copyproof.exact_values.state_count import MOST_GAMES, Size, size_of
from copyproof.exact_values.weighted_games import Setting, setting
from copyproof.game import (
    Bernoulli,
    Constant,
    Explicit,
    Geometric,
    GivenMarket,
    Market,
    Neutral,
    as_market,
)
from copyproof.policy import Policy, as_policy
from copyproof.validation import FieldError, require, whole

__all__ = ["MOST_ROUNDS", "Task", "prepare", "undiscounted", "why_not_exact"]

MOST_ROUNDS = 2_000
#: What a refusal ends with, where the limit can be given.
ADVICE = "a shorter horizon, fewer different arms or a higher limit would help"
_SHARE_OF_MEMORY = 0.25
_HOPELESS = 1_000  # A count this many times above the limit is refused at once, whatever the policy
# Memory for a word of a key, or its probability, at the worst: two tables, and a third one while
# one grows, filled to 5/16 at least.
_BYTES_A_WORD = 64
# Memory for a state with its fraction, of two layers; fractions grow with the horizon.
_BYTES_OF_FRACTIONS = 1_000


@dataclass(slots=True)
class Task:
    """A computation that may begin. It keeps count, and stops what grows too large."""

    asked: Policy
    game: Setting
    size: Size
    limit: int
    bytes_a_state: int
    progress: Callable[[int], None] | None = None
    states: int = field(default=0, init=False)
    _rounds: int = field(default=0, init=False)

    def watch(self, t: int, states: int) -> None:
        """Take note that round t has reached so many states; ``ValueError`` if they do not fit."""
        if states > self.limit:
            raise ValueError(self.refusal(f"more than {states:,} states in round {t}", states))
        if self.progress is not None:
            self.progress(self._rounds + t)

    def game_done(self, states: int) -> None:
        """Count the states of a game."""
        self.states += states
        self._rounds += self.game.horizon

    def refusal(self, needed: str, states: int) -> str:
        """Say what is needed, what there is, and what would help."""
        return (
            f"horizon = {self.game.horizon} needs {needed} "
            f"({states * self.bytes_a_state / 1e9:.3g} GB), and the limit is {self.limit:,} "
            f"({self.limit * self.bytes_a_state / 1e9:.3g} GB): {ADVICE}"
        )


def why_not_exact(market: Market, policy: Policy | str) -> str | None:
    """Say why ``exact`` cannot take a market and a policy, or None if it can.

    Whether the states fit into memory is another question: see ``states``.

    Parameters
    ----------
    market : Market
        Agents, their arms and how they register them.
    policy : Policy or str
        A record, or its text form.

    Examples
    --------
    >>> from copyproof import paper_market
    >>> why_not_exact(paper_market("1a"), "h-ucb") is None
    True
    >>> why_not_exact(paper_market("1a"), "thompson")
    "policy = 'thompson' cannot be exact: posterior draws are continuous"
    """
    asked = as_policy(policy)
    if any(rule.traits.index == "drawn" for rule in asked.rules):
        return f"policy = '{asked}' cannot be exact: posterior draws are continuous"
    if any(rule.traits.memory == "order" for rule in asked.rules):
        return f"policy = '{asked}' cannot be exact: it remembers the order of rewards"
    if asked.restart is not None:
        return f"policy = '{asked}' cannot be exact: its epochs are games of their own"
    try:
        market.require_known_means("exact")
    except FieldError as error:
        return str(error)
    for place, agent in enumerate(market.agents):
        for number, arm in enumerate(agent.arms):
            if agent.copies[number] > 0 and not isinstance(arm, Bernoulli):
                kind = type(arm).__name__.lower()
                return f"agents[{place}].arms[{number}] is {kind}: exact takes Bernoulli arms only"
    if not undiscounted(market):
        for place, agent in enumerate(market.agents):
            if not isinstance(agent.utility, Neutral):
                return (
                    f"agents[{place}].utility is not linear: it needs the distribution of revenue, "
                    "which is exact without a discount only"
                )
    return None


def undiscounted(market: Market) -> bool:
    """Whether γ ≡ 1, so that revenue is the number of successes."""
    match market.discount:
        case Constant():
            return True
        case Geometric(factor=factor):
            return factor == 1
        case Explicit(weights=weights):
            return all(weight == 1 for weight in weights)


def prepare(
    market: GivenMarket,
    policy: Policy | str,
    *,
    horizon: int,
    fractions: bool = False,
    limit: int | None = None,
) -> Task:
    """Check what ``exact`` is asked for, and count its states, before any work.

    Parameters
    ----------
    market, policy, horizon, fractions, limit
        As of ``exact``.

    Raises
    ------
    ValueError
        One line that says what cannot be done, and why.

    Examples
    --------
    >>> from copyproof import paper_market
    >>> prepare(paper_market("1a"), "h-ucb", horizon=10).size.layer
    92378
    """
    market, asked = as_market(market), as_policy(policy)
    horizon = whole("horizon", horizon, least=1)
    accepted = f"a whole number from 1 to {MOST_ROUNDS}"
    require(horizon <= MOST_ROUNDS, "horizon", horizon, accepted)
    if reason := why_not_exact(market, asked):
        raise ValueError(reason)
    game = setting(market.quotient, asked, horizon)
    size = size_of(game)
    if size.games > MOST_GAMES:
        raise ValueError(
            f"{size.games:,} samples and orders of agents would be averaged over, and at most "
            f"{MOST_GAMES:,} are accepted: fewer arms or agents would help"
        )
    bytes_a_state = _BYTES_OF_FRACTIONS if fractions else _bytes_a_state(game)
    if limit is None:
        physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        limit = int(_SHARE_OF_MEMORY * physical / bytes_a_state)
    task = Task(asked, game, size, whole("limit", limit, least=1), bytes_a_state)
    reaches_most = game.policy.arm.coin.chance > 0
    if size.layer > task.limit * (1 if reaches_most else _HOPELESS):
        counted = f"{size.layer:,}" if size.layer < 10**12 else f"{size.layer:.1e}"
        raise ValueError(task.refusal(f"up to {counted} states at a time", size.layer))
    return task


def _bytes_a_state(game: Setting) -> int:
    slots = sum(min(count, game.horizon) for count in game.copies)
    per_word = 62 // (2 * game.horizon.bit_length())
    return _BYTES_A_WORD * (1 + -(-slots // per_word))
