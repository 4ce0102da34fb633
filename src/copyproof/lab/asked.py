"""What the page asks the engine for, read from JSON: every field is checked, every size is bounded.

A policy is one of ours by its text: what a page sends never names code to be run.
"""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from copyproof.game import Agent, Market, Renew, Schedule, market_from_dict
from copyproof.policy import Policy, parse_policy
from copyproof.validation import FieldError, items, known, number, require, text, whole_in

MOST_GAME_ROUNDS = 100_000  # of a game that is shown round by round
MOST_MARKETS = 8  # whose games are played with the same luck for one answer
MOST_GAMES = 100  # of each of them
MOST_GAME_ARMS = 20_000
MOST_ARMS = 1_000_000
MOST_ROUNDS = 10_000_000
MOST_REPETITIONS = 10_000
MOST_POLICIES = 12
MOST_PLAYED = 400_000_000  # rounds of one simulation, of all its policies together
AUDIT_BUDGET = 50_000_000
_SEEDS = 2**53 - 1  # whole numbers that a page can write


@dataclass(frozen=True, slots=True)
class AskedGame:
    """One game, to be shown round by round."""

    market: Market
    policy: Policy
    horizon: int
    seed: int
    schedule: Schedule | None


@dataclass(frozen=True, slots=True)
class AskedIncomes:
    """Games of several markets with the same luck: what agents earn in each."""

    markets: tuple[Market, ...]
    policy: Policy
    horizon: int
    games: int
    seed: int


@dataclass(frozen=True, slots=True)
class AskedSimulation:
    """Many games of a market file under policies."""

    market: Market
    policies: tuple[Policy, ...]
    horizon: int
    repetitions: int
    seed: int


@dataclass(frozen=True, slots=True)
class AskedAudit:
    """An audit of one policy on a market file."""

    market: Market
    policy: Policy
    horizon: int
    seed: int


def read_games(data: object) -> list[AskedGame]:
    """Read the games that a page wants to show.

    Examples
    --------
    >>> agent = {"name": "ann", "means": [0.5], "copies": [3]}
    >>> game = {"agents": [agent], "policy": "ucb1", "horizon": 10, "seed": 1, "renewals": {}}
    >>> read_games({"games": [game]})[0].market.registered
    3
    """
    fields = _fields(data, "games")
    games = items("games", fields["games"], "games")
    require(1 <= len(games) <= 2, "games", len(games), "one game or two")
    return [_within(f"games[{k}]", game) for k, game in enumerate(games)]


def _within(place: str, data: object) -> AskedGame:
    try:
        return _read_game(data)
    except FieldError as error:
        raise error.within(place) from None


def _read_game(data: object) -> AskedGame:
    fields = _fields(data, "agents", "policy", "horizon", "seed", "renewals")
    market = _read_agents(fields["agents"])
    renewals = fields["renewals"]
    require(isinstance(renewals, Mapping), "renewals", renewals, "an object")
    renews = []
    for place, rule in renewals.items():
        known("renewals", place, [str(k) for k in range(len(market.agents))])
        require(isinstance(rule, Mapping), "renewals", rule, "rules")
        unknown = set(rule) - {"after", "below"}
        require(not unknown, "renewals", sorted(unknown), "after or below")
        renews.append(Renew(market.names[int(place)], **rule))
    return AskedGame(
        market,
        parse_policy(text("policy", fields["policy"])),
        whole_in("horizon", fields["horizon"], 1, MOST_GAME_ROUNDS),
        whole_in("seed", fields["seed"], 0, _SEEDS),
        Schedule(renewals=renews) or None,
    )


def _read_agents(data: Any) -> Market:
    """Read a small market as the page writes it."""
    agents = []
    for k, each in enumerate(items("agents", data, "agents")):
        one = _fields(each, "name", "means", "copies", where=f"agents[{k}]")
        means = [number("mean", mean) for mean in items("means", one["means"], "numbers")]
        agents.append(Agent(one["name"], means, items("copies", one["copies"], "whole numbers")))
    market = Market(agents)
    arms = market.registered
    require(arms <= MOST_GAME_ARMS, "arms", arms, f"at most {MOST_GAME_ARMS}")
    return market


