"""The README is true: its example runs, its list of modules is complete and in order, its files
and names are there, its picture is light."""

from __future__ import annotations

import ast
import os
import re
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from patch_agent.probes import load_probes
from patch_agent.scenario import load_scenario

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PACKAGE = "patch_agent"
LINES = 8
PICTURE_LIMIT = 120_000


def block(kind: str) -> str:
    found = re.findall(rf"^```{kind}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert len(found) == 1, kind
    return str(found[0])


def section(title: str) -> str:
    return README.split(f"\n## {title}\n")[1].split("\n## ")[0]


def test_the_example_prints_what_the_readme_says() -> None:
    code = block("python")
    run = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code], cwd=ROOT, capture_output=True, encoding="utf-8"
    )
    assert run.stdout == block("text"), run.stderr
    assert len([line for line in code.splitlines() if line]) == LINES


def test_its_figures_are_those_of_the_example() -> None:
    scenario = load_scenario()
    (rule,) = scenario.state.rules
    story = " ".join(section("The same with Python").split())
    assert f"has worked for {scenario.steps} steps" in story
    assert f"At step {rule.step} its user put `{scenario.protected[0]}` off limits" in story
    assert len(load_probes()) == 9 and "nine answers" in README
    assert "six tools" in README and len(scenario.state.tools) == 6


def listed() -> list[str]:
    """The modules as the README lists them, as paths below the package. A package without lines
    of its own for its files stands for all of them."""
    found: list[str] = []
    for line in section("The modules, in reading order").splitlines():
        match = re.match(r"( *)- `([\w.]+/?)`: \S", line)
        if match is None:
            continue
        indent, name = match.groups()
        if indent:
            folder = found[-1].partition("/")[0]
            if found[-1].endswith("/"):
                found.pop()
            name = f"{folder}/{name}"
        found.append(name)
    return found


def place_of(name: str, order: list[str]) -> int | None:
    """Where a file stands in the list, by itself or with its package."""
    folder = f"{name.partition('/')[0]}/"
    return next((order.index(one) for one in (name, folder) if one in order), None)


def package_files() -> list[str]:
    """The files of the package that are in git. Those that only re-export need no line."""
    shown = subprocess.run(
        ["git", "ls-files", "--", f"{PACKAGE}/*.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    names = [name.removeprefix(f"{PACKAGE}/") for name in shown.stdout.split()]
    return [name for name in names if not name.endswith("__init__.py")]


def test_the_modules_are_all_listed_each_once() -> None:
    order = listed()
    missing = [name for name in package_files() if place_of(name, order) is None]
    assert missing == [], "not in the README's list of modules"
    assert [name for name in order if not (ROOT / PACKAGE / name).exists()] == []
    assert len(order) == len(set(order))


def test_a_module_imports_only_modules_above_it() -> None:
    order = listed()
    later = []
    for name in package_files():
        place = place_of(name, order)
        for other in imported(name):
            there = place_of(other, order)
            inside = there == place and order[there or 0].endswith("/")
            if None not in (place, there) and not inside and there >= place:  # type: ignore[operator]
                later.append((name, other))
    assert later == []


def imported(name: str) -> Iterator[str]:
    """The listed files that a file imports; of what a package re-exports, where it is defined."""
    for module, names in imports(ROOT / PACKAGE / name):
        for what in names:
            yield from defined_in(module, what)


def imports(path: Path) -> Iterator[tuple[str, list[str]]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(PACKAGE):
            yield node.module, [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            yield from ((a.name, [""]) for a in node.names if a.name.startswith(PACKAGE))


def defined_in(module: str, name: str) -> Iterator[str]:
    """The file that defines a name, looked up through packages that re-export it."""
    place = ROOT / module.replace(".", "/")
    for path in (place / f"{name}.py", place.with_suffix(".py")):
        if path.is_file():
            yield path.relative_to(ROOT / PACKAGE).as_posix()
            return
    init = place / "__init__.py"
    found = [source for source, names in imports(init) if name in names]
    if not found and name in init.read_text(encoding="utf-8"):
        found = [source for source, _ in imports(init)]  # a value that the package makes itself
    assert found, f"{module} has no {name}"
    for source in found:
        yield from defined_in(source, name) if len(found) == 1 else files_of(source)


def files_of(module: str) -> Iterator[str]:
    yield f"{module.removeprefix(PACKAGE + '.').replace('.', '/')}.py"


def rows() -> list[tuple[str, str]]:
    cells = re.findall(r"^\| (.+?) \| (.+?) \| ", section("Which file to change"), re.MULTILINE)
    return [(purpose, change) for purpose, change in cells if purpose != "for"]


@pytest.mark.parametrize(
    "purpose",
    ["a new part", "a new probe", "the threshold", "the colour of a part", "a text in the widget",
     "a price"],
)  # fmt: skip
def test_a_reader_finds_the_file_to_change(purpose: str) -> None:
    assert purpose in dict(rows())


@pytest.mark.parametrize(("purpose", "change"), rows())
def test_what_is_to_be_changed_stands_in_that_file(purpose: str, change: str) -> None:
    """Of "`NAME` in `FILE`" the name too."""
    files = re.findall(r"`([\w./]+/[\w./]*)`", change)
    assert files, purpose
    for file in files:
        assert (ROOT / file).exists(), file
    for names, file in re.findall(r"(`[^`/]+`) (?:in|of) `([\w./]+)`", change):
        text = (ROOT / file).read_text(encoding="utf-8")
        assert names.strip("`") in text, (names, file)


def test_every_file_that_is_named_is_there() -> None:
    for name in re.findall(
        r"`((?:patch_agent|widgets|book|data|tests|notebooks)/[\w./-]*)`", README
    ):
        assert (ROOT / name).exists() or (ROOT / "data" / "repo" / name).exists(), name


def test_every_command_is_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for command in map(
        "".join, set(re.findall(r"^make (\w+)|`(?:\w+=\d )?make (\w+)`", README, re.MULTILINE))
    ):
        assert re.search(rf"^{command}:", makefile, re.MULTILINE), command


@pytest.mark.parametrize(("given", "found"), [({}, ""), ({"BROWSER": "0"}, "0")])
def test_lab_and_voila_open_the_readers_browser(given: dict[str, str], found: str) -> None:
    """Both ask Python's `webbrowser`, which takes whatever BROWSER is for a browser's name."""
    clean = {key: os.environ[key] for key in os.environ.keys() - {"BROWSER", "MAKEFLAGS"}}
    show = 'include Makefile\nshow: ; @echo "[$$BROWSER]"\n'
    command = ["make", "--no-print-directory", "-f", "-", "show"]
    done = subprocess.run(
        command, input=show, env=clean | given, cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"[{found}]\n"


def test_the_picture_is_light_and_described() -> None:
    """`make picture` takes it again."""
    pictures = re.findall(r"!\[(.+?)\]\((.+?)\)", README)
    assert len(pictures) == 1
    words, name = pictures[0]
    assert len(words) > 40
    data = (ROOT / name).read_bytes()
    assert data.startswith(b"\x89PNG")
    assert len(data) < PICTURE_LIMIT
    width, height = struct.unpack(">II", data[16:24])
    assert width > height / 2
