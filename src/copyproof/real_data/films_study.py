"""The study of films: what copies of a film would gain, and what 18 double titles do.

Three films are copied: the one that was rated most, the one that is liked most (by its posterior's
mean), and the one that is liked least. The 18 titles that are listed twice are played as they are,
and with every title once: what their owners gain together is the difference, game by game.
"""

import json
from pathlib import Path
from typing import Any

from copyproof._files import write_or_refuse
from copyproof.game import Market, write_market
from copyproof.plots import save_figure
from copyproof.plots.canvas import name_counts, new_axes, plain
from copyproof.plots.palette import MORE_COLOURS, colour_of, name_of
from copyproof.real_data.films import Film, films_market, raters_of_both, read_films
from copyproof.real_data.market_games import POLICIES, Games, interval, play_games, told
from copyproof.studies.strategies import AS_GIVEN, Variation

HORIZON, REPETITIONS, SEED = 100_000, 96, 1
COPIES = (2, 10, 100)
_TWICE, _ONCE = "as listed", "every title once"


def run(
    data: Path, out: Path, *, horizon: int = HORIZON, repetitions: int = REPETITIONS
) -> dict[str, Any]:
    """Play the study, and write ``results.json``, ``market.toml`` and ``films.png``."""
    films = read_films(data)
    listed, once = films_market(films), films_market(films, twice=False)
    out.mkdir(parents=True, exist_ok=True)
    write_market(listed, out / "market.toml")
    owners = copiers(films, once)
    how = {"horizon": horizon, "repetitions": repetitions, "seed": SEED}
    copying = [
        Variation(name=f"{owner} × {count}", agent=owner, copies=count)
        for owner in owners.values()
        for count in COPIES
    ]
    games = play_games(out / "games", {_ONCE: once}, [AS_GIVEN, *copying], **how)
    doubles = play_games(out / "doubles", {_TWICE: listed}, [AS_GIVEN], **how)
    found = {
        "films": len(films),
        **how,
        "copiers": {who: _told_film(title, films) for who, title in owners.items()},
        "doubles": _doubles(data, films),
        "policies": {
            policy: {
                "regret": told(games.regret(policy, _ONCE, AS_GIVEN.name)),
                "copies": {who: _gains(games, policy, one) for who, one in owners.items()},
                "doubles": _doubles_gain(games, doubles, policy, films),
            }
            for policy in POLICIES
        },
    }
    write_or_refuse(out / "results.json", (json.dumps(found, indent=1) + "\n").encode())
    _draw(found, out / "films.png")
    return found


def copiers(films: list[Film], market: Market) -> dict[str, str]:
    """Which films are copied: by what they stand for, their titles."""
    expected = {agent.name: getattr(agent.arms[0], "mean", 0.0) for agent in market.agents}
    return {
        "most rated": max(films, key=lambda film: sum(film.ratings)).title,
        "most liked": max(expected, key=expected.__getitem__),
        "least liked": min(expected, key=expected.__getitem__),
    }


def _told_film(title: str, films: list[Film]) -> dict[str, Any]:
    film = next(film for film in films if film.title == title)
    return {"title": title, "ratings": sum(film.ratings), "liked": sum(film.liked)}


def _gains(games: Games, policy: str, owner: str) -> list[dict[str, Any]]:
    def revenue(strategy: str) -> Any:
        return games.revenue(policy, _ONCE, strategy, [owner])

    alone = revenue(AS_GIVEN.name)
    found = [{"copies": 1, "revenue": told(interval(alone))}]
    for count in COPIES:
        strategy = f"{owner} × {count}"
        gain, share = (
            interval(revenue(strategy) - alone),
            games.share(policy, _ONCE, strategy, [owner]),
        )
        cost = games.results[policy, _ONCE, strategy].regret_curves[:, -1]
        before = games.results[policy, _ONCE, AS_GIVEN.name].regret_curves[:, -1]
        lost = interval(cost - before)
        found.append(
            {"copies": count, "gain": told(gain), "share": told(share), "regret": told(lost)}
        )
    return found


def _doubles_gain(games: Games, doubles: Games, policy: str, films: list[Film]) -> dict[str, Any]:
    titles = [film.title for film in films if len(film.entries) > 1]
    twice = doubles.revenue(policy, _TWICE, AS_GIVEN.name, titles)
    once = games.revenue(policy, _ONCE, AS_GIVEN.name, titles)
    return {"once": told(interval(once)), "gain": told(interval(twice - once))}


def _doubles(data: Path, films: list[Film]) -> list[dict[str, Any]]:
    """What the log shows of the titles that are listed twice."""
    return [
        {
            "title": film.title,
            "ratings": list(film.ratings),
            "liked": list(film.liked),
            "rated_both": raters_of_both(data, film),
        }
        for film in films
        if len(film.entries) > 1
    ]


def _draw(found: dict[str, Any], path: Path) -> None:
    axes = new_axes(2.9, columns=3, width=9.0)
    for ax, who in zip(axes, found["copiers"], strict=True):
        for policy in POLICIES:
            rows = found["policies"][policy]["copies"][who][1:]
            colour = MORE_COLOURS[0] if policy == "thompson" else colour_of(policy)
            name = "Thompson" if policy == "thompson" else name_of(policy)
            counts = [row["copies"] for row in rows]
            gains = [row["gain"] for row in rows]
            ax.plot(counts, [gain["mean"] for gain in gains], "o-", color=colour, label=name,
                    markersize=3)  # fmt: skip
            ends = ([gain["low"] for gain in gains], [gain["high"] for gain in gains])
            ax.fill_between(counts, *ends, color=colour, alpha=0.2, linewidth=0)
        ax.set_xscale("log")
        name_counts(ax, COPIES)
        ax.axhline(0, color="#666666", linewidth=0.6)
        ax.set_title(f"the {who} film", fontsize=9)
        ax.set_xlabel("copies")
        plain(ax)
    axes[0].set_ylabel("likes gained")
    axes[0].legend(frameon=False, fontsize=8)
    figure = axes[0].get_figure(root=True)
    assert figure is not None
    save_figure(figure, path)
