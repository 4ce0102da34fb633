"""Tables in notebooks: whatever a text holds, it is shown as text."""

from hypothesis import given
from hypothesis import strategies as st

from copyproof.pages import Badge, notebook_table
from tests.pages.parsed import Page

TAGS = {"div", "p", "strong", "table", "thead", "tbody", "tr", "th", "td"}
texts = st.text(st.characters(blacklist_categories=["Cc", "Cs"]))


def plain(text: str) -> str:
    return " ".join(text.split())


@given(st.lists(st.tuples(texts, texts), max_size=4), texts, texts)
def test_every_text_is_shown_as_text(rows: list[tuple[str, str]], title: str, note: str) -> None:
    page = Page(notebook_table(["agent", "<i>"], rows, title=title, notes=[note]))
    assert {tag for tag, _ in page.tags} <= TAGS
    assert len(page.all("td")) == 2 * len(rows)
    for text in (title, note, "<i>", *(cell for row in rows for cell in row)):
        assert plain(text) in page.text


def test_formulas_are_not_read_into_it() -> None:
    page = Page(notebook_table(["a"], [["$x$ and $y$"]]))
    assert page.values("div", "class") == ["copyproof tex2jax_ignore mathjax_ignore"]


def test_long_tables_are_cut_and_say_so() -> None:
    rows = [[f"row {k}"] for k in range(30)]
    page = Page(notebook_table(["a"], rows, most=29))
    assert len(page.all("td")) == 29
    assert page.text.endswith("1 more row.")
    assert "2 more rows." in Page(notebook_table(["a"], rows, most=28)).text
    assert "more" not in Page(notebook_table(["a"], rows, most=30)).text


def test_words_stand_on_the_left_and_numbers_on_the_right() -> None:
    text = notebook_table(["a", "b", "c"], [["1", "2", Badge("sure", "holds")]], words=["c"])
    sides = [style.split(": ")[1] for style in Page(text).values("td", "style")]
    assert sides == ["left", "right", "left"]
