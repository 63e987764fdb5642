"""Sphinx configuration of the site (`make docs`). Neither the build nor the pages need a network."""

import inspect
import re
import sys
from pathlib import Path

from docutils import nodes

import vitalfew

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

project = "vitalfew"
author = "The vitalfew developers"
project_copyright = author
release = version = vitalfew.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "charts",
    "mathml",
]
exclude_patterns = ["gallery/**/*.md", "**/README.md"]
templates_path = ["_templates"]

# Pages are Markdown. Headings have anchors, so that a link to a section is checked as one to a page is.
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# A reference to what does not exist is an error. Docstrings name types in words, so nothing is looked up for those.
nitpicky = True
default_role = "code"
autosummary_generate = True
autosummary_filename_map = {"vitalfew.Report": "vitalfew.Report-class"}  # beside report, where names ignore case
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
toc_object_entries_show_parents = "hide"  # names of methods beside a page have little room

# Examples draw with Altair; the scraper takes what they call `chart`. An example that fails ends the build.
sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "within_subsection_order": "FileNameSortKey",
    "filename_pattern": r".*\.py$",
    "abort_on_example_error": True,
    "image_scrapers": ("charts.scrape",),
    "reset_modules": (),
    "ignore_repr_types": r"altair",
    "doc_module": ("vitalfew",),
    "backreferences_dir": "gallery/uses",
    "reference_url": {"vitalfew": None},
    "download_all_examples": False,
    "write_computation_times": False,
    "show_memory": False,
    "show_signature": False,
}

# `make linkcheck` asks other sites; a host that does not answer is as good as gone.
linkcheck_timeout = 20
linkcheck_retries = 2

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = f"vitalfew {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_sidebars = {"index": [], "start": []}
html_theme_options = {
    "header_links_before_dropdown": 8,
    "show_toc_level": 2,
    "navbar_align": "left",
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


def skip_foreign(_app, _what, name, member, skip, _options):
    """Skip members that estimators inherit from scikit-learn, which documents them, or get from it at run time."""
    home = getattr(inspect.unwrap(getattr(member, "fget", None) or member), "__module__", None) or "vitalfew"
    return True if not home.startswith("vitalfew") or name.endswith("_request") else skip


def link_measurements(_app, _docname, source):
    """Redirect links to measurement files outside the pages to the pages that include them."""
    source[0] = re.sub(r"\]\((?:\.\./)+benchmarks/(RESULTS|PRIOR)\.md", lambda m: f"](/{m[1].lower()}.md", source[0])


def ask_the_registry(_app, uri):
    """Check DOIs with the registry, because publishers reject requests that do not come from a browser."""
    return re.sub(r"^https://doi\.org/(?=10\.)", "https://doi.org/api/handles/", uri)


def trim_code(_app, doctree):
    """Remove the blank line at the end of code, which doctests in Markdown need and readers do not."""
    for block in doctree.findall(nodes.literal_block):
        if block.rawsource == block.astext():
            block.rawsource = block.rawsource.rstrip("\n")
            block[:] = [nodes.Text(block.rawsource)]


def setup(app):
    """Connect these functions to the build."""
    app.connect("doctree-read", trim_code)
    app.connect("linkcheck-process-uri", ask_the_registry)
    app.connect("autodoc-skip-member", skip_foreign)
    app.connect("source-read", link_measurements)
