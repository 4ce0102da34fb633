"""The study of clicks: a policy's value from another's log, where a third log knows the answer.

ZOZO showed items of three pages by two policies, in the same week: uniformly at random, and by
Bernoulli Thompson sampling ("bts"), whose probabilities the log holds. What the uniform policy is
worth can be read from its own log; IPS, SNIPS and the doubly robust estimate must find the same
from the other log alone. The uniform log also replays a policy that learns, UCB1.

And the items of one page are a market: their click rates are estimated from the uniform log, and
the item with the largest estimate and the one with the least are copied.
"""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from copyproof._files import write_or_refuse
from copyproof.external.functions import Tally, function_policy
from copyproof.game import write_market
from copyproof.off_policy import Value, arm_policy_values, replay
from copyproof.off_policy.estimates import Answer
from copyproof.plots import save_figure
from copyproof.plots.canvas import new_axes, plain
from copyproof.plots.palette import INK, MORE_COLOURS
from copyproof.real_data.clicks import (
    ClickLog,
    chance_if_alike,
    item_name,
    items_market,
    read_clicks,
)
from copyproof.real_data.copies import best_and_worst, copying, draw_gains, gains
from copyproof.real_data.market_games import POLICIES, interval, play_games, told
from copyproof.real_data.posteriors import posteriors
from copyproof.simulation import Interval
from copyproof.studies.strategies import AS_GIVEN

PAGES = ("all", "men", "women")
SEED = 1
# The page whose items are copied: the one with the most rows for each.
COPIED_PAGE = "men"
HORIZON, REPETITIONS = 100_000, 64
_SHADES = dict(
    zip(("ips", "snips", "doubly robust"), ("#0072B2", "#009E73", "#882255"), strict=True)
)


def ucb1(tally: Tally) -> str:
    """The arm with the largest index r + √(2 ln t / n); one that was never played comes first."""

    def index(arm: str) -> float:
        n = tally.plays[arm]
        bonus = math.sqrt(2 * math.log(tally.round) / n) if n else math.inf
        return tally.total[arm] / n + bonus if n else math.inf

    return max(tally.arms, key=index)


def run(
    data: Path, out: Path, *, horizon: int = HORIZON, repetitions: int = REPETITIONS
) -> dict[str, Any]:
    """Estimate, play, and write ``results.json``, ``market.toml`` and the two figures."""
    out.mkdir(parents=True, exist_ok=True)
    log = read_clicks(data, "random", COPIED_PAGE)
    copies = copied_items(log, out, horizon=horizon, repetitions=repetitions)
    found = {"pages": {page: _page(data, page) for page in PAGES}, "seed": SEED, "copies": copies}
    write_or_refuse(out / "results.json", (json.dumps(found, indent=1) + "\n").encode())
    _draw(found, out / "clicks.png")
    titles = {who: f"the item with the {who} rate" for who in copies["items"]}
    draw_gains(copies["policies"], titles, "clicks", out / "copies.png")
    return found


def copied_items(log: ClickLog, out: Path, *, horizon: int, repetitions: int) -> dict[str, Any]:
    """What copies of the best and of the worst item of a page would gain, by the page's log."""
    market = items_market(log)
    write_market(market, out / "market.toml")
    owners = dict(zip(("best", "worst"), best_and_worst(market), strict=True))
    how = {"horizon": horizon, "repetitions": repetitions, "seed": SEED}
    games = play_games(out / "games", {COPIED_PAGE: market}, copying(owners.values()), **how)
    return {
        "page": COPIED_PAGE,
        **how,
        "chance_if_alike": chance_if_alike(log),
        "items": {who: _item(log, market.names.index(owner)) for who, owner in owners.items()},
        "policies": {
            policy: {
                "clicks": told(
                    interval(games.revenue(policy, COPIED_PAGE, AS_GIVEN.name, market.names))
                ),
                "regret": told(games.regret(policy, COPIED_PAGE, AS_GIVEN.name)),
                "copies": gains(games, policy, COPIED_PAGE, owners),
            }
            for policy in POLICIES
        },
    }