def read_incomes(data: object) -> AskedIncomes:
    """Read markets whose games are played for what their agents earn.

    Examples
    --------
    >>> agent = {"name": "ann", "means": [0.5], "copies": [3]}
    >>> asked = {"markets": [[agent]], "policy": "ucb1", "horizon": 10, "games": 2, "seed": 1}
    >>> read_incomes(asked).markets[0].registered
    3
    """
    fields = _fields(data, "markets", "policy", "horizon", "games", "seed")
    given = items("markets", fields["markets"], "markets")
    require(1 <= len(given) <= MOST_MARKETS, "markets", len(given), f"1 to {MOST_MARKETS}")
    markets = []
    for k, each in enumerate(given):
        try:
            markets.append(_read_agents(each))
        except FieldError as error:
            raise error.within(f"markets[{k}]") from None
    return AskedIncomes(
        tuple(markets),
        parse_policy(text("policy", fields["policy"])),
        whole_in("horizon", fields["horizon"], 1, MOST_GAME_ROUNDS),
        whole_in("games", fields["games"], 1, MOST_GAMES),
        whole_in("seed", fields["seed"], 0, _SEEDS),
    )


def read_simulation(data: object) -> AskedSimulation:
    """Read a simulation.

    Examples
    --------
    >>> market = 'agents = [{ name = "ann", arms = [{ mean = 0.5 }] }]'
    >>> game = {"market": market, "file": "m.toml", "policies": ["h-ucb"], "horizon": 10}
    >>> read_simulation(game | {"repetitions": 2, "seed": 1}).repetitions
    2
    """
    fields = _fields(data, "market", "file", "policies", "horizon", "repetitions", "seed")
    texts = items("policies", fields["policies"], "texts")
    require(1 <= len(texts) <= MOST_POLICIES, "policies", len(texts), f"1 to {MOST_POLICIES}")
    policies = tuple(parse_policy(text("policies", one)) for one in texts)
    horizon = whole_in("horizon", fields["horizon"], 1, MOST_ROUNDS)
    repetitions = whole_in("repetitions", fields["repetitions"], 1, MOST_REPETITIONS)
    played = horizon * repetitions * len(policies)
    if played > MOST_PLAYED:
        said = (
            f"× repetitions × policies = {played:,} rounds: at most {MOST_PLAYED:,} here, and more "
            "with copyproof simulate"
        )
        raise FieldError("horizon", played, f"at most {MOST_PLAYED}", said)
    seed = whole_in("seed", fields["seed"], 0, _SEEDS)
    return AskedSimulation(_market(fields), policies, horizon, repetitions, seed)


def read_audit(data: object) -> AskedAudit:
    """Read an audit."""
    fields = _fields(data, "market", "file", "policy", "horizon", "seed")
    return AskedAudit(
        _market(fields),
        parse_policy(text("policy", fields["policy"])),
        whole_in("horizon", fields["horizon"], 1, MOST_ROUNDS),
        whole_in("seed", fields["seed"], 0, _SEEDS),
    )


def _market(fields: Mapping[str, Any]) -> Market:
    """Read a market file that was dropped on the page, or written there."""
    written, file = fields["market"], text("file", fields["file"])
    require(isinstance(written, str), "market", written, "the text of a market file")
    kind = "JSON" if file.lower().endswith(".json") else "TOML"
    try:
        data = json.loads(written) if kind == "JSON" else tomllib.loads(written)
    except (ValueError, RecursionError) as error:
        said = f"is not {kind}: {error}"
        raise FieldError(file, None, kind, said) from None
    market = market_from_dict(data, source=file)
    arms = market.registered
    require(arms <= MOST_ARMS, "registered arms", arms, f"at most {MOST_ARMS}")
    return market


def _fields(data: object, *names: str, where: str = "request") -> Mapping[str, Any]:
    """Return an object's fields: all of these and no others."""
    if not isinstance(data, Mapping):
        raise FieldError(where, data, "an object")
    for name in names:
        if name not in data:
            raise FieldError(f"{where}.{name}", None, "given", "is missing")
    for name in data:
        known(where, name, names)
    return data
