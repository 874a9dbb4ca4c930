"""Listing, reading, searching and writing: what the tools print, and what they refuse."""

import json
import os

import pytest

from patch_agent.tools import SavedOutputs, Workspace
from tests.tools.calls import call, ok, refused, tree


def test_files_are_listed_in_order_without_what_is_hidden(root):
    listed = ["README.md", "auth/session.py", "auth/tokens.py", "tests/fixtures/users.json"]
    assert ok(root, "list_files").split("\n") == [*listed, "tests/test_auth.py"]
    assert ok(root, "list_files", path="auth") == "auth/session.py\nauth/tokens.py"
    assert ok(root, "list_files", path="./auth/") == "auth/session.py\nauth/tokens.py"
    assert ok(root, "list_files", path="README.md") == "README.md"
    (root / "empty").mkdir()
    assert ok(root, "list_files", path="empty") == "No files in empty."
    assert "nowhere" in refused(root, "list_files", path="nowhere")


def test_saved_outputs_are_listed_only_when_asked_for(root):
    SavedOutputs(root).save("call_1", "text")
    assert ".patch" not in ok(root, "list_files")
    assert ok(root, "list_files", path=".patch") == ".patch/outputs/call_1.log"
    assert ok(root, "read_file", path=".patch/outputs/call_1.log").endswith("1\ttext")


def test_lines_are_read_with_their_numbers(root):
    text = ok(root, "read_file", path="auth/session.py", start=4)
    assert (
        text
        == "auth/session.py, lines 4-5 of 5\n4\tdef age(start):\n5\t    return time.time() - start"
    )
    assert ok(root, "read_file", path="auth/tokens.py", start=2, end=99).endswith("\n2\tOTHER = 0")
    assert ok(root, "read_file", path="auth/tokens.py", start=1, end=1).endswith(
        "of 2\n1\tSKEW = 0"
    )


@pytest.mark.parametrize(("start", "end"), [(0, 1), (-1, 5), (3, 9), (2, 1), (1, 0)])
def test_a_range_outside_the_file_is_refused(root, start, end):
    text = refused(root, "read_file", path="auth/tokens.py", start=start, end=end)
    assert text.startswith(("start:", "end:")) and text.endswith(
        ("got " + str(start), f"got {end}")
    )


def test_what_is_no_text_is_refused_by_name(root):
    (root / "logo.png").write_bytes(b"\x89PNG\xff")
    (root / "empty.py").touch()
    assert "logo.png" in refused(root, "read_file", path="logo.png")
    assert "folder" in refused(root, "read_file", path="auth")
    assert "auth/none.py" in refused(root, "read_file", path="auth/none.py")
    assert ok(root, "read_file", path="empty.py") == "empty.py is empty"
    assert ok(root, "search_text", pattern="PNG") == "No line holds 'PNG' in .."


def test_lines_end_at_a_line_feed_only(root):
    (root / "odd.txt").write_bytes("a\u2028b\x0cc\r\nd".encode())
    assert ok(root, "read_file", path="odd.txt") == (
        "odd.txt, lines 1-2 of 2\n1\ta\u2028b\x0cc\n2\td"
    )


def test_a_pipe_is_not_waited_for(root):
    os.mkfifo(root / "pipe")
    assert "pipe" in refused(root, "read_file", path="pipe")
    assert "pipe" not in ok(root, "list_files")
    assert ok(root, "search_text", pattern="SKEW").count("\n") == 0


def test_a_search_is_literal_and_keeps_its_case(root):
    assert ok(root, "search_text", pattern="time()") == (
        "auth/session.py:5: return time.time() - start"
    )
    assert ok(root, "search_text", pattern="SKEW") == "auth/tokens.py:1: SKEW = 0"
    assert ok(root, "search_text", pattern="skew").startswith("No line holds 'skew'")
    assert ok(root, "search_text", pattern=".*").startswith("No line")
    for pattern in ("", "a\nb"):
        assert "pattern" in refused(root, "search_text", pattern=pattern)