def _item(log: ClickLog, number: int) -> dict[str, Any]:
    """What the log tells of an item, and the limits of 95 % for its click rate."""
    from scipy.special import betaincinv

    seen, clicked = log.rows_by_item, log.clicks_by_item
    rate = posteriors(clicked, seen)[number]
    low, high = betaincinv(rate.alpha, rate.beta, [0.025, 0.975])
    limits = Interval(rate.mean, float(low), float(high))
    return {
        "item": number, "rows": seen[number], "clicks": clicked[number], "rate": told(limits),
    }  # fmt: skip


def _page(data: Path, page: str) -> dict[str, Any]:
    uniform, learned = read_clicks(data, "random", page), read_clicks(data, "bts", page)
    count = int(max(uniform.items.max(), learned.items.max())) + 1
    even = np.full(count, 1 / count)
    own = Interval.of_share(int(uniform.clicks.sum()), len(uniform.clicks))
    logged = Interval.of_share(int(learned.clicks.sum()), len(learned.clicks))
    values = arm_policy_values(learned.items, learned.clicks, learned.propensities, even)
    names = [item_name(k) for k in range(count)]
    replayed = replay(
        [names[k] for k in uniform.items],
        uniform.clicks,
        function_policy(ucb1),
        owners=dict(zip(names, names, strict=True)),
        seed=SEED,
    )
    return {
        "items": count,
        "rows": len(learned.clicks),
        "uniform_on_policy": told(own),
        "bts_on_policy": told(logged),
        "largest_weight": float((1 / count / learned.propensities).max()),
        "estimates": [_told(one, own) for one in values],
        "replay_ucb1": replayed.to_dict(),
    }


def _told(one: Answer, truth: Interval) -> dict[str, Any]:
    """An estimate, and whether it and the uniform log's own mean can both be right."""
    agrees = None
    if isinstance(one, Value):
        agrees = one.value.low <= truth.high and truth.low <= one.value.high
    return {**one.to_dict(), "agrees": agrees}


def _draw(found: dict[str, Any], path: Path) -> None:
    (ax,) = new_axes(2.8, width=8.0)
    for k, page in enumerate(PAGES):
        one = found["pages"][page]
        _bar(ax, k - 0.3, one["uniform_on_policy"], INK, "uniform log, its own mean", k)
        _bar(ax, k - 0.15, one["bts_on_policy"], MORE_COLOURS[1], "bts log, its own mean", k)
        for j, estimate in enumerate(one["estimates"]):
            name = estimate["estimator"]
            if estimate["value"] is None:
                ax.text(k + 0.15 * j, 0.0002, f"{name}: refused", color=_SHADES[name], fontsize=7,
                        ha="center", va="bottom", rotation=90)  # fmt: skip
                continue
            label = f"uniform policy from the bts log: {name}"
            _bar(ax, k + 0.15 * j, estimate["value"], _SHADES[name], label, k)
    ax.set_xticks(range(len(PAGES)), [f"page “{page}”" for page in PAGES])
    ax.set_ylabel("clicks a row")
    ax.set_ylim(bottom=0)
    ax.set_xlim(-0.5, len(PAGES) - 0.4)
    ax.legend(frameon=False, fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    plain(ax)
    figure = ax.get_figure(root=True)
    assert figure is not None
    save_figure(figure, path)


def _bar(ax: Any, x: float, value: dict[str, float], colour: str, label: str, first: int) -> None:
    ends = [[value["mean"] - value["low"]], [value["high"] - value["mean"]]]
    ax.errorbar(
        [x], [value["mean"]], yerr=ends, fmt="o", color=colour, markersize=4, capsize=2,
        label=label if first == 0 else None,
    )  # fmt: skip
