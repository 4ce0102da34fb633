"""Templates: escaped, strict, and whole without any other file."""

from dataclasses import dataclass
from importlib.resources import files

import pytest
from jinja2 import DictLoader, UndefinedError

from copyproof.pages import Badge, Link, PageTable, Picture, anchor, environment, render
from tests.pages.parsed import Page


@dataclass(frozen=True)
class Titled:
    title: str


def filled(template: str, **fields: object) -> str:
    macros = '{% from "macros.html.j2" import badge, figure, link, table %}'
    return environment("copyproof.pages").from_string(macros + template).render(fields)


def test_every_text_is_escaped() -> None:
    evil = '<b id="x">&'
    links = [Link(evil, evil)]
    page = Page(
        filled(
            "{{ link(to) }}{{ badge(sign) }}{{ figure(picture) }}{{ table(rows) }}",
            to=links[0],
            sign=Badge(evil, "holds"),
            picture=Picture(b"<svg/>", evil, evil),
            rows=PageTable([evil, evil, evil], [[evil, Badge(evil, evil), *links]], evil),
        )
    )
    assert not page.all("b")
    assert page.values("a", "href") == [evil, evil]
    assert page.values("img", "alt") == [evil]
    assert page.text.count(evil) == 10


def test_an_unknown_name_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="'nothing' is undefined"):
        filled("{{ nothing }}")


def test_the_base_has_the_style_within_it() -> None:
    found = environment("copyproof.pages")
    child = '{% extends "base.html.j2" %}{% block main %}<p>text</p>{% endblock %}'
    found.loader = DictLoader({"child": child} | {name: source(name) for name in SHARED})
    text = found.get_template("child").render(title="1 < 2")
    assert source("tokens.css") + source("style.css") in text
    page = Page(text)
    assert page.all("html") == [{"lang": "en"}]
    assert page.text.count("1 < 2") == 2
    assert len(page.all("style")) == 1
    assert not page.all("link") + page.all("script")


SHARED = ("base.html.j2", "style.css", "tokens.css")


def source(name: str) -> str:
    return (files("copyproof.pages") / "templates" / name).read_text(encoding="utf-8")


def test_a_page_needs_a_main_part() -> None:
    with pytest.raises(Exception, match="Required block 'main' not found"):
        render("copyproof.pages", "base.html.j2", Titled("nothing in it"))


def test_tables_of_numbers_and_of_words() -> None:
    numbers = PageTable(["a", "b", "c"], [["one", "2", "3\n4"]], words=["b"])
    assert numbers.kinds == ["word", "word", "number"]
    text = filled("{{ table(rows) }}", rows=numbers)
    assert "3<br>4" in text
    page = Page(text)
    assert page.values("td", "class") == ["word", "number"]
    assert page.values("td", "data-label") == ["b", "c"]
    assert page.values("div", "aria-label") == ["a, b, c"]
    words = Page(filled("{{ table(rows) }}", rows=PageTable(["a"], [["x"]], "All.", numbers=False)))
    assert words.values("table", "class") == ["stack"]
    assert words.values("div", "aria-label") == ["All."]
    with pytest.raises(ValueError, match=r"rows\[1\] has 1 cells, its head 2"):
        PageTable(["a", "b"], [["1", "2"], ["only one"]])


def test_anchors_are_addresses() -> None:
    assert anchor("7b, as a rate") == "7b--as-a-rate"
