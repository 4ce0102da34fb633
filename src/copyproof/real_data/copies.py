"""Copies on purpose: what the owner of one arm gains by them, in a market of such owners.

One owner at a time submits its arm 2, 10 or 100 times, and everybody else stays as they are. The
gain is what it earns more than with the arm once, game by game; the share is that of the rounds
that its copies are given together, and the regret is what its copying adds to the principal's.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from copyproof.game import Market
from copyproof.plots import save_figure
from copyproof.plots.canvas import name_counts, new_axes, plain
from copyproof.real_data.market_games import POLICIES, Games, interval, look_of, told
from copyproof.studies.strategies import AS_GIVEN, Variation

COPIES = (2, 10, 100)


def best_and_worst(market: Market) -> tuple[str, str]:
    """The owners of the arms with the largest and the least mean that is expected.

    Examples
    --------
    >>> from copyproof.game import Agent, BetaPrior
    >>> best_and_worst(Market([Agent("a", [BetaPrior(1, 9)]), Agent("b", [BetaPrior(2, 8)])]))
    ('b', 'a')
    """
    expected = {agent.name: getattr(agent.arms[0], "mean", 0.0) for agent in market.agents}
    return max(expected, key=expected.__getitem__), min(expected, key=expected.__getitem__)


def copying(owners: Iterable[str]) -> list[Variation]:
    """The market as it is, and every owner's copies of its arm.

    Examples
    --------
    >>> [one.name for one in copying(["a"])]
    ['as given', 'a × 2', 'a × 10', 'a × 100']
    """
    by_copies = (
        Variation(name=_name(owner, count), agent=owner, copies=count)
        for owner in owners
        for count in COPIES
    )
    return [AS_GIVEN, *by_copies]


def gains(
    games: Games, policy: str, market: str, owners: Mapping[str, str]
) -> dict[str, list[dict[str, Any]]]:
    """What each owner earns with its arm once, and what copies of it change, for JSON."""
    return {who: _gains_of(games, policy, market, owner) for who, owner in owners.items()}


def _gains_of(games: Games, policy: str, market: str, owner: str) -> list[dict[str, Any]]:
    def revenue(strategy: str) -> Any:
        return games.revenue(policy, market, strategy, [owner])

    def regret(strategy: str) -> Any:
        return games.results[policy, market, strategy].regret_curves[:, -1]

    def share(strategy: str) -> dict[str, float]:
        return told(games.share(policy, market, strategy, [owner]))

    once = AS_GIVEN.name
    found = [{"copies": 1, "revenue": told(interval(revenue(once))), "share": share(once)}]
    for count in COPIES:
        more = _name(owner, count)
        gain, lost = (interval(of(more) - of(once)) for of in (revenue, regret))
        found.append(
            {"copies": count, "gain": told(gain), "share": share(more), "regret": told(lost)}
        )
    return found


def draw_gains(
    policies: Mapping[str, Mapping[str, Any]], titles: Mapping[str, str], unit: str, path: Path
) -> None:
    """Draw gains against copies: a panel for each owner, and in it a line for each policy.

    ``policies`` has the owners' ``gains`` under "copies", and ``titles`` says what they are called.
    """
    axes = new_axes(2.9, columns=len(titles), width=3.0 * len(titles))
    for ax, (who, title) in zip(axes, titles.items(), strict=True):
        for policy in POLICIES:
            name, colour = look_of(policy)
            each = [row["gain"] for row in policies[policy]["copies"][who][1:]]
            ax.plot(COPIES, [gain["mean"] for gain in each], "o-", color=colour, label=name,
                    markersize=3)  # fmt: skip
            ends = ([gain["low"] for gain in each], [gain["high"] for gain in each])
            ax.fill_between(COPIES, *ends, color=colour, alpha=0.2, linewidth=0)
        ax.set_xscale("log")
        name_counts(ax, COPIES)
        ax.axhline(0, color="#666666", linewidth=0.6)
        ax.set_title(title, fontsize=9)
        ax.set_xlabel("copies")
        plain(ax)
    axes[0].set_ylabel(f"{unit} gained")
    axes[0].legend(frameon=False, fontsize=8)
    figure = axes[0].get_figure(root=True)
    assert figure is not None
    save_figure(figure, path)


def _name(owner: str, count: int) -> str:
    return f"{owner} × {count}"
