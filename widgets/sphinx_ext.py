"""Sphinx extension: the directive ``{context-builder}``, and what it needs beside the page.

The directive puts the widget into a page of the book. The exact texts, half a megabyte, go into
a script of their own, which a page loads when a reader opens them.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from patch_agent.catalogue import load_catalogue, text_script
from patch_agent.data import data_path
from widgets.context_builder import IN_BOOK
from widgets.modules import FOLDER, module_files
from widgets.page import once, page_html


class ContextBuilderDirective(SphinxDirective):
    """The widget ContextBuilder in its first frame.

    Options: `key`, the name of its state in the page's address (`cb`); `state`, what it shows
    first (``cb=1.6.careful.-.6.task``).
    """

    option_spec: ClassVar[dict[str, Any]] = {
        "key": directives.unchanged_required,
        "state": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        """One raw node; the page is built again when a file of the widget changes."""
        files = [
            *module_files(FOLDER / "context_builder.js"),
            *(
                FOLDER / name
                for name in (
                    "context_builder.css",
                    "page_host.js",
                    "page.py",
                    "frame.py",
                    "first_frame.py",
                )
            ),
            data_path("catalogue.json"),
        ]
        for file in files:
            self.env.note_dependency(str(file))
        try:
            html = page_html(load_catalogue(), **self.options)
        except ValueError as error:
            raise self.error(str(error)) from error
        return [nodes.raw("", html, format="html")]


def _share(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Leaves in a page once what its widgets share, whether directives or notebooks made them."""
    if "body" in context:
        context["body"] = once(context["body"])


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
    app.connect("html-page-context", _share)
    app.connect("build-finished", _write_texts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
