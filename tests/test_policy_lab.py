"""PolicyLab without a browser: its words, its page, its class for notebooks."""

import json
import re
from typing import Any

import pytest

from patch_agent.data import data_path, read_toml
from patch_agent.policies import CacheMarks
from patch_agent.triage.lab import REGIONS
from patch_agent.triage.lab_catalogue import COLUMNS
from patch_agent.triage.lab_data import lab_texts, load_lab
from patch_agent.triage.run import run_batch
from patch_agent.triage.settings import Settings
from tests.test_widget import Reader, bundle, node
from widgets import PolicyLab
from widgets.modules import FOLDER, module_files, module_text, style_text
from widgets.notebook import IN_BOOK
from widgets.page import POLICY_LAB, once, page_html

WORDS: dict[str, Any] = read_toml(data_path("words", "policy_lab.toml"))
KEYS = WORDS["words"]
FILES = module_files(FOLDER / "policy_lab.js")
MODULE = module_text("policy_lab")
PYTHON = (FOLDER / "lab_frame.py").read_text(encoding="utf-8")
ASKED = r"(?:\bsay|speaker\(lab\)|speaker\(catalogue\))\(\s*"
HEADS = {
    "spread_": ("policy", "runs", "least", "median", "most"),
    "breaks_": ("run", "request", "part", "message", "act", "invalidated", "freed"),
    "table_": ("total", "read", "cost", "break"),
    "legend_": ("read", "break", "summary", "dear", "ghost"),
}
ACTS = ("cleared", "trimmed", "covered")
KINDS = ("note", "summary", "system", "user", "assistant", "tool", "definition")
WHICH = ("first", "second")
# What stands in the place of the braces where the module puts a key together.
MADE = HEADS | {
    "policy_": WHICH,
    "runs_": WHICH,
    "what_": KINDS,
    "act_": ACTS,
    "role_": ("system", "user", "assistant", "tool", "definition"),
    "part_name_": ("system", "tools", "summary", "history"),
    "problem_": tuple(dict.fromkeys(re.findall(r'new LinkError\("(\w+)"', MODULE))),
}
ALL_MADE = {start + end for start, ends in MADE.items() for end in ends}


@pytest.fixture(scope="module")
def lab() -> dict[str, Any]:
    return load_lab()


def test_every_key_that_is_put_together_exists() -> None:
    assert set(re.findall(ASKED + r"`(\w+)\$\{", MODULE)) == set(MADE)
    assert sorted(ALL_MADE - set(KEYS)) == []
    for start, ends in HEADS.items():
        listed = ", ".join(f'"{end}"' for end in ends)
        assert f"[{listed}]" in MODULE, start
    assert {f"column_{name}" for name in (*COLUMNS, "unfinished")} <= set(KEYS)


def test_every_key_that_is_asked_for_exists_and_every_text_is_used() -> None:
    calls = re.findall(ASKED + r"([^`(){}]*)", MODULE)
    asked = {key for call in calls for key in re.findall(r'"([a-z]\w*)"', call)}
    drawn = set(re.findall(r'words\["(\w+)"', PYTHON))
    assert len(asked) > 60 and len(drawn) > 5
    assert sorted((asked | drawn) - set(KEYS)) == []
    quoted = set(re.findall(r'"([a-z]\w*)"', MODULE + PYTHON))
    columns = {f"column_{name}" for name in COLUMNS}
    assert sorted(set(KEYS) - quoted - ALL_MADE - columns) == []


def test_the_runs_have_no_break_without_words(lab: dict[str, Any]) -> None:
    breaks = [one for curve in lab["curves"] for one in curve["breaks"]]
    assert len(breaks) > 100
    assert {one["kind"] for one in breaks} <= set(KINDS)
    assert {act for one in breaks for act in one["acts"]} == set(ACTS)
    assert {one["part"] for one in breaks} <= set(MADE["part_name_"])
    assert {piece[1] for piece in lab_texts()["pool"]} == set(MADE["role_"])


def test_every_region_has_a_name_and_a_colour() -> None:
    assert tuple(WORDS["regions"]) == REGIONS
    style = style_text("policy_lab")
    colours = dict(re.findall(r"--pl-region-(\w+): (.+);", style))
    assert tuple(colours) == REGIONS and len(set(colours.values())) == len(REGIONS)
    for same in ("system", "tools", "summary"):
        assert colours[same] == f"var(--cb-part-{same})"
    assert colours["messages"] == "var(--cb-part-history)"


def test_the_module_reads_all_that_the_catalogue_holds(lab: dict[str, Any]) -> None:
    code = "".join(one.read_text("utf-8") for one in FILES if one.name != "lab_types.js")
    code = re.sub(r"/\*\*.*?\*/", "", code, flags=re.DOTALL)
    keys = set(lab) - {"schema"} | set(lab["curves"][0]) | set(lab["texts"])
    for table in ("policies", "columns", "regions", "experiments"):
        keys |= {key for row in lab[table] for key in row}
    keys |= {key for curve in lab["curves"] for one in curve["breaks"] for key in one}
    assert len(keys) > 35
    assert [key for key in sorted(keys) if not re.search(rf"\b{key}\b", code)] == []


