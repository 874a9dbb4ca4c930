"""No path leads out of the workspace, and what is protected is not written."""

import json

import pytest

from patch_agent.tools import Workspace
from tests.tools.calls import call, ok, tree

FIXTURES = "tests/fixtures/"


OUTSIDE = [
    "",
    "/etc/passwd",
    "../outside.txt",
    "auth/../../outside.txt",
    "auth/..",
    "auth\\..\\..\\outside.txt",
    "C:\\Windows\\win.ini",
    "C:outside.txt",
    "c:/outside.txt",
    "\\\\server\\share\\x",
    "~/outside.txt",
    "a\0b",
    "\ud800",
    "x" * 5_000,
    "語" * 90,
    "link.txt",
    "folder_link/outside.txt",
    "chain",
    "loop",
]


@pytest.mark.parametrize("path", OUTSIDE, ids=lambda path: repr(path)[:24])
@pytest.mark.parametrize(
    "tool", ["list_files", "read_file", "search_text", "edit_file", "write_file"]
)
def test_no_path_leads_out_of_the_workspace(root, tool, path):
    (root / "link.txt").symlink_to("../outside.txt")
    (root / "folder_link").symlink_to(root.parent)
    (root / "chain").symlink_to("link.txt")
    (root / "loop").symlink_to("loop")
    rest = {
        "search_text": {"pattern": "secret"},
        "edit_file": {"old": "secret", "new": "x"},
        "write_file": {"text": "x"},
    }.get(tool, {})
    before = tree(root.parent)
    outcome = Workspace(root).call(tool, json.dumps({"path": path, **rest}))
    assert outcome.error and outcome.text.startswith("path ") and "secret" not in outcome.text
    assert repr(path)[:40].rstrip("'") in outcome.text
    assert tree(root.parent) == before


def test_links_out_of_the_workspace_are_not_listed_or_searched(root):
    (root / "link.txt").symlink_to("../outside.txt")
    (root / "folder_link").symlink_to(root.parent)
    (root / "inner").symlink_to("auth/tokens.py")
    assert "link" not in ok(root, "list_files")
    assert "secret" not in ok(root, "search_text", pattern="SKEW")
    assert "SKEW" in ok(root, "read_file", path="inner")


@pytest.mark.parametrize(
    "path",
    [
        "tests/fixtures/users.json",
        "./tests/fixtures//users.json",
        "tests/fixtures/new/deep.json",
        "TESTS/Fixtures/users.json",
        "alias/users.json",
        "one.json",
        "tests/fixtures",
        ".patch/outputs/call_1.log",
    ],
)
def test_a_protected_folder_is_not_written(root, path):
    (root / "alias").symlink_to("tests/fixtures")
    (root / "one.json").symlink_to("tests/fixtures/users.json")
    before = tree(root)
    for name, rest in (("edit_file", {"old": "{}", "new": "[]"}), ("write_file", {"text": "[]"})):
        outcome = call(root, name, protected=(FIXTURES,), path=path, **rest)
        assert outcome.error and path in outcome.text and "not permitted" in outcome.text
    assert tree(root) == before


def test_what_is_beside_a_protected_folder_is_written(root):
    for path in ("tests/fixtures_new.json", "tests/test_new.py"):
        assert not call(root, "write_file", protected=(FIXTURES,), path=path, text="x").error
    assert not call(root, "read_file", protected=(FIXTURES,), path=FIXTURES + "users.json").error


def test_a_protected_folder_that_is_a_link_is_protected_where_it_is(root):
    (root / "shared").symlink_to("tests/fixtures")
    outcome = call(root, "write_file", protected=("shared/",), path=FIXTURES + "a.json", text="x")
    assert outcome.error


def test_without_the_permission_the_same_write_goes_through(root):
    assert not call(root, "edit_file", path=FIXTURES + "users.json", old="{}", new="[]").error


@pytest.mark.parametrize("path", ["x/" * 400 + "y", "x" * 100 + "/" + "y/" * 3_000, "x" * 10**6])
@pytest.mark.parametrize("name", ["write_file", "read_file", "list_files", "search_text"])
def test_a_path_of_any_depth_is_answered_in_short(root, name, path):
    more = {"write_file": {"text": "x"}, "search_text": {"pattern": "x"}}.get(name, {})
    outcome = Workspace(root).call(name, json.dumps({"path": path, **more}))
    assert outcome.error
    assert len(outcome.text) < 400
