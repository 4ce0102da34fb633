"""Films as a market: owners, the 18 titles that are there twice, and the study in small."""

from pathlib import Path

import pytest

from copyproof.real_data.copies import COPIES
from copyproof.real_data.films import Film, films_market, raters_of_both, read_films
from copyproof.real_data.films_study import copiers, run
from tests.real_data.sets import real

FILES = {
    "inter": ["u:token\ti:token\tr:float\tt:float", "7\t1\t4\t0", "7\t2\t5\t0", "8\t2\t1\t0",
              "9\t3\t3\t0"],
    "item": ["i\ttitle\tyear\tclass", "1\tHeat\t1995\tDrama", "2\tHeat\t1995\tDrama",
             "3\tHeat\t1986\tDrama"],
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, lines in FILES.items():
        (tmp_path / f"ml-100k.{name}").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def test_one_film_that_is_listed_twice_is_one_original_with_all_its_ratings(folder: Path) -> None:
    heat, older = read_films(folder)
    assert heat == Film("Heat (1995)", ("1", "2"), (1, 2), (1, 1))
    assert (older.title, older.ratings, older.liked) == ("Heat (1986)", (1,), (0,))
    assert raters_of_both(folder, heat) == 1
    assert films_market([heat, older]).profile == ((2,), (1,))
    assert films_market([heat, older], twice=False).profile == ((1,), (1,))


@pytest.mark.slow
def test_the_whole_list() -> None:
    films = read_films(real("movielens-100k"))
    assert sum(sum(film.ratings) for film in films) == 100_000
    assert sum(len(film.entries) for film in films) == 1682
    assert sum(len(film.entries) == 2 for film in films) == 18
    assert copiers(films, films_market(films))["most rated"] == "Star Wars (1977)"


@pytest.mark.slow
def test_copies_pay_under_ucb1_and_not_under_the_default(tmp_path: Path) -> None:
    found = run(real("movielens-100k"), tmp_path, horizon=20_000, repetitions=10)
    for who in found["copiers"]:
        flat, default = (found["policies"][one]["copies"][who][-1] for one in ("ucb1", "trial"))
        assert flat["copies"] == COPIES[-1]
        assert flat["gain"]["low"] > 0
        assert default["gain"]["mean"] < flat["gain"]["low"]
    assert (tmp_path / "films.png").stat().st_size > 10_000