def test_the_page_can_be_read_without_a_script(lab: dict[str, Any]) -> None:
    reader = Reader(page_html(lab, face=POLICY_LAB))
    text = " ".join(" ".join(reader.words).split())
    assert reader.open == []
    for policy in lab["policies"]:
        assert policy["label"] in text
    assert "$0.39 $1.38 $4.25" in text
    assert "needs JavaScript" in text or "need JavaScript" in text


def test_the_first_frame_draws_what_the_module_draws(lab: dict[str, Any]) -> None:
    """The outlines of the first frame are those of the module's own functions."""
    html = page_html(lab, face=POLICY_LAB)
    drawn = re.findall(r'<path class="pl-layer" d="([^"]*)"', html)
    script = """
        import { readFileSync } from "node:fs";
        import { composeLab } from "./widgets/js/lab_view.js";
        import { parseLab } from "./widgets/js/lab_state.js";
        import { columnsPath, stacked } from "./widgets/js/lab_paths.js";
        const lab = JSON.parse(readFileSync(0, "utf8"));
        const view = composeLab(lab, parseLab(lab, lab.first));
        console.log(JSON.stringify(view.panels.flatMap(({ curve }) => {
          const sizes = lab.regions.map(({ id }) => curve.regions[id]);
          return stacked(sizes).map((from, i) => columnsPath(from, sizes[i], view.tokens));
        })));
    """
    run = node("--input-type=module", "-e", script, given=json.dumps(lab))
    assert run.returncode == 0, run.stderr
    assert len(drawn) == 2 * len(REGIONS)
    assert drawn == json.loads(run.stdout)


@pytest.mark.parametrize(
    ("state", "says"),
    [
        ("pl=1.none:all", "state: expected 'pl=1.* or the like, got 'pl=1.none:all'"),
        ("pl=1.none:all.nothing:all.1.cost", "policy: expected one of none, cache"),
        ("pl=1.none:9.-.1.cost", r"run: expected all or one of \[1, 2"),
        ("pl=1.none:all.-.1.price", "figure: expected one of steps"),
    ],
)
def test_a_state_that_cannot_be_is_named(lab: dict[str, Any], state: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        page_html(lab, state=state, face=POLICY_LAB)


def test_both_widgets_share_a_page() -> None:
    from patch_agent.catalogue import load_catalogue

    page = once(page_html(load_catalogue()) + page_html(load_lab(), face=POLICY_LAB))
    assert page.count("--cb-part-history:") == 1
    assert page.count("page.patchWidgets = {") == 1
    assert page.count('application/json" id="patch-') == 2
    own = re.findall(r'<script type="application/json">(.*?)</script>', page)
    assert [json.loads(one)["own"] for one in own] == ["cb", "pl"]


def test_the_widget_has_what_a_notebook_needs(
    lab: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    widget = PolicyLab(state="pl=1.trim:all.-.1.cost")
    state = widget.get_state()
    assert state["state"] == "pl=1.trim:all.-.1.cost" and state["catalogue"] == lab
    assert state["_esm"] == MODULE and ".pl" in state["_css"] and "--cb-part" in state["_css"]
    monkeypatch.delenv(IN_BOOK, raising=False)
    assert "text/html" not in bundle(widget)
    monkeypatch.setenv(IN_BOOK, "1")
    assert 'data-patch-widget="policy-lab"' in bundle(widget)["text/html"]


def test_runs_of_your_own_stand_beside_the_recorded_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_batch(Settings("clear", 9, limit=30_000), limit=5)
    widget = PolicyLab(runs=[run])
    widget.add(run, name="mine")
    names = [policy["id"] for policy in widget.catalogue["policies"]]
    assert names[-2:] == ["clear-limit-30000", "mine"]
    assert widget.catalogue["figures"]["mine"]["seeds"] == [9]
    assert widget.catalogue["texts"]["runs"][-2:] == ["clear-limit-30000:9", "mine:9"]
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(widget, "send", sent.append)
    for message in ({"kind": "other"}, None, {"kind": "text"}):
        widget._answer(widget, message, [])
    for wanted in (["mine:9", "gone:1", None], ["trim:2"], [], "mine:9"):
        widget._answer(widget, {"kind": "text", "wanted": wanted}, [])
    assert {one["sha"] for one in sent} == {widget.catalogue["texts"]["sha"]}
    every = widget.catalogue["texts"]["runs"]
    given = [list(one["texts"]["requests"]) for one in sent]
    assert given == [every, ["mine:9"], ["trim:2"], [], every]
    with pytest.raises(ValueError, match="name: expected a letter"):
        widget.add(run, name="my policy")
    widget.add(run_batch(Settings("none", 9), limit=2, policy=CacheMarks()))
    assert [policy["id"] for policy in widget.catalogue["policies"]][-1] == "own"
    assert widget.catalogue["figures"]["none"] == load_lab()["figures"]["none"]
