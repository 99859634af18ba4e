"""Sphinx's settings for the documentation; docs/site/build.py runs it on a copy of docs/."""

import json
import os
import pathlib
import subprocess

import docutils.nodes
from sphinx.util import logging

KATEX = pathlib.Path("/usr/share/javascript/katex")

project, author, copyright = "Koppel", "", ""
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "breathe"]
root_doc = "index"
html_theme = "furo"
html_title = "Koppel"
WORK = pathlib.Path(os.environ["KOPPEL_SITE_WORK"])  # made by build.py
breathe_projects = {"koppel": str(WORK / "doxygen/xml")}
breathe_default_project = "koppel"
html_static_path = [str(WORK / "static")]
html_css_files = ["katex.min.css", "site.css"]
html_extra_path = [str(WORK / "extra")]
html_show_sourcelink = html_show_copyright = html_show_sphinx = False
html_copy_source = False
html_theme_options = {"light_css_variables": {"color-brand-primary": "#1f5fbf", "color-brand-content": "#1f5fbf"},
                      "dark_css_variables": {"color-brand-primary": "#7ab0ff", "color-brand-content": "#7ab0ff"}}
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
myst_dmath_double_inline = True
# Names of built-in models and commands that are no lexers.
suppress_warnings = ["misc.highlighting_failure"]
highlight_language = "none"
pygments_style = "friendly"
pygments_dark_style = "monokai"
autodoc_member_order = "bysource"
autodoc_typehints = "none"
html_math_renderer = "katex"

RENDER = """
const katex = require(process.argv[1]);
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { text, displayMode } = JSON.parse(line);
  try {
    console.log(JSON.stringify({ html: katex.renderToString(text, { displayMode, strict: "error" }) }));
  } catch (error) {
    console.log(JSON.stringify({ error: error.message }));
  }
});
"""


class Katex:
    """Formulas become HTML while the site is built, by one process that KaTeX runs in."""

    process = None

    def render(self, text, display, node):
        if self.process is None:
            self.process = subprocess.Popen(["node", "-e", RENDER, str(KATEX / "katex.js")], text=True,
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
        print(json.dumps({"text": text, "displayMode": display}), file=self.process.stdin, flush=True)
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            logging.getLogger(__name__).warning("formula: %s", answer["error"], location=node)
        return answer.get("html", "")


def setup(app):
    katex = Katex()

    def inline(translator, node):
        translator.body.append(katex.render(node.astext(), False, node))
        raise docutils.nodes.SkipNode

    def block(translator, node):
        translator.body.append('<div class="formula">' + katex.render(node.astext(), True, node) + "</div>\n")
        raise docutils.nodes.SkipNode

    app.add_html_math_renderer("katex", (inline, None), (block, None))
    return {"parallel_read_safe": True}
