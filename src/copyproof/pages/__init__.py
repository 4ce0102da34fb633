"""Pages of one file: Jinja2 templates, a style sheet, and the records that templates get.

A page is a frozen dataclass and a template of its own, in the folder ``templates`` beside the code
that fills the record; the template extends ``base.html.j2`` and takes its pieces from
``macros.html.j2``, both here. The look has one home, ``tokens.css``: ``style`` hands it to pages
that are made otherwise. A page opens from disk, and needs no network and no script.
``notebook_table`` shows one record in a notebook.
"""

from copyproof.pages.environment import anchor, environment, render, style
from copyproof.pages.notebook import notebook_table
from copyproof.pages.records import Badge, Cell, Link, PageTable, Picture

__all__ = [
    "Badge",
    "Cell",
    "Link",
    "PageTable",
    "Picture",
    "anchor",
    "environment",
    "notebook_table",
    "render",
    "style",
]
