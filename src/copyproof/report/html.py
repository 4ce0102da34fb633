"""Pieces of HTML, with every text escaped, and the whole of a page."""

import base64
import html
from collections.abc import Collection, Iterable, Sequence

__all__ = [
    "STYLE",
    "Markup",
    "anchor",
    "definitions",
    "document",
    "element",
    "image",
    "link",
    "svg_source",
    "table",
]


class Markup(str):
    """Text that is HTML already; any other text is escaped where it is put into HTML."""

    __slots__ = ()


def text_of(content: str) -> str:
    """Escape a text, unless it is markup.

    Examples
    --------
    >>> len(text_of("<"))
    4
    """
    return content if isinstance(content, Markup) else html.escape(content)


def element(tag: str, *content: str, **attributes: str) -> Markup:
    """An element; ``class_`` stands for the attribute ``class``.

    Examples
    --------
    >>> len(element("b", "1 < 2"))
    15
    """
    named = {name.removesuffix("_").replace("_", "-"): v for name, v in attributes.items()}
    head = "".join(f' {name}="{html.escape(value)}"' for name, value in named.items())
    return Markup(f"<{tag}{head}>{''.join(map(text_of, content))}</{tag}>")


def link(target: str, text: str) -> Markup:
    """A link to a file, a page, or a place on this page."""
    return element("a", text, href=target)


def anchor(name: str) -> str:
    """The name as an address on the page."""
    return "".join(letter if letter.isalnum() else "-" for letter in name.lower())


def image(source: str, alternative: str) -> Markup:
    """An image with the text for those who do not see it."""
    return Markup(f'<img src="{html.escape(source)}" alt="{html.escape(alternative)}">')


def svg_source(picture: bytes) -> str:
    """An SVG file as the source of an image, so that the page needs no other file.

    Examples
    --------
    >>> len(svg_source(b"<svg/>"))
    34
    """
    return f"data:image/svg+xml;base64,{base64.b64encode(picture).decode()}"


def definitions(entries: Iterable[tuple[str, str]]) -> Markup:
    """A list of names, each with what it stands for."""
    lines = [element("dt", name) + element("dd", text) for name, text in entries]
    return element("dl", Markup("\n".join(lines)))


def document(title: str, body: Iterable[Markup]) -> str:
    """A whole page that needs nothing but itself.

    Examples
    --------
    >>> document("1 < 2", []).count("1 &lt; 2")
    1
    """
    head = element(
        "head",
        Markup('\n<meta charset="utf-8">\n'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">\n'),
        element("title", title),
        Markup(f"\n<style>\n{STYLE}\n</style>\n"),
    )
    whole = "\n".join(body)
    page = element("html", head, Markup(f"\n<body>\n{whole}\n</body>\n"), lang="en")
    return f"<!doctype html>\n{page}\n"


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    caption: str = "",
    numbers: bool = True,
    words: Collection[str] = (),
) -> Markup:
    """A table, its first column in words, and those of numbers that are named.

    One of numbers can be scrolled sideways where it is too wide; one of words falls apart into one
    block for each row.

    Examples
    --------
    >>> table(("a", "b"), [("1", "2"), ("3", "4")]).count("<tr")
    3
    """
    kinds = [
        "number" if numbers and place and name not in words else "word"
        for place, name in enumerate(head)
    ]
    heads = [
        element("th", name, scope="col", class_=kind)
        for name, kind in zip(head, kinds, strict=True)
    ]
    body = [
        element(
            "tr",
            element("th", row[0], scope="row", data_label=head[0]),
            *(
                element("td", cell, class_=kind, data_label=name)
                for name, kind, cell in zip(head[1:], kinds[1:], row[1:], strict=True)
            ),
        )
        for row in rows
    ]
    parts = [element("thead", element("tr", *heads)), element("tbody", Markup("\n".join(body)))]
    whole = element("table", Markup("\n".join(parts)), class_="" if numbers else "stack")
    name = caption or ", ".join(head)
    above = [element("p", caption, class_="quiet caption")] if caption else []
    region = element("div", whole, class_="wide", tabindex="0", role="region", aria_label=name)
    return Markup("\n".join([*above, region]))


