"""Arguments that are wrong, the definitions that are sent, the tools' effects."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patch_agent.tools import TOOLS, Workspace, definitions, effect
from tests.tools.calls import ok, tree


@given(st.text(max_size=30), st.sampled_from(sorted(TOOLS)))
def test_no_arguments_raise_into_the_loop(tmp_path_factory, text, name):
    root = tmp_path_factory.getbasetemp() / "empty"
    root.mkdir(exist_ok=True)
    if name != "run_tests":
        assert isinstance(Workspace(root).call(name, text).text, str)
        assert isinstance(Workspace(root).call(text, "{}").text, str)


@pytest.mark.parametrize(
    ("name", "arguments", "named"),
    [
        ("delete_file", "{}", "'delete_file'"),
        ("read_file", "{path: 1}", "{path: 1}"),
        ("read_file", "[]", "[]"),
        ("read_file", "null", "null"),
        ("read_file", "[" * 100_000, "JSON"),
        ("read_file", '{"path": ' + "9" * 5_000 + "}", "path"),
        ("read_file", "{}", "path: expected a string, got nothing"),
        ("read_file", "", "path: expected a string, got nothing"),
        ("read_file", '{"path": 5}', "path: expected a string, got 5"),
        ("read_file", '{"path": null}', "path: expected a string, got None"),
        ("read_file", '{"path": "README.md", "start": "1"}', "start: expected a whole number"),
        ("read_file", '{"path": "README.md", "start": true}', "start: expected a whole number"),
        ("read_file", '{"path": "README.md", "start": 1.5}', "start: expected a whole number"),
        ("read_file", '{"path": "README.md", "lines": 5}', "'lines'"),
        ("run_tests", '{"verbose": "yes"}', "verbose: expected true or false"),
        ("edit_file", '{"path": "README.md", "old": "a"}', "new"),
    ],
)
def test_bad_arguments_are_named(root, name, arguments, named):
    outcome = Workspace(root).call(name, arguments)
    assert outcome.error and (named in outcome.text or "JSON" in outcome.text)
    assert len(outcome.text) < 500


def test_an_optional_argument_may_be_null(root):
    assert ok(root, "read_file", path="README.md", end=None) == (
        "README.md, lines 1-1 of 1\n1\t# Shop"
    )


def test_the_definitions_that_are_sent_fit_the_tools():
    kinds = {str: "string", int: "integer", bool: "boolean"}
    sent = {tool["name"]: tool["parameters"] for tool in definitions()}
    assert list(sent) == list(TOOLS)
    for name, tool in TOOLS.items():
        accepted = {**tool.required, **tool.optional}
        declared = {key: field["type"] for key, field in sent[name]["properties"].items()}
        assert declared == {key: kinds[kind] for key, kind in accepted.items()}
        assert sent[name]["required"] == list(tool.required)


def test_the_effects_of_the_tools():
    writes = {name for name in TOOLS if effect(name) == "reversible write"}
    assert writes == {"edit_file", "write_file"}
    assert effect("send_mail") == "external"


@pytest.mark.parametrize("name", sorted(set(TOOLS) - {"edit_file", "write_file"}))
def test_a_read_only_tool_changes_nothing(root, name):
    before = tree(root)
    arguments = {"read_file": {"path": "README.md"}, "search_text": {"pattern": "SKEW"}}
    ok(root, name, **arguments.get(name, {}))
    assert tree(root) == before
