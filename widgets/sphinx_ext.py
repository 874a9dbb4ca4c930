"""Sphinx extension: the directive ``{context-builder}``, and what it needs beside the page.

The directive puts the widget into a page of the book. The exact texts, half a megabyte, go into
a script of their own, which a page loads when a reader opens them.
"""

from __future__ import annotations

import os
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from patch_agent.catalogue import load_catalogue, text_script
from patch_agent.data import data_path
from widgets.context_builder import IN_BOOK
from widgets.modules import FOLDER, module_files
from widgets.page import page_html


class ContextBuilderDirective(SphinxDirective):
    """The widget ContextBuilder in its first frame."""

    def run(self) -> list[nodes.Node]:
        """One raw node; the page is built again when a file of the widget changes."""
        files = [
            *module_files(FOLDER / "context_builder.js"),
            *(FOLDER / name for name in ("context_builder.css", "page_host.js", "first_frame.py")),
            data_path("catalogue.json"),
        ]
        for file in files:
            self.env.note_dependency(str(file))
        return [nodes.raw("", page_html(load_catalogue()), format="html")]


def _write_texts(app: Sphinx, failure: Exception | None) -> None:
    if failure or app.builder.format != "html":
        return
    name, script = text_script()
    folder = Path(app.outdir, "_static")
    for old in folder.glob("text-*.js"):
        old.unlink()
    (folder / name).write_text(script, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx. Notebooks that are executed in the build give their widgets as HTML."""
    os.environ[IN_BOOK] = "1"
    app.add_directive("context-builder", ContextBuilderDirective)
    app.connect("build-finished", _write_texts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
