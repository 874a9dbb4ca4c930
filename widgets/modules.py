"""Joins the JavaScript files of a widget into one ES module.

A notebook takes a widget's module as one text, and a page opened from a file cannot import
one file from another. So the files import each other by relative paths, which Node and the
type checker follow, and are joined here: each file once, after those that it imports, without
the import lines. Names must differ between files, since all of them share one scope then.
"""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
_NAME = re.compile(r"^(?:export )?(?:async )?(?:function|const|let|class) (\w+)", re.MULTILINE)
_IMPORT = re.compile(r'^import (?:\{[^}]*\} from )?"(\.[^"]+)";\n', re.MULTILINE)


def module_files(entry: Path) -> tuple[Path, ...]:
    """The files that a module is made of, each after those that it imports, `entry` last."""
    found: dict[Path, None] = {}

    def visit(file: Path) -> None:
        for name in _IMPORT.findall(file.read_text(encoding="utf-8")):
            visit((file.parent / name).resolve())
        found.setdefault(file)

    visit(entry.resolve())
    return tuple(found)


def module_text(name: str) -> str:
    """The text of a widget's module, such as ``module_text("context_builder")``.

    Raises ValueError where two files declare the same name.
    """
    return join(module_files(FOLDER / f"{name}.js"))


def join(files: tuple[Path, ...]) -> str:
    """The files' texts as one module. Raises ValueError where two declare the same name."""
    declared: dict[str, Path] = {}
    texts = []
    for file in files:
        text = file.read_text(encoding="utf-8")
        for name in _NAME.findall(text):
            if declared.setdefault(name, file) != file:
                raise ValueError(f"{name!r} is declared in {declared[name].name} and {file.name}")
        texts.append(_IMPORT.sub("", text).strip() + "\n")
    return "\n".join(texts)


def style_text(name: str) -> str:
    """The text of a widget's style sheet."""
    return (FOLDER / f"{name}.css").read_text(encoding="utf-8")
