"""Games that are hard on an auditor: long, greedy, or decided by something rare.

Each setting is one market, policy and horizon with a number of games that is small for it, as long
games have. It is audited many times, by sampling with large-sample limits, with other luck each
time; the truth is the mean of many more games, played once. An audit *misses* if at least one of
its limits does not hold the truth: those of the gains hold together, and so do those of the losses,
so that either may happen in 5 % of audits.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from copyproof import Agent, Audit, Market, audit, paper_market, parse_policy
from copyproof.auditing.paired_games import PairedGames
from copyproof.game import Exponential, Geometric, RiskAverse, RiskSeeking

CONFIDENCE = 0.95
GREEDY = "epsilon-greedy(epsilon=0)"
# Luck that no audit here has.
_TRUTH_SEED = 2**63
TRUTH = Path(__file__).parent / "results" / "calibration-truth.json"

Copies: TypeAlias = tuple[int, ...]
# For each deviation the gain and the loss, and their standard errors.
Truth: TypeAlias = dict[Copies, tuple[float, float, float, float]]


@dataclass(frozen=True)
class Setting:
    """One agent's copying in one game, and how often it is looked at."""

    name: str
    market: Market
    policy: str
    horizon: int
    # The audited agent: its reference is its best arm only.
    agent: str
    deviations: tuple[Copies, ...]
    # Games of each strategy in an audit, at most.
    games: int
    audits: int
    # Games of each strategy behind the truth.
    truth_games: int


@dataclass(frozen=True)
class Outcome:
    """What one audit said, held against the truth."""

    verdict: str
    missed_gain: bool
    missed_loss: bool
    false_prone: bool
    false_no_gain: bool


def _pair(low: float, high: float, **options: Any) -> Market:
    utility = {"utility": options.pop("utility")} if "utility" in options else {}
    agents = [Agent("low", [low], **utility), Agent("high", [high], **utility)]
    return Market(agents, **options)


_LADDER = ((2,), (5,), (10,), (20,), (50,), (100,))
_FEW = ((2,), (5,))
_EXPONENTIAL = Market([Agent("low", [Exponential(0.5)]), Agent("high", [Exponential(1.0)])])
_MIXED = Market([Agent("low", [0.5]), Agent("high", [0.9, 0.1])])
_PATIENT = Geometric(0.99)
_AVERSE, _SEEKING = RiskAverse(0.5), RiskSeeking(2)

SETTINGS = (
    # Greedy locks in on the bad arm in half a per cent of games, and pays for copies.
    Setting("greedy, bad arm", _pair(0.05, 0.95), GREEDY, 1000, "low", _LADDER, 150, 200, 30_000),
    Setting("greedy, good arm", _pair(0.05, 0.95), GREEDY, 1000, "high", _FEW, 150, 200, 60_000),
    Setting("greedy, 10⁴", _pair(0.05, 0.95), GREEDY, 10_000, "high", ((2,),), 40, 100, 10_000),
    Setting("greedy, 10⁵", _pair(0.05, 0.95), GREEDY, 100_000, "high", ((2,),), 20, 100, 1000),
    Setting("greedy, many games", _pair(0.05, 0.95), GREEDY, 100, "high", _FEW, 1500, 200, 300_000),
    Setting("greedy needle", _pair(0.001, 0.5), GREEDY, 1000, "high", _FEW, 150, 200, 60_000),
    Setting(
        "greedy at both levels",
        _MIXED,
        "h-epsilon-greedy(agent=0,arm=0)",
        1000,
        "high",
        ((2, 1), (1, 2), (0, 2)),
        100,
        200,
        20_000,
    ),
    Setting(
        "greedy, discounted",
        _pair(0.05, 0.95, discount=_PATIENT),
        GREEDY,
        500,
        "high",
        _FEW,
        150,
        200,
        60_000,
    ),
    Setting(
        "greedy, risk-averse",
        _pair(0.05, 0.95, utility=_AVERSE),
        GREEDY,
        500,
        "high",
        _FEW,
        150,
        200,
        60_000,
    ),
    Setting(
        "greedy, risk-seeking",
        _pair(0.05, 0.95, utility=_SEEKING),
        GREEDY,
        200,
        "high",
        _FEW,
        150,
        200,
        100_000,
    ),
    Setting("greedy, exponential", _EXPONENTIAL, GREEDY, 300, "high", _FEW, 60, 200, 30_000),
    Setting("needles", _pair(0.001, 0.002), "ucb1", 2000, "low", _FEW, 60, 200, 15_000),
    Setting(
        "one sampled arm", _MIXED, "rh-ucb(L=1)", 1000, "high", ((2, 1), (1, 2)), 60, 200, 15_000
    ),
    Setting(
        "figure 1a, 10⁴", paper_market("1a"), "ucb1", 10_000, "0.5-agent", ((2,),), 20, 100, 2000
    ),
)


