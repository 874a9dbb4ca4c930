"""The texts that are sent beside the history: their sizes, and which of them carries which fact."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from patch_agent.data import data_path
from patch_agent.messages import pairing, system, user
from patch_agent.tokens import exact
from patch_agent.tools import TOOLS
from patch_agent.wire import load_wire

SIZES = {
    "system": 1200,
    "agents_md": 900,
    "memory": 900,
    "skills": 600,
    "report": 1800,
    "user": 260,
}
SUGGESTION = re.compile(r"In `([^`\n]+)` replace `([^`\n]+)` with `([^`\n]+)`\.")
PHRASINGS = sorted((Path(__file__).parent / "phrasings").glob("*.toml"))


def text_of(part: str) -> str:
    """The text of a part as it is sent."""
    names = ("repo", "AGENTS.md") if part == "agents_md" else ("scenario", f"{part}.md")
    return data_path(*names).read_text(encoding="utf-8")


def load_tools(name: str) -> list[dict]:
    return json.loads(data_path("tools", f"{name}.json").read_text(encoding="utf-8"))


def holders(*words: str) -> set[str]:
    """The parts in which any of these words occurs, in whatever case."""
    texts = {part: text_of(part).lower() for part in SIZES}
    return {part for part, text in texts.items() if any(word.lower() in text for word in words)}


@pytest.mark.parametrize("part", SIZES)
def test_size_of_text(part):
    message = user(text_of(part)) if part == "user" else system(text_of(part), part)
    assert exact().message(message) == pytest.approx(SIZES[part], rel=0.05)


@pytest.mark.parametrize("name, count, tokens", [("patch", 6, 2400), ("team", 34, 23_600)])
def test_size_of_tools(name, count, tokens):
    tools = load_tools(name)
    assert len(tools) == count
    assert sum(map(exact().tool, tools)) == pytest.approx(tokens, rel=0.05)


@pytest.mark.parametrize(
    "fact, words, places",
    [
        ("the goal", ("test_login_expired_token", "tests/test_auth.py"), set()),
        ("the first failure", ("200 == 401", "401"), set()),
        ("the rule on fixtures", ("fixture", "off limits"), set()),
        ("the changelog rule", ("changelog", "Unreleased"), {"agents_md"}),
        ("the clock-skew idea", ("CLOCK_SKEW", "skew"), {"memory"}),
        ("what the helper found", ("local time", "read_stamp"), {"report"}),
        ("where outputs are kept", (".patch", "call_", "outputs/"), set()),
        ("the billing remedy", ("day_start", "sessions.json", "time.min"), set()),
    ],
)
def test_fact_stands_only_in(fact, words, places):
    assert holders(*words) == places, fact
    for tool in load_tools("patch") + load_tools("team"):
        assert not any(word in json.dumps(tool) for word in words if word != "401"), fact


@pytest.mark.parametrize("part", SIZES)
def test_suggestions(part):
    found = SUGGESTION.findall(text_of(part))
    assert len(found) == (1 if part in ("memory", "report") else 0)
    for path, old, new in found:
        assert path == {"memory": "auth/tokens.py", "report": "auth/session.py"}[part]
        code = data_path("repo", path).read_text(encoding="utf-8")
        assert code.count(old) == 1 and code.count(new) == 0


def test_report_cites_what_is_there():
    report = text_of("report")
    cited = re.findall(r"`([\w/]+\.py):(\d+)` `(\w+)`", report)
    assert len(cited) >= 4
    for path, line, name in cited:
        lines = data_path("repo", path).read_text(encoding="utf-8").splitlines()
        assert f"def {name}(" in lines[int(line) - 1], (path, line, name)
    for path in re.findall(r"`([\w/]+\.py|\w+/)`", report):
        assert data_path("repo", path).exists(), path
    headings = re.findall(r"^## (\w+)", report, re.MULTILINE)
    assert {"Finding", "Confidence", "Sources", "Unresolved"} <= set(headings)


def test_memory_holds_three_notes_with_their_sources():
    notes = text_of("memory").split("\n## ")[1:]
    assert len(notes) == 3
    assert all("\nSource: " in note for note in notes)


def test_patch_definitions_are_those_of_the_tools():
    """Names, arguments and which of them are needed: as the code has it."""
    kinds = {str: "string", int: "integer", bool: "boolean"}
    tools = {tool["name"]: tool["parameters"] for tool in load_tools("patch")}
    assert list(tools) == list(TOOLS)
    for name, tool in TOOLS.items():
        assert set(tools[name]["required"]) == set(tool.required)
        arguments = {key: value["type"] for key, value in tools[name]["properties"].items()}
        expected = {**tool.required, **tool.optional}
        assert arguments == {key: kinds[kind] for key, kind in expected.items()}


def check_schema(schema: dict, place: str) -> None:
    """Every object says what it holds; what it requires is there; enumerations do not repeat."""
    assert "type" in schema, place
    properties = schema.get("properties", {})
    assert set(schema.get("required", ())) <= set(properties), place
    assert len(set(schema.get("enum", ()))) == len(schema.get("enum", ())), place
    for name, inner in properties.items():
        check_schema(inner, f"{place}.{name}")
    if schema["type"] == "array":
        check_schema(schema["items"], f"{place}[]")


def check_value(value: object, schema: dict, place: str) -> None:
    """The value fits the schema, as far as types, enumerations and patterns go."""
    kinds = {"string": str, "integer": int, "boolean": bool, "array": list, "object": dict}
    kinds |= {"number": (int, float), "null": type(None)}
    allowed = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    assert any(isinstance(value, kinds[kind]) for kind in allowed), (place, value)
    assert value in schema.get("enum", [value]), (place, value)
    if isinstance(value, str):
        assert re.search(schema.get("pattern", ""), value), (place, value)
        assert schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", 10**6), place
    if isinstance(value, list):
        assert schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", 10**6), place
        for inner in value:
            check_value(inner, schema["items"], f"{place}[]")
    if isinstance(value, dict):
        assert set(schema.get("required", ())) <= set(value), place
        for name, inner in value.items():
            inner_schema = schema.get("properties", {}).get(
                name, schema.get("additionalProperties")
            )
            assert isinstance(inner_schema, dict), f"{place}.{name} is not in the schema"
            check_value(inner, inner_schema, f"{place}.{name}")


@pytest.mark.parametrize("tool", load_tools("patch") + load_tools("team"), ids=lambda t: t["name"])
def test_definition(tool):
    assert set(tool) == {"name", "description", "parameters"}
    check_schema(tool["parameters"], tool["name"])
    for example in tool["parameters"].get("examples", ()):
        check_value(example, tool["parameters"], tool["name"])


def test_definitions_differ():
    tools = load_tools("patch") + load_tools("team")
    assert len({tool["name"] for tool in tools}) == 40
    sentences = Counter(
        sentence
        for tool in tools
        for sentence in set(re.split(r"(?<=[.:;]) ", tool["description"]))
        if len(sentence.split()) >= 10
    )
    assert [sentence for sentence, count in sentences.items() if count > 1] == []


@pytest.mark.parametrize("path", PHRASINGS, ids=lambda path: path.stem)
def test_phrasings_are_well_formed(path):
    rows = tomllib.loads(path.read_text(encoding="utf-8"))["phrasing"]
    verdicts = Counter(row["want"]["verdict_kind"] for row in rows)
    assert set(verdicts) == {"carries", "not"} and min(verdicts.values()) >= 5
    assert len(rows) >= 10
    for row in rows:
        assert row["probe"]["kind"] == path.stem and row["why"].endswith(".")
        pairs = pairing(load_wire(row["messages"]))
        assert not pairs.orphans and not pairs.open, row["id"]
        carries = row["want"]["verdict_kind"] == "carries"
        assert bool(row["want"]["answer_contains"]) == carries, row["id"]


def test_phrasings_cover_each_probe_once():
    assert len(PHRASINGS) == 9
    rows = [row for path in PHRASINGS for row in tomllib.loads(path.read_text())["phrasing"]]
    assert len({row["id"] for row in rows}) == len(rows)
