"""The widget's texts: none is missing, none is left over, and every part has its own."""

import re
from typing import Any, get_args

import pytest

from patch_agent.catalogue import load_catalogue
from patch_agent.data import data_path, read_toml
from patch_agent.probes import load_probes
from patch_agent.request import PARTS
from patch_agent.summaries.ledger import RowKind
from patch_agent.task import FORMS
from widgets.modules import FOLDER, module_files, module_text, style_text

WORDS: dict[str, Any] = read_toml(data_path("words", "context_builder.toml"))
KEYS = WORDS["words"]
MODULE = module_text("context_builder")
PYTHON = (FOLDER / "first_frame.py").read_text(encoding="utf-8")
ASKED = r"(?:\bsay|speaker\(catalogue\))\(\s*"
LEDGER = ("verbatim", "paraphrased", "lost")
GROUPS = ("fixed", "older_calls", "older_outputs", "summary", "recent")
COLUMNS = ("part", "tokens", "estimate", "ratio", "share", "volatility")

# What stands in the place of the braces where the module puts a key together.
MADE = {
    "form_": FORMS,
    "gone_": FORMS,
    "offer_form_": FORMS,
    "verdict_": ("right", "wrong", "absent", "refused"),
    "compaction_": GROUPS,
    "kind_": tuple(kind.replace(" ", "_") for kind in get_args(RowKind)),
    "ledger_": LEDGER,
    "table_": COLUMNS,
    "role_": tuple(sorted({one["role"] for one in load_catalogue()["segments"]})),
    "problem_": ("k", *re.findall(r'(?:new StateError|member)\("(\w+)"', MODULE)),
}
ALL_MADE = {start + end for start, ends in MADE.items() for end in ends}


def test_every_key_that_is_put_together_exists() -> None:
    starts = set(re.findall(ASKED + r"`(\w+)\$\{", MODULE))
    assert starts == set(MADE)
    assert sorted(ALL_MADE - set(KEYS)) == []


def test_what_a_key_is_put_together_from_is_all_that_the_module_has() -> None:
    assert re.findall(r'\[((?:"\w+", )+"\w+")\]\.map\(\(key\) => say\(`table_', MODULE) == [
        ", ".join(f'"{column}"' for column in COLUMNS)
    ]
    ranges = re.search(r"const ranges = \{(.*?)\};", MODULE, re.DOTALL)
    assert ranges and tuple(re.findall(r"(\w+):", ranges[1])) == GROUPS
    assert {"version", "fields", "k", "older", "vs", "tools", "off"} == set(MADE["problem_"])


def test_every_key_that_is_asked_for_exists() -> None:
    calls = re.findall(ASKED + r"([^`(){}]*)", MODULE)
    asked = {key for call in calls for key in re.findall(r'"([a-z]\w*)"', call)}
    drawn = set(re.findall(r'words\["(\w+)"', PYTHON))
    assert len(asked) > 60 and len(drawn) > 15
    assert sorted((asked | drawn) - set(KEYS)) == []


def test_every_text_is_used() -> None:
    quoted = set(re.findall(r'"([a-z]\w*)"', MODULE + PYTHON))
    assert sorted(set(KEYS) - quoted - ALL_MADE) == []


@pytest.mark.parametrize("table", ["parts", "holds"])
def test_every_part_has_its_texts(table: str) -> None:
    assert tuple(WORDS[table]) == PARTS
    assert all(WORDS[table].values())


def test_every_part_has_a_colour_for_light_and_dark() -> None:
    colours = dict(
        re.findall(
            r"--cb-part-(\w+): light-dark\((#[0-9a-f]{6}, #[0-9a-f]{6})\);",
            style_text("context_builder"),
        )
    )
    assert tuple(colours) == PARTS == tuple(one["id"] for one in load_catalogue()["parts"])
    assert len(set(colours.values())) == len(PARTS)


def test_every_probe_has_a_short_name() -> None:
    assert sorted(WORDS["short"]) == sorted(probe.id for probe in load_probes())


def test_the_module_reads_all_that_the_catalogue_holds() -> None:
    """Of each kind of row the keys that the module names; ids and the schema name the rest."""
    files = module_files(FOLDER / "context_builder.js")
    code = "".join(one.read_text(encoding="utf-8") for one in files if one.name != "types.js")
    code = re.sub(r"/\*\*.*?\*/", "", code, flags=re.DOTALL)
    catalogue = load_catalogue()
    keys = set(catalogue) - {"schema"} | set(catalogue["session"]) | set(catalogue["prices"])
    for table in ("parts", "segments", "probes", "facts", "ledger", "experiments"):
        keys |= {key for row in catalogue[table] for key in row} - {"id"}
    keys |= {key for probe in catalogue["probes"] for one in probe["carriers"] for key in one}
    keys |= {key for run in catalogue["runs"].values() for row in run["steps"] for key in row}
    assert len(keys) > 40
    assert [key for key in sorted(keys) if not re.search(rf"\b{key}\b", code)] == []
