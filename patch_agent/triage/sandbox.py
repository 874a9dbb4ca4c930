"""Runs a reproduction on a set of source files and tells how it ended.

The files live in memory: an import inside the reproduction finds them by their dotted names and
anything else in the standard library. This is a stage for code that we wrote ourselves, not a
prison for code of others. Run as a script, with JSON on its input, it is the child process of
`service.run_reproduction`, so it imports nothing of the project.
"""

from __future__ import annotations

import builtins
import io
import json
import sys
import types
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

SCRIPT = "reproduction.py"
"""The name under which a reproduction stands in its traceback."""
LONGEST = 90
"""Characters of a value that are shown."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One call on the way to an error: where, in which function, and the text of that line."""

    path: str
    line: int
    function: str
    text: str


@dataclass(frozen=True, slots=True)
class Crash:
    """An error with its frames, the innermost last; frames of the standard library are left out.

    `values` are the names that the innermost frame knew, such as `number = 4`.
    """

    error: str
    message: str
    frames: tuple[Frame, ...]
    values: tuple[str, ...] = ()

    @property
    def headline(self) -> str:
        """Type and message as Python prints them."""
        return f"{self.error}: {self.message}" if self.message else self.error


class _Modules:
    """Imports from the files first, executing each at most once, and from Python after that."""

    def __init__(self, files: Mapping[str, str], printed: io.StringIO) -> None:
        self._files = {_dotted(path): (path, text) for path, text in files.items()}
        self._loaded: dict[str, types.ModuleType] = {}
        own = {"__import__": self._import, "print": partial(print, file=printed)}
        self.builtins = dict(vars(builtins)) | own

    def _import(self, name: str, *rest: Any, **named: Any) -> Any:
        if name in self._files:
            return self._load(name)
        return __import__(name, *rest, **named)

    def _load(self, name: str) -> types.ModuleType:
        if name not in self._loaded:
            path, text = self._files[name]
            module = types.ModuleType(name)
            vars(module)["__builtins__"] = self.builtins
            exec(compile(text, path, "exec", dont_inherit=True), vars(module))
            self._loaded[name] = module
        return self._loaded[name]


def _dotted(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


def run(files: Mapping[str, str], code: str) -> tuple[str, Crash | None]:
    """What a reproduction prints, and the crash that ends it; None when it runs through.

    What others print meanwhile, in other threads, stays where it belongs.
    """
    printed = io.StringIO()
    modules = _Modules(files, printed)
    names = {"__name__": "__main__", "__builtins__": modules.builtins}
    try:
        exec(compile(code, SCRIPT, "exec", dont_inherit=True), names)
    except Exception as error:
        return printed.getvalue(), _crash(error, {**files, SCRIPT: code})
    return printed.getvalue(), None


def _crash(error: Exception, sources: Mapping[str, str]) -> Crash:
    frames: list[Frame] = []
    values: tuple[str, ...] = ()
    place = error.__traceback__
    while place is not None:
        path = place.tb_frame.f_code.co_filename
        if path in sources:
            text = sources[path].split("\n")[place.tb_lineno - 1].strip()
            frames.append(Frame(path, place.tb_lineno, place.tb_frame.f_code.co_name, text))
            values = _values(place.tb_frame.f_locals)
        place = place.tb_next
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ == "builtins" else _full_name(kind)
    return Crash(name, str(error), tuple(frames), values)


def _values(known: Mapping[str, object]) -> tuple[str, ...]:
    """Names and values, without those whose form differs from run to run."""
    plain = (str, int, float, bytes, list, tuple, dict, type(None))
    shown = []
    for name, value in known.items():
        text = repr(value)
        if isinstance(value, plain) or hasattr(value, "__dataclass_fields__"):
            shown.append(f"{name} = {text if len(text) <= LONGEST else text[:LONGEST] + '...'}")
    return tuple(shown)


def _full_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def traceback_text(crash: Crash) -> str:
    """A crash in the form of Python's own tracebacks."""
    lines = ["Traceback (most recent call last):"]
    for frame in crash.frames:
        lines.append(f'  File "{frame.path}", line {frame.line}, in {frame.function}')
        lines.append(f"    {frame.text}")
    return "\n".join([*lines, crash.headline])


def report(printed: str, crash: Crash | None) -> str:
    """What `run_reproduction` shows of a run."""
    ended = "Ended without an error." if crash is None else traceback_text(crash)
    return f"{printed}{ended}"


class Stopped(RuntimeError):
    """A reproduction that was stopped or ended Python itself; the words follow its name."""


def execute(files: Mapping[str, str], code: str, time_limit: float) -> str:
    """The report of a run in a process of its own, of at most so many seconds. Raises Stopped.

    In a browser's Python, which has no processes, it runs in this one and without a limit.
    """
    if sys.platform == "emscripten":
        return report(*run(files, code))
    import subprocess

    command = [sys.executable, "-I", "-B", "-X", "utf8", __file__]
    task = json.dumps({"files": dict(files), "code": code}).encode("utf-8")
    try:
        done = subprocess.run(command, input=task, capture_output=True, timeout=time_limit)
    except subprocess.TimeoutExpired:
        raise Stopped(f"was stopped after {time_limit:g} seconds") from None
    if done.returncode:
        raise Stopped(f"ended Python with status {done.returncode}")
    return done.stdout.decode("utf-8", "replace")


def main() -> None:
    """The child process: files and code as JSON on standard input, the text on standard output."""
    task = json.loads(sys.stdin.buffer.read().decode("utf-8"))
    text = report(*run(task["files"], task["code"]))
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))


if __name__ == "__main__":
    main()
