"""The leaderboard study: what variants take from a principal that learns which model to ask.

Four questions, each under UCB1, Thompson sampling and the default:

- what the ten variants of one lab earn beyond its best one alone, and the same for every lab that
  has at least five;
- what ten exact copies of that best one would earn instead, and what the model that is listed
  twice, as two companies serve it, earns by its second entry;
- which **entry fee** per variant would stop it. With u(m) the wins of the lab when it enters its m
  best models, the m − 1 further ones stop paying at a fee of (u(m) − u(1)) / (m − 1); the fee that
  stops every number of them is the largest of these over m.
"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copyproof._files import write_or_refuse
from copyproof.game import Market, write_market
from copyproof.plots import save_figure
from copyproof.plots.canvas import new_axes, plain
from copyproof.real_data.labs import SERVED_TWICE
from copyproof.real_data.leaderboard import leaderboard_market, models_of, read_leaderboard
from copyproof.real_data.market_games import POLICIES, Games, interval, look_of, play_games, told
from copyproof.simulation import Interval
from copyproof.studies.strategies import AS_GIVEN, Variation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LAB = "BAAI Infinity-Instruct"
TWICE_LAB = "LMSYS Vicuna"
HORIZON, REPETITIONS, SEED = 10_000, 200, 1
_LEAST_VARIANTS = 5
_COPIES = 10
_ONCE = "served once"


def run(
    data: Path, out: Path, *, horizon: int = HORIZON, repetitions: int = REPETITIONS
) -> dict[str, Any]:
    """Play the study, and write ``results.json``, ``market.toml`` and ``leaderboard.png``."""
    entries = read_leaderboard(data)
    market = leaderboard_market(entries)
    twice = models_of(entries, TWICE_LAB).index(SERVED_TWICE[1])
    out.mkdir(parents=True, exist_ok=True)
    write_market(market, out / "market.toml")
    games = play_games(
        out / "games",
        {"leaderboard": market},
        _strategies(market, twice),
        horizon=horizon,
        repetitions=repetitions,
        seed=SEED,
    )
    found = {
        "labs": len(market.agents),
        "models": sum(len(agent.arms) for agent in market.agents),
        "horizon": horizon,
        "repetitions": repetitions,
        "seed": SEED,
        "served_twice": [
            {"model": one.model, "wins": one.wins, "battles": one.battles}
            for one in entries
            if one.model in SERVED_TWICE
        ],
        "policies": {policy: _of_policy(games, policy, market) for policy in POLICIES},
    }
    write_or_refuse(out / "results.json", (json.dumps(found, indent=1) + "\n").encode())
    _draw(found, out / "leaderboard.png")
    return found


def large_labs(market: Market) -> list[str]:
    """The labs with at least five variants, the largest first."""
    many = [agent for agent in market.agents if len(agent.arms) >= _LEAST_VARIANTS]
    return [agent.name for agent in sorted(many, key=lambda agent: -len(agent.arms))]


def _strategies(market: Market, twice: int) -> list[Variation]:
    size = len(market.agent(LAB).arms)
    best = [
        Variation(name=f"{lab}: best alone", agent=lab, hide=range(1, len(market.agent(lab).arms)))
        for lab in large_labs(market)
        if lab != LAB
    ]
    first = [Variation(name=f"{LAB}: {m}", agent=LAB, hide=range(m, size)) for m in range(1, size)]
    copies = Variation(name=f"{LAB}: copies", agent=LAB, copies=_COPIES, hide=range(1, size))
    once = Variation(name=_ONCE, agent=TWICE_LAB, hide=[twice])
    return [AS_GIVEN, *first, copies, once, *best]


def _of_policy(games: Games, policy: str, market: Market) -> dict[str, Any]:
    def revenue(strategy: str, lab: str) -> Any:
        return games.revenue(policy, "leaderboard", strategy, [lab])

    size = len(market.agent(LAB).arms)
    alone = revenue(f"{LAB}: 1", LAB)
    steps = [f"{LAB}: {m}" for m in range(2, size)] + [AS_GIVEN.name]
    gains = [interval(revenue(step, LAB) - alone) for step in steps]
    fees = [_per(gain, m - 1) for m, gain in enumerate(gains, start=2)]
    dearest = max(fees, key=lambda fee: fee.mean)
    labs = {}
    for lab in large_labs(market):
        strategy = f"{lab}: 1" if lab == LAB else f"{lab}: best alone"
        gain = interval(revenue(AS_GIVEN.name, lab) - revenue(strategy, lab))
        more = len(market.agent(lab).arms) - 1
        share = games.share(policy, "leaderboard", AS_GIVEN.name, [lab])
        labs[lab] = {
            "variants": more + 1,
            "share": told(share),
            "gain": told(gain),
            "gain_per_variant": told(_per(gain, more)),
        }
    return {
        "regret": told(games.regret(policy, "leaderboard", AS_GIVEN.name)),
        "alone": told(interval(alone)),
        "share_alone": told(games.share(policy, "leaderboard", f"{LAB}: 1", [LAB])),
        "gain": [told(gain) for gain in gains],
        "fee": told(dearest),
        "fee_at": 2 + fees.index(dearest),
        "copies_gain": told(interval(revenue(f"{LAB}: copies", LAB) - alone)),
        "served_twice_gain": told(
            interval(revenue(AS_GIVEN.name, TWICE_LAB) - revenue(_ONCE, TWICE_LAB))
        ),
        "labs": labs,
    }


def _per(gain: Interval, more: int) -> Interval:
    return Interval(gain.mean / more, gain.low / more, gain.high / more)


def _draw(found: dict[str, Any], path: Path) -> None:
    left, right = new_axes(3.0, columns=2, width=8.0)
    for policy in POLICIES:
        one = found["policies"][policy]
        name, colour = look_of(policy)
        gains = [{"mean": 0.0, "low": 0.0, "high": 0.0}, *one["gain"]]
        counts = range(1, len(gains) + 1)
        left.plot(counts, [gain["mean"] for gain in gains], color=colour, label=name)
        left.fill_between(
            counts,
            [gain["low"] for gain in gains],
            [gain["high"] for gain in gains],
            color=colour,
            alpha=0.2,
            linewidth=0,
        )
        _dots(right, one["labs"], colour)
    left.set_xlabel(f"variants that {LAB.partition(' ')[0]} enters")
    left.set_ylabel("wins gained over its best alone")
    left.legend(frameon=False, fontsize=8)
    right.set_xlabel("variants of a lab")
    right.set_ylabel("wins gained per further variant")
    for ax in (left, right):
        ax.axhline(0, color="#666666", linewidth=0.6)
        plain(ax)
    figure = left.get_figure(root=True)
    assert figure is not None
    save_figure(figure, path)


def _dots(ax: "Axes", labs: dict[str, Any], colour: str) -> None:
    each = [one["gain_per_variant"] for one in labs.values()]
    middle = [one["mean"] for one in each]
    below = [one["mean"] - one["low"] for one in each]
    above = [one["high"] - one["mean"] for one in each]
    places = [one["variants"] for one in labs.values()]
    ax.errorbar(
        places, middle, yerr=[below, above], fmt="o", color=colour, markersize=3.5, linewidth=0.8
    )
