"""The drawing and the walks of CONTRIBUTING.md are those of the code."""

from pathlib import Path

from tools import house


def test_the_drawing_is_true() -> None:
    assert house.made(["drawing"]) == house.PAGE.read_text(encoding="utf-8"), "run `make house`"


def test_the_walks_are_true() -> None:
    assert house.made(["walks"]) == house.PAGE.read_text(encoding="utf-8"), "run `make house`"


def test_every_package_says_what_it_is() -> None:
    for room in house.House().rooms:
        sentence = house.first_sentence(f"copyproof.{room}")
        assert sentence.endswith("."), (room, sentence)


def test_products_are_packages() -> None:
    rooms = set(house.House().rooms)
    for product in house.products().values():
        assert product
        assert set(product) <= rooms


def test_files_named_in_the_recipes_exist() -> None:
    page = house.PAGE.read_text(encoding="utf-8").partition("## How to add a rule")[2]
    words = [word for word in page.split("`") if word.endswith((".py", ".md")) and "/" in word]
    roots = ("", "src/copyproof", "tests/service")
    missing = [
        word
        for word in words
        if not any((Path(house.ROOT) / root / word).exists() for root in roots)
    ]
    assert missing == []
