"""Formulas as MathML, which browsers draw themselves: the pages need no script and no network.

A formula that cannot be translated stops the build.
"""

from typing import Any


def setup(app: Any) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _inline(writer: Any, node: Any) -> None:
    _write(writer, node, "{}", as_block=False)


def _block(writer: Any, node: Any) -> None:
    _write(writer, node, '<div class="math">{}</div>\n', as_block=True)


def _write(writer: Any, node: Any, frame: str, *, as_block: bool) -> None:
    # The tests import this file, too, where docutils need not be installed.
    from docutils.nodes import SkipNode
    from docutils.utils.math.latex2mathml import tex2mathml

    formula = tex2mathml(node.astext(), as_block=as_block)
    # Browsers set no space around the name of a function.
    spaced = formula.replace("<mi>ln</mi>", '<mo lspace="0.1em" rspace="0.16em">ln</mo>')
    writer.body.append(frame.format(spaced))
    raise SkipNode
