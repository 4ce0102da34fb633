"""The studies of real data by name: which data each needs, and what runs it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copyproof.real_data import clicks_study, duplicates_study, films_study, leaderboard_study
from copyproof.real_data.fetch import get
from copyproof.validation import FieldError, known


@dataclass(frozen=True, slots=True)
class RealStudy:
    """A study: its name, its question, the sets that it needs, and the file of its figure."""

    name: str
    question: str
    sets: tuple[str, ...]
    figure: str
    run: Callable[..., dict[str, Any]]


STUDIES = (
    RealStudy(
        "leaderboard",
        "what ten variants of one lab take from a bandit that routes questions to models",
        ("alpaca-eval",),
        "leaderboard.png",
        leaderboard_study.run,
    ),
    RealStudy(
        "films",
        "what copies of a film would gain, and what 18 double titles do",
        ("movielens-100k",),
        "films.png",
        films_study.run,
    ),
    RealStudy(
        "clicks",
        "whether one policy's log tells what another policy earned, and what copies would gain",
        ("open-bandit",),
        "clicks.png",
        clicks_study.run,
    ),
    RealStudy(
        "duplicates",
        "how well fingerprints of text find what is there twice",
        ("restaurants", "febrl"),
        "duplicates.png",
        duplicates_study.run,
    ),
)


def real_study(name: object) -> RealStudy:
    """The study of a name.

    Examples
    --------
    >>> real_study("films").sets
    ('movielens-100k',)
    """
    chosen = known("NAME", name, [one.name for one in STUDIES])
    return next(one for one in STUDIES if one.name == chosen)


def run_study(name: str, data: Path, out: Path) -> dict[str, Any]:
    """Fetch what is missing below ``data``, and run a study into ``out``.

    Raises
    ------
    FieldError
        If there is no such study, or a folder cannot be written.
    Unreachable
        If the data is not there and the package index does not give it.
    """
    wanted = real_study(name)
    folders = [get(one, data / one) for one in wanted.sets]
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        said = f"= {str(out)!r} cannot be written: {error.strerror}"
        raise FieldError("--out", out, "a folder that can be written", said) from None
    return wanted.run(*folders, out)
