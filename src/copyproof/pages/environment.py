"""How templates are found and filled: every text is escaped, and an unknown name is an error."""

import dataclasses
from typing import TYPE_CHECKING

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def environment(package: str) -> Environment:
    """The environment of a package's pages: its own folder ``templates``, and the common one.

    Examples
    --------
    >>> environment("copyproof.pages").from_string("1 < {{ n }}").render(n="<2>")
    '1 < &lt;2&gt;'
    """
    found = Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in (package, "copyproof.pages")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.filters |= {"anchor": anchor, "thousands": "{:,}".format}
    return found


def render(package: str, template: str, page: "DataclassInstance") -> str:
    """Fill a template of a package with the fields of a page's record."""
    fields = {field.name: getattr(page, field.name) for field in dataclasses.fields(page)}
    return environment(package).get_template(template).render(fields)


def style(*sheets: str) -> str:
    """The text of style sheets of ours, for pages that are not made of ``base.html.j2``.

    Parameters
    ----------
    *sheets : str
        ``tokens.css``, which every page needs, ``style.css`` for text, tables and figures, and
        ``controls.css`` for what is pressed or filled in.

    Examples
    --------
    >>> style("tokens.css").splitlines()[0]
    '/* The one look of copyproof: reports, the game, the console and the docs take these values.'
    """
    loader = PackageLoader("copyproof.pages")
    every = environment("copyproof.pages")
    return "".join(loader.get_source(every, sheet)[0] for sheet in sheets)


def anchor(name: str) -> str:
    """The name as an address on the page.

    Examples
    --------
    >>> anchor("rh-ucb(L=3)")
    'rh-ucb-l-3-'
    """
    return "".join(letter if letter.isalnum() else "-" for letter in name.lower())
