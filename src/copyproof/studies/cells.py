"""Cells: one market under one policy, and everything that the result depends on.

A cell is *content-addressed*: its digest is that of its market, its policy with all the numbers
that it is played with, the engine's sources, T, the repetitions, the seed, the checkpoints and the
measures. Equal digests, equal results; names are no part of it. A *point* is a place of a study: it
names a policy, a market and a strategy, and has a cell. Points that have the same cell share it.

The repetitions of a cell are cut into slices by a rule that looks at the cell alone: about a
million rounds each, so that a slice takes about a second, and never more numbers than fit 32 MB.
What the slices leave behind is put together in their order, so that results do not depend on who
played what, when, and on how many machines.
"""

import functools
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from copyproof.game import Market, Schedule, market_to_dict
from copyproof.policy import Policy, with_market_defaults
from copyproof.simulation import NUMERICS, engine_digest, last_tenth, rules_digest
from copyproof.studies.policies import StudyPolicy

# What can be measured, in the order of the columns.
MEASURES = ("regret", "revenue", "shares", "lost", "audit", "exact")
# Those that come from the cell's own games.
PLAYED = frozenset(("regret", "revenue", "shares", "lost"))

# Part of every digest: it moves when what is made of games moves, in sums, audits or exact values.
_VERSION = 1
# The same of audits alone.
_AUDIT = 3

_SLICE_ROUNDS = 1_000_000
_SLICE_NUMBERS = 4_000_000


