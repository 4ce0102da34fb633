"""MovieLens-100k as a market: films are arms, their directors are owners, a rating of 4 or 5 pays.

The knowledge graph beside the ratings names the director of 1,590 of the 1,682 films (as entities
of Freebase, without names). A film with several goes to the first that the file lists; one without
any is its own owner. 18 titles stand in the list of films twice, with the same year and genres: the
graph knows one entry of each pair, and the other belongs to the same director. Both are one film,
registered twice: one original, two copies, and its ratings together.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from copyproof.game import Agent, Market
from copyproof.real_data.posteriors import posteriors

_DIRECTED_BY = "film.film.directed_by"
# Out of 5.
_LIKED = 4.0


@dataclass(frozen=True, slots=True)
class Film:
    """A film: its entries in the list, its owner, and how often it was liked.

    Attributes
    ----------
    title, owner : str
        The title with its year, and the director as an entity, or the film itself.
    entries : tuple of str
        The numbers under which it is listed: one, or two.
    ratings, liked : tuple of int
        For each entry, the ratings, and those of 4 and 5.
    """

    title: str
    owner: str
    entries: tuple[str, ...]
    ratings: tuple[int, ...]
    liked: tuple[int, ...]


def _rows(path: Path) -> Iterator[list[str]]:
    """The rows of one of the files but its head, which names columns and their types."""
    with path.open(encoding="utf-8", newline="") as file:
        lines = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(lines)
        yield from lines


def read_films(folder: Path) -> list[Film]:
    """The films, in the order of the list."""
    rated: dict[str, int] = {}
    liked: dict[str, int] = {}
    for _, item, rating, _ in _rows(folder / "ml-100k.inter"):
        rated[item] = rated.get(item, 0) + 1
        liked[item] = liked.get(item, 0) + (float(rating) >= _LIKED)
    directors = _directors(folder)
    listed: dict[tuple[str, str, str], list[str]] = {}
    for item, title, year, genres in _rows(folder / "ml-100k.item"):
        # "unknown" is what the list calls a film that it has no title for.
        key = (title, year, genres) if title != "unknown" else (title, item, genres)
        listed.setdefault(key, []).append(item)
    films = []
    for (title, year, _), items in listed.items():
        known = [directors[item] for item in items if item in directors]
        owner = known[0] if known else f"film {items[0]}"
        seen, good = (tuple(of.get(item, 0) for item in items) for of in (rated, liked))
        films.append(Film(f"{title} ({year})", owner, tuple(items), seen, good))
    return films


def _directors(folder: Path) -> dict[str, str]:
    entity = {name: item for item, name in _rows(folder / "ml-100k.link")}
    found: dict[str, str] = {}
    for film, relation, person in _rows(folder / "ml-100k.kg"):
        if relation == _DIRECTED_BY and film in entity:
            found.setdefault(entity[film], person)
    return found


def raters_of_both(folder: Path, film: Film) -> int:
    """How many people rated both entries of a film."""
    people: list[set[str]] = [set() for _ in film.entries]
    for user, item, _, _ in _rows(folder / "ml-100k.inter"):
        if item in film.entries:
            people[film.entries.index(item)].add(user)
    return len(set.intersection(*people))


def films_market(films: list[Film], *, twice: bool = True) -> Market:
    """The market, with the entries that are there twice, or with every film once.

    Examples
    --------
    >>> some = [Film("a", "x", ("1", "2"), (9, 4), (5, 2)), Film("b", "y", ("3",), (8,), (1,))]
    >>> films_market(some).profile, films_market(some, twice=False).profile
    (((2,), (1,)), ((1,), (1,)))
    """
    known = posteriors([sum(one.liked) for one in films], [sum(one.ratings) for one in films])
    owned: dict[str, list[int]] = {}
    for k, film in enumerate(films):
        owned.setdefault(film.owner, []).append(k)
    return Market(
        [
            Agent(
                owner,
                [known[k] for k in own],
                [len(films[k].entries) if twice else 1 for k in own],
            )
            for owner, own in owned.items()
        ]
    )