def test_a_pattern_that_would_explode_is_plain_text(root):
    (root / "long.txt").write_text("a" * 200_000 + "\n")
    assert ok(root, "search_text", pattern="(a+)+$").startswith("No line")


def test_a_search_says_how_many_lines_it_leaves_out(root):
    (root / "many.txt").write_text("needle\n" * 250 + "needle " + "x" * 9_000)
    lines = ok(root, "search_text", pattern="needle").split("\n")
    assert len(lines) == 101 and lines[-1] == "... and 151 more lines"
    assert len(ok(root, "search_text", pattern="needle x")) < 300


def test_an_edit_changes_one_place_and_prints_it(root):
    outcome = call(root, "edit_file", path="auth/tokens.py", old="SKEW = 0", new="SKEW = 90")
    assert outcome.text == (
        "auth/tokens.py changed:\n@@ -1,2 +1,2 @@\n-SKEW = 0\n+SKEW = 90\n OTHER = 0"
    )
    assert outcome.changed == "auth/tokens.py"
    assert (root / "auth/tokens.py").read_text() == "SKEW = 90\nOTHER = 0\n"


def test_an_edit_and_its_reverse_restore_every_byte(root):
    (root / "odd.py").write_bytes("a = 1\r\nb = 2\u2028\n\tc".encode())
    (root / "odd.py").chmod(0o750)
    before = tree(root)
    ok(root, "edit_file", path="odd.py", old="b = 2", new="b = 3")
    assert tree(root) != before
    ok(root, "edit_file", path="odd.py", old="b = 3", new="b = 2")
    assert tree(root) == before and (root / "odd.py").stat().st_mode & 0o777 == 0o750


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("= 0", "= 1", "occurs 2 times"),
        ("= 7", "= 1", "occurs 0 times"),
        ("", "x", "empty"),
        ("SKEW", "SKEW", "equals old"),
        ("SKEW", "\ud800", "Unicode"),
    ],
)
def test_an_edit_that_is_not_clear_changes_nothing(root, old, new, named):
    before = tree(root)
    assert named in refused(root, "edit_file", path="auth/tokens.py", old=old, new=new)
    assert tree(root) == before


def test_overlapping_places_count(root):
    (root / "a.txt").write_text("aaa")
    assert "occurs 2 times" in refused(root, "edit_file", path="a.txt", old="aa", new="b")


def test_a_file_is_written_whole_and_its_folders_made(root):
    outcome = call(root, "write_file", path="notes/new.md", text="a\nb\n")
    assert outcome.text == "notes/new.md written: 2 lines, a new file"
    assert outcome.changed == "notes/new.md"
    again = ok(root, "write_file", path="notes/new.md", text="c")
    assert again == "notes/new.md written: 1 lines, 2 before"
    assert (root / "notes/new.md").read_text() == "c"
    assert "folder" in refused(root, "write_file", path="notes", text="x")
    assert "'README.md/x'" in refused(root, "write_file", path="README.md/x", text="x")
    assert not list(root.rglob("*.new"))


def test_a_text_that_occurs_everywhere_is_counted_up_to_a_limit(root):
    (root / "long.txt").write_text("a" * 1_000_000)
    arguments = json.dumps({"path": "long.txt", "old": "a" * 1000, "new": "b"})
    assert "occurs 1000 times or more" in Workspace(root).call("edit_file", arguments).text


def test_a_file_is_never_written_through_a_link_beside_it(root, tmp_path):
    (root / f".README.md.{os.getpid()}.new").symlink_to(tmp_path / "outside.txt")
    outcome = Workspace(root).call("write_file", json.dumps({"path": "README.md", "text": "new"}))
    assert not outcome.error
    assert (root / "README.md").read_text() == "new"
    assert (tmp_path / "outside.txt").read_text() == "SKEW, and a secret\n"