STYLE = """
:root { color-scheme: light dark; --ink: #1d1d1f; --quiet: #5b5b60; --paper: #ffffff;
  --line: #d5d5da; --link: #0b57a4; --good: #0b6b3a; --bad: #a3200d; }
@media (prefers-color-scheme: dark) { :root { --ink: #ececee; --quiet: #a9a9b0; --paper: #17171a;
  --line: #3b3b41; --link: #8ab8f0; --good: #6fd3a0; --bad: #ff9a8a; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 58rem; padding: 1.5rem 1rem 4rem; color: var(--ink);
  background: var(--paper); overflow-wrap: break-word;
  font: 1rem/1.55 system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 1rem; }
h2 { font-size: 1.3rem; margin: 3rem 0 .75rem; padding-top: .75rem;
  border-top: 1px solid var(--line); }
h3 { font-size: 1.08rem; margin: 2.25rem 0 .5rem; }
a { color: var(--link); }
p, dl, ul { margin: .6rem 0; }
.lead { font-size: 1.1rem; }
main > p, figcaption, dl, .claims { max-width: 46rem; }
.quiet, figcaption { color: var(--quiet); font-size: .9rem; }
.caption { margin: 1.4rem 0 0; }
nav ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; }
figure { margin: 1rem 0; }
figure img { display: block; width: 100%; max-width: 42rem; height: auto; background: #fff;
  border: 1px solid var(--line); border-radius: 6px; padding: .6rem; }
figure.broad img { max-width: 100%; }
figcaption { margin-top: .5rem; }
.files { font-size: .9rem; color: var(--quiet); }
.claims { list-style: none; padding: 0; }
.claims li { border-left: 4px solid var(--line); padding: .15rem 0 .15rem .8rem; margin: .9rem 0; }
.claims li.holds { border-color: var(--good); }
.claims li.fails { border-color: var(--bad); border-left-style: double; border-left-width: 6px; }
.claims .evidence { color: var(--quiet); font-size: .9rem; margin: .2rem 0 0; }
.badge { font-weight: 700; font-size: .85rem; white-space: nowrap; }
.badge.holds { color: var(--good); }
.badge.fails { color: var(--bad); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid var(--line);
  border-radius: 6px; padding: .6rem .8rem; font-size: .9rem; }
.wide { overflow-x: auto; margin: .4rem 0 1rem; }
table { border-collapse: collapse; font-size: .88rem; min-width: 60%; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top;
  text-align: left; }
thead th { border-bottom: 2px solid var(--line); }
tbody th { font-weight: 600; white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
thead th.number { white-space: normal; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; }
dt { font-weight: 600; }
dd { margin: 0; }
@media (max-width: 44rem) {
  .stack, .stack tbody, .stack tr, .stack th, .stack td { display: block; }
  .stack { min-width: 0; } .stack thead { display: none; }
  .stack tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  .stack th, .stack td { border: 0; padding: .05rem 0; white-space: normal; }
  .stack [data-label]::before { content: attr(data-label) ": "; color: var(--quiet);
    font-weight: 400; } }
@media (max-width: 30rem) { body { padding: 1rem .8rem 3rem; } dl { display: block; }
  dd { margin: 0 0 .5rem; } figure img { padding: .2rem; } th, td { padding: .3rem .4rem; } }
@media print { :root { --ink: #000; --quiet: #333; --paper: #fff; --line: #999;
  --link: #000; --good: #000; --bad: #000; } html { font-size: 10pt; }
  body { max-width: none; padding: 0; }
  nav, .files { display: none; } h2 { break-after: avoid; } h3 { break-after: avoid; }
  figure, tr, .claims li, table:not(.stack) { break-inside: avoid; }
  .caption { break-after: avoid; } figure img { max-width: 13cm; border: 0; }
  figure.broad img { max-width: 17cm; }
  .wide { overflow: visible; } table { font-size: 8pt; }
  th, td { padding: .15rem .3rem; } a { text-decoration: none; } }
""".strip()
"""Of the whole page: light and dark, wide and narrow, screen and paper."""