def sampled_truth(setting: Setting, games: int) -> Truth:
    """The gains and losses as so many games show them."""
    policy = parse_policy(setting.policy)
    played = PairedGames(
        policy, horizon=setting.horizon, seed=_TRUTH_SEED, workers=1
    )
    market, name = setting.market, setting.agent
    position, utility = market.names.index(name), market.agent(name).utility
    reference = played.of(
        market.with_strategy(name, market.agent(name).best_arm_only().copies), games
    )
    before = utility.of(reference.revenue[:, position])
    fees = market.fee * (np.array([sum(copies) for copies in setting.deviations]) - 1)
    truth: Truth = {}
    for copies, fee in zip(setting.deviations, fees, strict=True):
        deviated = played.of(market.with_strategy(name, copies), games)
        gain = utility.of(deviated.revenue[:, position]) - before - fee
        loss = deviated.regret - reference.regret
        root = games**0.5
        truth[copies] = (
            float(gain.mean()),
            float(loss.mean()),
            float(gain.std()) / root,
            float(loss.std()) / root,
        )
    return truth


def known_truth(setting: Setting) -> Truth:
    """The truth of a setting as it is kept.

    Raises
    ------
    LookupError
        If it is not there, or of another game.
    """
    entry = json.loads(TRUTH.read_text(encoding="utf-8")).get(setting.name)
    if entry is None or entry["played"] != _played(setting):
        raise LookupError(f"{TRUTH.name} does not know {setting.name!r}: use --renew-truth")
    values = entry["gain, loss and standard errors"]
    return {tuple(map(int, copies.split(","))): tuple(found) for copies, found in values.items()}


def renew_truth(setting: Setting) -> None:
    """Play for the truth of a setting, and keep it."""
    kept = json.loads(TRUTH.read_text(encoding="utf-8")) if TRUTH.exists() else {}
    truth = sampled_truth(setting, setting.truth_games)
    values = {",".join(map(str, copies)): found for copies, found in truth.items()}
    kept[setting.name] = {
        "played": _played(setting),
        "gain, loss and standard errors": values,
    }
    TRUTH.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _played(setting: Setting) -> dict[str, Any]:
    return {
        "policy": setting.policy,
        "horizon": setting.horizon,
        "games": setting.truth_games,
    }


def judged(setting: Setting, truth: Truth, seeds: Iterable[int]) -> list[Outcome]:
    """Audit a setting once for each seed, and hold the limits against the truth."""
    return [outcome(_audited(setting, seed), truth) for seed in seeds]


def _audited(setting: Setting, seed: int) -> Audit:
    return audit(
        setting.market,
        setting.policy,
        agent=setting.agent,
        horizon=setting.horizon,
        seed=seed,
        deviations=setting.deviations,
        confidence=CONFIDENCE,
        budget=setting.games * setting.horizon * (1 + len(setting.deviations)),
        method="large-sample",
        workers=1,
    )


def outcome(found: Audit, truth: Truth) -> Outcome:
    """What an audit of one agent said, held against the truth."""
    agent = found.agents[0]
    gains = (*agent.copying, *agent.showing)
    most = max(truth[gain.copies][0] for gain in agent.copying)
    return Outcome(
        verdict=found.verdict,
        missed_gain=any(_misses(gain.gain, truth[gain.copies][0]) for gain in gains),
        missed_loss=any(_misses(gain.loss, truth[gain.copies][1]) for gain in gains),
        false_prone=found.verdict == "prone" and most <= 1e-11,
        false_no_gain=found.verdict == "no-gain" and most > agent.tolerance,
    )


def _misses(limits: Any, truth: float) -> bool:
    return not limits.low - 1e-9 <= truth <= limits.high + 1e-9
