"""Sphinx extension: the directives ``{context-builder}`` and ``{policy-lab}``, and their texts.

A directive puts its widget into a page of the book. The exact texts, half a megabyte and more,
go into a script of their own, which a page loads when a reader opens them.
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
from patch_agent.triage.lab_data import FILE, lab_text_script, load_lab
from widgets.modules import FOLDER, module_files
from widgets.notebook import IN_BOOK
from widgets.page import CONTEXT_BUILDER, POLICY_LAB, Face, once, page_html

HOST = ("page_host.js", "page.py", "html.py")
"""Files that every widget's piece of a page is made with."""


class WidgetDirective(SphinxDirective):
    """A widget in its first frame.

    Options: `key`, the name of its state in the page's address; `state`, what it shows first.
    """

    option_spec: ClassVar[dict[str, Any]] = {
        "key": directives.unchanged_required,
        "state": directives.unchanged_required,
    }
    face: ClassVar[Face]
    made_with: ClassVar[tuple[Path, ...]]

    def load(self) -> dict[str, Any]:
        """The widget's catalogue."""
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        """One raw node; the page is built again when a file of the widget changes."""
        styles = (FOLDER / f"{name}.css" for name in self.face.styles)
        host = (FOLDER / name for name in HOST)
        files = [*module_files(FOLDER / f"{self.face.module}.js"), *styles, *host, *self.made_with]
        for file in files:
            self.env.note_dependency(str(file))
        try:
            html = page_html(self.load(), face=self.face, **self.options)
        except ValueError as error:
            raise self.error(str(error)) from error
        return [nodes.raw("", html, format="html")]


class ContextBuilderDirective(WidgetDirective):
    """The widget ContextBuilder, as in ``:state: cb=1.6.careful.-.6.task``."""

    face = CONTEXT_BUILDER
    made_with = (
        *(FOLDER / name for name in ("frame.py", "first_frame.py")),
        data_path("catalogue.json"),
    )

    def load(self) -> dict[str, Any]:
        return load_catalogue()


class PolicyLabDirective(WidgetDirective):
    """The widget PolicyLab, as in ``:state: pl=1.none:all.clear:all.22.cost``."""

    face = POLICY_LAB
    made_with = (
        FOLDER / "lab_frame.py",
        data_path("words", "policy_lab.toml"),
        data_path(*FILE),
        data_path("triage", "figures.json"),
    )

    def load(self) -> dict[str, Any]:
        return load_lab()


def _share(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Leaves in a page once what its widgets share, whether directives or notebooks made them."""
    if "body" in context:
        context["body"] = once(context["body"])


TEXTS = {CONTEXT_BUILDER.widget: text_script, POLICY_LAB.widget: lab_text_script}
"""What makes the script with the exact texts of each widget."""


def _write_texts(app: Sphinx, failure: Exception | None) -> None:
    """Writes the texts of those widgets that some page holds: making them takes seconds."""
    if failure or app.builder.format != "html":
        return
    folder = Path(app.outdir, "_static")
    for old in folder.glob("text-*.js"):
        old.unlink()
    pages = [page.read_text(encoding="utf-8") for page in Path(app.outdir).rglob("*.html")]
    for widget, make in TEXTS.items():
        if any(f'data-patch-widget="{widget}"' in page for page in pages):
            name, script = make()
            (folder / name).write_text(script, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx. Notebooks that are executed in the build give their widgets as HTML."""
    os.environ[IN_BOOK] = "1"
    app.add_directive("context-builder", ContextBuilderDirective)
    app.add_directive("policy-lab", PolicyLabDirective)
    app.connect("html-page-context", _share)
    app.connect("build-finished", _write_texts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
