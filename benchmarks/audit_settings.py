"""Games that are hard on an auditor: long, greedy, or decided by something rare.

Each setting is one market, policy and horizon with a number of games that is small for it, as long
games have. It is audited many times, by sampling, with other luck each time; the truth is the mean
of many more games, played once. What a deviation that copies truly gains is the smallest of its
differences to the strategies that copy nothing. An audit *misses* if at least one of its limits
does not hold the truth: those of the gains hold together, and so do those of the losses, so that
either may happen in 5 % of audits.

Audits, and the games behind the truth, are markets of the study ``calibration.toml``.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from copyproof import Agent, Case, Market, Result, Study, paper_market
from copyproof.game import Empirical, Exponential, Geometric, RiskAverse, RiskSeeking

CONFIDENCE = 0.95
# Of the luck of all audits of hard settings, and of the draw of random markets.
SEED = 1
GREEDY = "epsilon-greedy(epsilon=0)"
# Luck that no audit here has.
_TRUTH_SEED = 2**63
TRUTH = Path(__file__).parent / "results" / "calibration-truth.json"

Copies: TypeAlias = tuple[int, ...]
Values: TypeAlias = NDArray[np.float64]
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
_RISKY = Market(
    [
        Agent("low", [Empirical([0.5]), Empirical([0, 0, 0, 1, 1])], utility=RiskSeeking(3)),
        Agent("high", [0.6]),
    ]
)
_HIDDEN = Market([Agent("low", [0.85, 0.3]), Agent("high", [0.6, 0.5]), Agent("third", [0.75])])
_PATIENT = Geometric(0.99)
_AVERSE, _SEEKING = RiskAverse(0.5), RiskSeeking(2)

SETTINGS = (
    # Greedy locks in on the bad arm in half a per cent of games, and pays for copies.
    Setting("greedy, bad arm", _pair(0.05, 0.95), GREEDY, 1000, "low", _LADDER, 150, 100, 30_000),
    Setting("greedy, good arm", _pair(0.05, 0.95), GREEDY, 1000, "high", _FEW, 150, 100, 60_000),
    Setting("greedy, 10⁴", _pair(0.05, 0.95), GREEDY, 10_000, "high", ((2,),), 40, 100, 10_000),
    Setting("greedy, 10⁵", _pair(0.05, 0.95), GREEDY, 100_000, "high", ((2,),), 20, 100, 1000),
    Setting("greedy, many games", _pair(0.05, 0.95), GREEDY, 100, "high", _FEW, 1500, 100, 300_000),
    Setting("greedy needle", _pair(0.001, 0.5), GREEDY, 1000, "high", _FEW, 150, 100, 60_000),
    Setting(
        "greedy at both levels",
        _MIXED,
        "h-epsilon-greedy(agent=0,arm=0)",
        1000,
        "high",
        ((2, 1), (1, 2), (0, 2)),
        100,
        100,
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
        100,
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
        100,
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
        100,
        100_000,
    ),
    Setting("greedy, exponential", _EXPONENTIAL, GREEDY, 300, "high", _FEW, 60, 100, 30_000),
    Setting("needles", _pair(0.001, 0.002), "ucb1", 2000, "low", _FEW, 60, 100, 15_000),
    Setting(
        "one sampled arm", _MIXED, "rh-ucb(L=1)", 1000, "high", ((2, 1), (1, 2)), 60, 100, 15_000
    ),
    # Hiding and showing arms matter, and no copies pay: a risky arm, and an arm that is bad.
    Setting(
        "hidden arms, risk-seeking", _RISKY, "h-ucb", 40, "low", ((0, 2), (2, 1)), 500, 100, 200_000
    ),
    Setting("hidden arms", _HIDDEN, "h-ucb", 1000, "low", ((10, 1), (2, 2)), 150, 100, 30_000),
    Setting(
        "figure 1a, 10⁴", paper_market("1a"), "ucb1", 10_000, "0.5-agent", ((2,),), 20, 100, 2000
    ),
)


def strategies() -> list[Case]:
    """What is played for the truth of all settings: of each its reference and its deviations."""
    return [case for setting in SETTINGS for case in _strategies(setting)]


def _strategies(setting: Setting) -> list[Case]:
    best = setting.market.agent(setting.agent).best_arm_only().copies
    return [
        Case(
            f"{setting.name}: {copies}",
            setting.market.with_strategy(setting.agent, copies),
            setting.horizon,
            setting.truth_games,
            _TRUTH_SEED,
            setting.policy,
        )
        for copies in (best, *_tried(best, setting.deviations))
    ]


def _tried(best: Copies, deviations: Iterable[Copies]) -> list[Copies]:
    """The deviations, and themselves with their copies left out."""
    plain = [tuple(min(count, 1) for count in copies) for copies in deviations]
    return [one for one in dict.fromkeys((*deviations, *plain)) if one != best]


def gains_of(worths: Mapping[Copies, Values], best: Copies) -> dict[Copies, Values]:
    """What strategies gain: over the best arm alone, and with copies over all without copies.

    Parameters
    ----------
    worths : mapping
        What each strategy is worth, the best arm alone first: an array of games, or of one mean.
    best : tuple of int
        The best arm alone.
    """
    plain = [copies for copies in worths if max(copies) <= 1]
    found = {}
    for copies, worth in worths.items():
        over = plain if max(copies) > 1 else [best]
        differences = [worth - worths[other] for other in over]
        found[copies] = min(differences, key=lambda one: float(np.mean(one)))
    return {copies: gain for copies, gain in found.items() if copies != best}


def sampled_truth(setting: Setting, kept: Mapping[str, Path]) -> Truth:
    """The gains and losses as many games show them; where they were kept, by names of cases."""
    market, name = setting.market, setting.agent
    best = market.agent(name).best_arm_only().copies
    strategies = (best, *_tried(best, setting.deviations))
    games = {
        copies: Result.load(kept[case.name])
        for copies, case in zip(strategies, _strategies(setting), strict=True)
    }
    position, utility = market.names.index(name), market.agent(name).utility
    worths = {
        copies: utility.of(one.revenue[:, position]) - market.fee * sum(copies)
        for copies, one in games.items()
    }
    truth: Truth = {}
    for copies, gain in gains_of(worths, best).items():
        loss = games[copies].regret_curves[:, -1] - games[best].regret_curves[:, -1]
        root = setting.truth_games**0.5
        truth[copies] = (
            float(gain.mean()),
            float(loss.mean()),
            float(gain.std()) / root,
            float(loss.std()) / root,
        )
    return truth


def known_truth(setting: Setting) -> Truth:
    """The truth of a setting as it was published.

    Raises
    ------
    LookupError
        If it is not there, or of another game.
    """
    entry = json.loads(TRUTH.read_text(encoding="utf-8")).get(setting.name)
    if entry is None or entry["played"] != _played(setting):
        raise LookupError(f"{TRUTH.name} does not know {setting.name!r}: run calibration.py")
    values = entry["gain, loss and standard errors"]
    return {tuple(map(int, copies.split(","))): tuple(found) for copies, found in values.items()}


def publish(truths: Mapping[Setting, Truth]) -> None:
    """Write down what is true of every setting."""
    found = {
        setting.name: {
            "played": _played(setting),
            "gain, loss and standard errors": {
                ",".join(map(str, copies)): values for copies, values in truth.items()
            },
        }
        for setting, truth in truths.items()
    }
    TRUTH.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _played(setting: Setting) -> dict[str, Any]:
    return {
        "policy": setting.policy,
        "horizon": setting.horizon,
        "games": setting.truth_games,
    }


def audits() -> list[Case]:
    """All audits of all settings."""
    return [case for setting in SETTINGS for case in setting_audits(setting)]


def setting_audits(setting: Setting, seeds: Iterable[int] | None = None) -> list[Case]:
    """One audit of a setting for each seed, by default its number of them from 1,000 ``SEED``."""
    if seeds is None:
        seeds = range(1000 * SEED, 1000 * SEED + setting.audits)
    return [
        audit_case(
            f"{setting.name}: {seed}",
            setting.market,
            setting.policy,
            setting.agent,
            horizon=setting.horizon,
            seed=seed,
            budget=setting.games * setting.horizon * len(_strategies(setting)),
            method="sampling",
            deviations=[list(copies) for copies in setting.deviations],
        )
        for seed in seeds
    ]


def judged(
    setting: Setting, truth: Truth, seeds: Iterable[int], folder: Path, workers: int | None = None
) -> list[Outcome]:
    """Audit a setting once for each seed, and hold the limits against the truth."""
    study = Study(None, setting_audits(setting, seeds), measure=["audit"])
    rows: list[Any] = study.run(folder, workers=workers).frame().to_dict("records")
    return [outcome(row, truth) for row in rows]


def audit_case(
    name: str,
    market: Market,
    policy: str,
    agent: str,
    *,
    horizon: int,
    seed: int,
    budget: int,
    method: str,
    **options: Any,
) -> Case:
    """The audit of one agent by sampling, as a market of a study."""
    asked = {"agent": agent, "confidence": CONFIDENCE, "budget": budget, "method": method}
    games = max(1, budget // horizon)
    return Case(name, market, horizon, games, seed, policy, asked | options)


def outcome(row: Mapping[str, Any], truth: Truth) -> Outcome:
    """What an audit of one agent said, as its row has it, held against the truth."""
    tried: Sequence[Mapping[str, Any]] = row["audit_deviations"]
    (tolerance,) = row["audit_tolerance"]
    most = max(truth[tuple(one["copies"])][0] for one in tried if one["copying"])
    verdict = row["audit_verdict"]
    return Outcome(
        verdict=verdict,
        missed_gain=any(_misses(one, "gain", truth[tuple(one["copies"])][0]) for one in tried),
        missed_loss=any(_misses(one, "loss", truth[tuple(one["copies"])][1]) for one in tried),
        false_prone=bool(verdict == "prone" and most <= 1e-11),
        false_no_gain=bool(verdict == "no-gain" and most > tolerance),
    )


def _misses(limits: Mapping[str, Any], what: str, truth: float) -> bool:
    return not limits[f"{what}_low"] - 1e-9 <= truth <= limits[f"{what}_high"] + 1e-9
