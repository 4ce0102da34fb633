"""Sphinx configuration."""

import sys
from pathlib import Path

from copyproof import __version__

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "copyproof"
author = "copyproof contributors"
copyright = author
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "catalogue",
    "excerpts",
    "house_pages",
    "mathml",
    "operations",
]
exclude_patterns = ["_build"]

myst_enable_extensions = ["dollarmath", "amsmath", "deflist", "colon_fence"]
myst_heading_anchors = 3

napoleon_google_docstring = False
napoleon_numpy_docstring = True
# Types in docstrings are prose ("mapping of (market, policy) to Result"): no word of it is a link.
napoleon_use_param = False
napoleon_use_rtype = False
autodoc_typehints = "signature"
autodoc_member_order = "bysource"

html_theme = "furo"
html_title = f"copyproof {release}"
html_math_renderer = "mathml"
# The look is that of the reports: its values are in tokens.css, and pages.css hands them to furo.
html_static_path = ["_static", "../src/copyproof/pages/templates/tokens.css"]
html_css_files = ["tokens.css", "pages.css"]
html_js_files = ["scrolling.js"]
html_show_sphinx = False
html_copy_source = False
html_show_search_summary = False  # excerpts.py adds them
# The colours of code have enough contrast on the ground of `surface`.
pygments_style = "a11y-light"
pygments_dark_style = "a11y-dark"