@dataclass(frozen=True, slots=True)
class Terms:
    """What all cells of a part of a study have in common, besides their games.

    Parameters
    ----------
    measure : tuple of str
        Of ``MEASURES``, in their order.
    arrays : bool
        Whether every repetition is kept.
    checkpoints : int
        Rounds at which the regret is kept in the arrays.
    audit : mapping
        What ``audit`` is given beyond market, policy, horizon and seed.
    """

    measure: tuple[str, ...]
    arrays: bool = False
    checkpoints: int = 200
    audit: Mapping[str, Any] = field(default_factory=dict)

    @property
    def plays(self) -> bool:
        """Whether the cell's own games are played."""
        return self.arrays or bool(PLAYED.intersection(self.measure))


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """One market under one policy, T rounds, R times, and what is measured."""

    market: Market
    policy: StudyPolicy
    schedule: Schedule | None
    horizon: int
    repetitions: int
    seed: int
    terms: Terms
    market_digest: str
    digest: str
    slice_size: int  # the repetitions of one slice; the last one may have fewer

    @property
    def work(self) -> int:
        """T·R, for the bar of progress."""
        return self.horizon * self.repetitions

    @property
    def checkpoints(self) -> list[int]:
        """The rounds at which the regret is kept."""
        return _checkpoints(self.horizon, *_checkpoint_key(self.terms))

    @property
    def slices(self) -> int:
        """How many slices the repetitions are cut into."""
        return -(-self.repetitions // self.slice_size) if self.terms.plays else 0

    def slice(self, number: int) -> tuple[int, int]:
        """The first repetition of a slice, and how many there are."""
        first = number * self.slice_size
        return first, min(self.slice_size, self.repetitions - first)

    @property
    def extras(self) -> tuple[str, ...]:
        """What is measured beside the games: audit, exact."""
        return tuple(one for one in self.terms.measure if one not in PLAYED)


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """A place of a study: what its policy, market and strategy are called, and its cell."""

    part: str
    market: str
    strategy: str
    cell: Cell

    def identity(self) -> dict[str, Any]:
        """The columns that say what a row is about."""
        cell = self.cell
        policy = cell.policy.policy
        resolved = (
            _text(with_market_defaults(policy, cell.market.quotient))
            if isinstance(policy, Policy)
            else cell.policy.text
        )
        return {
            "part": self.part,
            "policy": cell.policy.text,
            "resolved_policy": resolved,
            "market": self.market,
            "market_digest": cell.market_digest,
            "strategy": self.strategy,
            "horizon": cell.horizon,
            "repetitions": cell.repetitions,
            "seed": cell.seed,
            "numerics": NUMERICS,
            "cell": cell.digest,
            "agents": list(cell.market.names),
        }


def make_cell(
    market: Market,
    policy: StudyPolicy,
    schedule: Schedule | None,
    *,
    horizon: int,
    repetitions: int,
    seed: int,
    terms: Terms,
    market_digest: str,
) -> Cell:
    """Make a cell and its digest; ``market_digest`` is what ``digest_market`` says.

    Examples
    --------
    >>> from copyproof import paper_market
    >>> market, policy = paper_market("2a"), StudyPolicy("h-ucb", "h-ucb")
    >>> game = {"repetitions": 10, "seed": 1, "terms": Terms(("regret",))}
    >>> game |= {"market_digest": digest_market(market)}
    >>> one, other = (make_cell(market, policy, None, horizon=T, **game) for T in (1000, 2000))
    >>> one.digest == other.digest
    False
    """
    found = policy.policy
    if isinstance(found, Policy):
        rules = _rules(with_market_defaults(found, market.quotient), horizon)
    else:
        rules = _source_text(policy)
    identity = [
        _VERSION,
        market_digest,
        rules,
        _engine(),
        None if schedule is None else schedule.to_dict(),
        horizon,
        repetitions,
        seed,
        terms.measure,
        _checkpoint_identity(horizon, *_checkpoint_key(terms)),
        [_AUDIT, sorted(terms.audit.items())] if "audit" in terms.measure else None,
    ]
    text = json.dumps(identity)
    digest = hashlib.sha256(text.encode()).hexdigest()[:32]
    numbers = len(_checkpoints(horizon, *_checkpoint_key(terms))) + 3 * len(market.agents)
    size = max(1, min(_SLICE_ROUNDS // horizon, _SLICE_NUMBERS // (numbers + market.originals)))
    return Cell(
        market, policy, schedule, horizon, repetitions, seed, terms, market_digest, digest, size
    )


def digest_market(market: Market) -> str:
    """Digest of a market: its agents, arms, strategies, fee and discount.

    Examples
    --------
    >>> from copyproof import paper_market
    >>> digest_market(paper_market("2a")) == digest_market(paper_market("1a", copies=1000))
    True
    """
    text = json.dumps(market_to_dict(market))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _checkpoint_key(terms: Terms) -> tuple[int, bool]:
    return (terms.checkpoints if terms.arrays else 0), "lost" in terms.measure


@functools.lru_cache(maxsize=1024)
def _checkpoints(horizon: int, count: int, lost: bool) -> list[int]:
    """As many evenly spaced as were asked for; and where lost games are counted, ⌊9T/10⌋.

    Without arrays ⌊9T/10⌋ and T.
    """
    spaced = min(count, horizon)
    found = {step * horizon // spaced for step in range(1, spaced + 1)} | {horizon}
    return sorted(found | {max(1, last_tenth(horizon))} if lost or not count else found)


def _checkpoint_identity(horizon: int, count: int, lost: bool) -> int | list[int]:
    """How many are evenly spaced, and ⌊9T/10⌋ where it is none of these."""
    plain = len(_checkpoints(horizon, count, lost)) == min(count, horizon)
    return count if plain or not count else [count, last_tenth(horizon)]


@functools.lru_cache(maxsize=4096)
def _rules(resolved: Policy, horizon: int) -> Any:
    """The record of a policy of ours, and the digest of all its numbers."""
    from copyproof.game import Agent
    from copyproof.policy import to_dict

    anything = Market([Agent("anybody", [0.5])])  # l and L are filled in already
    return [to_dict(resolved), rules_digest(anything, resolved, horizon)]


@functools.lru_cache(maxsize=4096)
def _text(policy: Policy) -> str:
    return str(policy)


def _source_text(policy: StudyPolicy) -> Any:
    return [policy.identity, NUMERICS]


@functools.cache
def _engine() -> str:
    return engine_digest()
