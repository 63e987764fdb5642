"""Formulas as MathML, which browsers render without scripts or fonts. An invalid formula fails the build."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

logger = logging.getLogger(__name__)


def write_inline(writer, node: nodes.math) -> None:
    """Write an inline formula."""
    writer.body.append(_mathml(node, as_block=False))
    raise nodes.SkipNode


def write_block(writer, node: nodes.math_block) -> None:
    """Write a displayed formula."""
    writer.body.append(writer.starttag(node, "div", CLASS="math"))
    writer.body.append(_mathml(node, as_block=True) + "</div>\n")
    raise nodes.SkipNode


def _mathml(node: nodes.Element, as_block: bool) -> str:
    code = node.astext().strip()
    try:
        return tex2mathml(_spelled_out(code), as_block=as_block)
    except MathError as error:
        logger.error("formula %r: %s", code, error, location=node)
        return ""


def _spelled_out(code: str) -> str:
    """TeX that Docutils misreads or does not support: ``\\frac12``, ``\\hat y_i``, ``\\dots``."""
    code = re.sub(r"\\dots\b", r"\\ldots", code)
    # Otherwise the index would be placed below the letter.
    code = re.sub(r"(\\(?:hat|bar|tilde)\b\s*(?:\{[^{}]*\}|\\[A-Za-z]+|\w))(?=[_^])", r"\1{}", code)
    code = re.sub(r"(\\[dt]?frac)\s*(\d)", r"\1{\2}", code)
    return re.sub(r"(\\[dt]?frac\{[^{}]*\})\s*(\d|[A-Za-z]|\\[A-Za-z]+)", r"\1{\2}", code)


def setup(app) -> dict[str, Any]:
    """Register the writer of formulas with Sphinx."""
    app.add_html_math_renderer("mathml", (write_inline, None), (write_block, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
