"""Runs on disk: settings and figures in one file, the conversation as a session log.

The log grows with the run; the figures come at its end, and are null until then.
A saved run can be replayed, resumed and traced. Nothing else has to be kept: the service's state
comes from making the calls again, the policy's from making the requests again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from patch_agent.data import DataError, data_path, read_json
from patch_agent.messages import Message
from patch_agent.session import SessionLog, load_session
from patch_agent.triage.settings import LIMIT, Settings

VERSION = 1
RUN, SESSION = "run.json", "session.jsonl"


def recorded_folder() -> Path:
    """The folder of the recorded default run."""
    return data_path("triage", "recorded")


def run_name(settings: Settings) -> str:
    """The name of a run's folder, such as `trim-world-1-seed-4`; another limit is in it too."""
    limit = "" if settings.limit == LIMIT else f"-limit-{settings.limit}"
    return f"{settings.policy}-world-{settings.world}-seed-{settings.seed}{limit}"


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """A folder, made where it is not there, in which nobody else saves a run meanwhile.

    Raises ValueError where somebody does. Without fcntl (Windows) nothing is held.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        import fcntl
    except ImportError:
        yield
        return
    place = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            words = "another run is being saved here; wait for its end or choose another folder"
            raise ValueError(f"{folder}: {words}") from None
        yield
    finally:
        os.close(place)


@contextmanager
def begin_run(folder: Path, settings: Settings) -> Iterator[SessionLog]:
    """The empty log of a run in a folder, which is held; a run saved there before goes."""
    with held(folder):
        (folder / SESSION).unlink(missing_ok=True)
        end_run(folder, settings, None)
        yield SessionLog(folder / SESSION)


def end_run(folder: Path, settings: Settings, figures: dict[str, Any] | None) -> None:
    """Writes the settings and figures of a run."""
    head = {"version": VERSION, "settings": asdict(settings), "figures": figures}
    (folder / RUN).write_text(json.dumps(head, indent=1) + "\n", encoding="utf-8")


def load_run(folder: Path) -> tuple[Settings, tuple[Message, ...]]:
    """Settings and conversation of a saved run. Raises DataError and OSError."""
    path = folder / RUN
    head = read_json(path)
    version = head.get("version") if isinstance(head, dict) else None
    if type(version) is not int or version != VERSION:
        raise DataError(f"{path}: version: expected {VERSION}, got {version!r:.80}")
    given, names = head.get("settings"), [field.name for field in fields(Settings)]
    if not isinstance(given, dict):
        raise DataError(f"{path}: settings: expected an object")
    for name in given:
        if name not in names:
            raise DataError(f"{path}: settings: expected {', '.join(names)}, got {name!r:.80}")
    try:
        settings = Settings(**given)
    except ValueError as error:
        raise DataError(f"{path}: settings: {error}") from None
    session = load_session(folder / SESSION)
    if session.problems:
        raise DataError(f"{folder / SESSION}: {session.problems[0]}")
    if not session.messages or session.messages[0].role != "user":
        raise DataError(f"{folder / SESSION}: expected the task as its first message")
    return settings, session.messages
