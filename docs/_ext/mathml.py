"""Formulas as MathML, which browsers draw by themselves: no script, no fonts. An error in one fails the build."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

logger = logging.getLogger(__name__)


def write_inline(writer, node: nodes.math) -> None:
    """A formula in a line of text."""
    writer.body.append(_mathml(node, as_block=False))
    raise nodes.SkipNode


def write_block(writer, node: nodes.math_block) -> None:
    """A formula of its own."""
    writer.body.append(writer.starttag(node, "div", CLASS="math"))
    writer.body.append(_mathml(node, as_block=True) + "</div>\n")
    raise nodes.SkipNode


def _mathml(node: nodes.Element, as_block: bool) -> str:
    # Docutils knows \ldots only, and of \frac12 it would make 12 over whatever comes next.
    code = node.astext().strip().replace("\\dots", "\\ldots")
    code = re.sub(r"(\\[dt]?frac)\s*(\d)\s*(\w)", r"\1{\2}{\3}", code)
    try:
        return tex2mathml(code, as_block=as_block)
    except MathError as error:
        logger.error("formula %r: %s", code, error, location=node)
        return ""


def setup(app) -> dict[str, Any]:
    """Register the writer of formulas with Sphinx."""
    app.add_html_math_renderer("mathml", (write_inline, None), (write_block, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
