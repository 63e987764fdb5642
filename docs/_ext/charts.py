"""Charts of the pages, drawn during the build by the code that the page shows."""

from __future__ import annotations

import ast
import os
from pathlib import Path
from typing import Any, ClassVar

import altair as alt
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx_gallery.scrapers import figure_rst

logger = logging.getLogger(__name__)


class Chart(SphinxDirective):
    """A block of Python whose last expression is an Altair chart, shown as SVG below the code.

    All blocks of a page share their names. An error in one, or a last line that is no chart, is an error of the build.
    """

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {
        "alt": directives.unchanged_required,
        "caption": directives.unchanged_required,
        "hide-code": directives.flag,
    }

    def run(self) -> list[nodes.Node]:
        """Draw the chart and return the code, unless it is hidden, and the figure."""
        if "alt" not in self.options:
            raise self.error("a chart needs :alt:, the words for those who cannot see it.")
        # Pages are read one after the other in one process, and each has its own namespace.
        names = self.env.current_document.setdefault("chart_names", {"__name__": "__main__"})
        number = self.env.current_document["chart_number"] = self.env.current_document.get("chart_number", 0) + 1
        code: list[nodes.Node] = [] if "hide-code" in self.options else [self._code()]
        chart = self._run_code(names)
        return code if chart is None else [*code, self._figure(self._save(chart, number))]

    def _run_code(self, names: dict[str, Any]) -> alt.TopLevelMixin | None:
        # In Markdown the offset is counted from the line of the directive.
        page, line = self.env.doc2path(self.env.docname), self.lineno + self.content_offset + 1
        try:
            # Empty lines in front make the lines of a traceback those of the page.
            tree = ast.parse("\n" * (line - 1) + "\n".join(self.content), str(page))
            last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, str(page), "exec"), names)
            value = eval(compile(ast.Expression(last.value), str(page), "eval"), names) if last else None
        except Exception as error:
            return self._fail(f"{type(error).__name__}: {error}", _line_in(error, str(page), line))
        if isinstance(value, alt.TopLevelMixin):
            return value
        return self._fail(f"the last line of a chart must be an Altair chart, got {value!r:.200}", line)

    def _fail(self, message: str, line: int) -> None:
        logger.error(message, location=(self.env.docname, line))

    def _save(self, chart: alt.TopLevelMixin, number: int) -> str:
        """Save the chart next to the built pages, and return its path from the root of the sources."""
        folder = Path(self.env.doctreedir).parent / "charts"
        file = folder / f"{self.env.docname.replace('/', '-')}-{number}.svg"
        folder.mkdir(parents=True, exist_ok=True)
        chart.save(file)
        return "/" + os.path.relpath(file, self.env.srcdir)

    def _code(self) -> nodes.literal_block:
        text = "\n".join(self.content)
        block = nodes.literal_block(text, text, language="python")
        self.set_source_info(block)
        return block

    def _figure(self, uri: str) -> nodes.figure:
        image = nodes.image(uri=uri, alt=self.options["alt"], classes=["chart", "dark-light"])
        figure = nodes.figure("", image, classes=["chart"])
        if "caption" in self.options:
            words, messages = self.state.inline_text(self.options["caption"], self.lineno)
            figure += [nodes.caption("", "", *words), *messages]
        self.set_source_info(figure)
        return figure


def _line_in(error: BaseException, page: str, otherwise: int) -> int:
    """Return the last line of the page in the traceback of an error."""
    if isinstance(error, SyntaxError) and error.lineno:
        return error.lineno
    found, step = otherwise, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == page:
            found = step.tb_lineno
        step = step.tb_next
    return found


def scrape(_block, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Return the chart that a block of an example assigned to `chart`, if it is new (a scraper for sphinx-gallery).

    The page shows the SVG; sphinx-gallery makes the thumbnail of the PNG beside it.
    """
    names = block_vars["example_globals"]
    chart = names.get("chart")
    if not isinstance(chart, alt.TopLevelMixin) or chart is names.get("__chart_shown__"):
        return ""
    names["__chart_shown__"] = chart
    image = Path(next(block_vars["image_path_iterator"]))
    chart.save(image.with_suffix(".png"), scale_factor=2)
    chart.save(image.with_suffix(".svg"))
    return figure_rst([str(image.with_suffix(".svg"))], gallery_conf["src_dir"], _words_for(chart))


def _words_for(chart: alt.TopLevelMixin) -> str:
    """Return the description of a chart, or its title."""
    told = chart.to_dict()
    title = told.get("title", "chart")
    return told.get("description") or (title if isinstance(title, str) else str(title.get("text", "chart")))


def setup(app) -> dict[str, Any]:
    """Register the directive with Sphinx."""
    app.add_directive("chart", Chart)
    # A process that forks after drawing hangs, because the renderer has its own threads.
    return {"version": "1", "parallel_read_safe": False, "parallel_write_safe": True}
