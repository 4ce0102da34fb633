"""MovieLens-100k as a market: a film is an arm and its own owner, and a rating of 4 or 5 pays.

18 titles stand in the list of films twice, with the same year and genres. Both entries are one
film, registered twice: one original, two copies, and its ratings together.

Owners of several films cannot be had from this package. It brings a knowledge graph with directors
and companies, but the links to it are by the numbers of *another* MovieLens, cut off at 1682: there
Star Wars is 260, and in this list of films it is 50. Taken at its word, the graph gives Hitchcock
"Half Baked" (908, which is North by Northwest there).
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from copyproof.game import Agent, Market
from copyproof.real_data.posteriors import posteriors

# Out of 5.
_LIKED = 4.0


@dataclass(frozen=True, slots=True)
class Film:
    """A film: its entries in the list, and how often it was liked.

    Attributes
    ----------
    title : str
        The title with its year.
    entries : tuple of str
        The numbers under which it is listed: one, or two.
    ratings, liked : tuple of int
        For each entry, the ratings, and those of 4 and 5.
    """

    title: str
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
    listed: dict[tuple[str, str, str], list[str]] = {}
    for item, title, year, genres in _rows(folder / "ml-100k.item"):
        # "unknown" is what the list calls a film that it has no title for.
        key = (title, year, genres) if title != "unknown" else (title, item, genres)
        listed.setdefault(key, []).append(item)
    films = []
    for (title, year, _), items in listed.items():
        seen, good = (tuple(of.get(item, 0) for item in items) for of in (rated, liked))
        films.append(Film(f"{title} ({year})", tuple(items), seen, good))
    return films


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
    >>> some = [Film("a", ("1", "2"), (9, 4), (5, 2)), Film("b", ("3",), (8,), (1,))]
    >>> films_market(some).profile, films_market(some, twice=False).profile
    (((2,), (1,)), ((1,), (1,)))
    """
    known = posteriors([sum(one.liked) for one in films], [sum(one.ratings) for one in films])
    return Market(
        [
            Agent(film.title, [arm], [len(film.entries) if twice else 1])
            for film, arm in zip(films, known, strict=True)
        ]
    )
