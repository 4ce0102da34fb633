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
from copyproof.real_data.copies import best_and_worst, copying, draw_gains, gains
from copyproof.real_data.films import Film, films_market, raters_of_both, read_films
from copyproof.real_data.market_games import POLICIES, Games, interval, play_games, told
from copyproof.studies.strategies import AS_GIVEN

HORIZON, REPETITIONS, SEED = 100_000, 96, 1
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
    games = play_games(out / "games", {_ONCE: once}, copying(owners.values()), **how)
    doubles = play_games(out / "doubles", {_TWICE: listed}, [AS_GIVEN], **how)
    found: dict[str, Any] = {
        "films": len(films),
        **how,
        "copiers": {who: _told_film(title, films) for who, title in owners.items()},
        "doubles": _doubles(data, films),
        "policies": {
            policy: {
                "regret": told(games.regret(policy, _ONCE, AS_GIVEN.name)),
                "copies": gains(games, policy, _ONCE, owners),
                "doubles": _doubles_gain(games, doubles, policy, films),
            }
            for policy in POLICIES
        },
    }
    write_or_refuse(out / "results.json", (json.dumps(found, indent=1) + "\n").encode())
    titles = {who: f"the {who} film" for who in owners}
    draw_gains(found["policies"], titles, "likes", out / "films.png")
    return found


def copiers(films: list[Film], market: Market) -> dict[str, str]:
    """Which films are copied: by what they stand for, their titles."""
    best, worst = best_and_worst(market)
    return {
        "most rated": max(films, key=lambda film: sum(film.ratings)).title,
        "most liked": best,
        "least liked": worst,
    }


def _told_film(title: str, films: list[Film]) -> dict[str, Any]:
    film = next(film for film in films if film.title == title)
    return {"title": title, "ratings": sum(film.ratings), "liked": sum(film.liked)}


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
