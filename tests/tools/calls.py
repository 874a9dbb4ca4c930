"""What tests of the tools share: calls that work or are refused, and all files of a folder."""

import json
from pathlib import Path

from patch_agent.tools import Workspace


def call(root: Path, name: str, protected: tuple[str, ...] = (), **arguments: object):
    return Workspace(root, protected).call(name, json.dumps(arguments))


def ok(root: Path, name: str, **arguments: object) -> str:
    outcome = call(root, name, **arguments)
    assert not outcome.error, outcome.text
    return outcome.text


def refused(root: Path, name: str, **arguments: object) -> str:
    outcome = call(root, name, **arguments)
    assert outcome.error and outcome.changed is None
    return outcome.text


def tree(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}
