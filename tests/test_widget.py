"""The widget without a browser: its module, its page, its traits, its JavaScript under Node."""

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from patch_agent.catalogue import load_catalogue, text_script, texts
from widgets.context_builder import ContextBuilder
from widgets.first_frame import brief
from widgets.modules import FOLDER, join, module_files, module_text
from widgets.notebook import IN_BOOK
from widgets.page import page_html, script_json

ROOT = Path(__file__).resolve().parents[1]
NODE = shutil.which("node", path=f"{ROOT / '.venv' / 'bin'}:/usr/local/bin:/usr/bin") or "node"

WIDGETS = {
    "context_builder": {"parseState", "formatState", "present", "compose"},
    "policy_lab": {"parseLab", "formatLab", "composeLab"},
}
"""The widgets' modules, and functions that each of them exports."""


def node(*arguments: str | Path, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [NODE, *map(str, arguments)], input=given, capture_output=True, text=True, cwd=ROOT
    )


@pytest.fixture(scope="module")
def catalogue() -> dict[str, Any]:
    return load_catalogue()


def test_the_pure_functions_under_node() -> None:
    files = sorted((ROOT / "tests" / "js").glob("test_*.js"))
    run = node("--test", "--test-reporter=tap", *files)
    assert len(files) >= 3
    assert run.returncode == 0, run.stdout
    assert re.search(r"^# pass (\d+)$", run.stdout, re.MULTILINE), run.stdout


def test_a_module_has_each_file_once_after_those_it_imports(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text('import { b } from "./b.js";\nimport { c } from "./c.js";\na;\n')
    (tmp_path / "b.js").write_text('import { c } from "./c.js";\nexport const b = c;\n')
    (tmp_path / "c.js").write_text("export const c = 1;\n")
    files = module_files(tmp_path / "a.js")
    assert [file.name for file in files] == ["c.js", "b.js", "a.js"]
    assert join(files) == "export const c = 1;\n\nexport const b = c;\n\na;\n"


def test_two_files_of_a_module_cannot_declare_the_same_name(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text('import { b } from "./b.js";\nfunction twice() {}\n')
    (tmp_path / "b.js").write_text("export const twice = 1;\n")
    with pytest.raises(ValueError, match=r"'twice' is declared in b\.js and a\.js"):
        join(module_files(tmp_path / "a.js"))


@pytest.mark.parametrize("widget", WIDGETS)
def test_the_joined_module_runs_and_has_all_functions(widget: str) -> None:
    script = f"""
        const text = {json.dumps(module_text(widget))};
        const address = "data:text/javascript;base64," + Buffer.from(text).toString("base64");
        const module = await import(address);
        console.log(JSON.stringify([typeof module.default.render, ...Object.keys(module)]));
    """
    run = node("--input-type=module", "-", given=script)
    assert run.returncode == 0, run.stderr
    kind, *names = json.loads(run.stdout)
    assert kind == "function"
    assert WIDGETS[widget] <= set(names)
    assert "./" not in "".join(re.findall(r"^import .*$", module_text(widget), re.M))


@pytest.mark.parametrize("widget", WIDGETS)
def test_no_text_is_set_as_html(widget: str) -> None:
    for file in [*module_files(FOLDER / f"{widget}.js"), FOLDER / "page_host.js"]:
        unsafe = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b"
        assert not re.search(unsafe, file.read_text(encoding="utf-8")), file.name


def test_json_cannot_leave_its_script_element() -> None:
    nasty = {"text": "</script><script>alert(1)</script><!-- \u2028\u2029 é"}
    text = script_json(nasty)
    assert json.loads(text) == nasty
    assert not re.search("[<\u2028\u2029]", text)


class Reader(HTMLParser):
    """What a reader without scripts and styles finds: the words, outside of script and style."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("input", "br", "meta"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"script", "style"} & set(self.open):
            self.words.append(data)


def test_the_page_can_be_read_without_a_script(catalogue: dict[str, Any]) -> None:
    reader = Reader(page_html(catalogue))
    text = " ".join(reader.words)
    assert reader.open == []
    for probe in catalogue["probes"]:
        assert probe["question"] in text
    for part in catalogue["parts"]:
        assert part["label"] in text
    assert "wrong" in text
    total = re.search(r"([\d,]+) of 112,000 tokens", text)
    assert total
    share = int(total[1].replace(",", "")) / 112_000
    assert f"Total {share:.0%}" in " ".join(text.split())


def test_the_first_frame_is_that_of_the_module(catalogue: dict[str, Any]) -> None:
    view = views(catalogue, ["cb=1.34.drop.-.6.task"])[0]
    text = " ".join(Reader(page_html(catalogue)).words)
    right = sum(answer["verdict"] == "right" for answer in view["answers"])
    assert f"{view['total']:,} of" in text
    assert f"{right} of {len(catalogue['probes'])} right" in text
    for answer in view["answers"]:
        assert answer["verdict"] == "absent" or brief(answer["answer"]) in text


def views(catalogue: dict[str, Any], fragments: list[str]) -> list[dict[str, Any]]:
    """What the module composes for some states."""
    given = json.dumps({"catalogue": catalogue, "fragments": fragments})
    run = node(ROOT / "tests" / "js" / "views.js", given=given)
    assert run.returncode == 0, run.stderr
    found: list[dict[str, Any]] = json.loads(run.stdout)
    return found


def test_the_widget_has_what_a_notebook_needs(catalogue: dict[str, Any]) -> None:
    widget = ContextBuilder(state="cb=1.6.careless.-.6.task")
    state = widget.get_state()
    assert state["state"] == "cb=1.6.careless.-.6.task"
    assert state["catalogue"] == catalogue
    assert state["_esm"] == module_text("context_builder")
    assert ".cb" in state["_css"]


def test_the_exact_texts_are_sent_when_asked_for(
    catalogue: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[dict[str, Any]] = []
    widget = ContextBuilder()
    monkeypatch.setattr(widget, "send", sent.append)
    for message in ({"kind": "other"}, "text", None, {"kind": "text"}):
        widget._answer(widget, message, [])
    assert [message["sha"] for message in sent] == [catalogue["texts"]["sha"]]
    assert set(sent[0]["texts"]) == {segment["id"] for segment in catalogue["segments"]}


def test_only_the_book_gets_html(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(IN_BOOK, raising=False)
    assert "text/html" not in bundle(ContextBuilder())
    monkeypatch.setenv(IN_BOOK, "1")
    assert "data-patch-widget" in bundle(ContextBuilder())["text/html"]


def bundle(widget: ContextBuilder) -> dict[str, Any]:
    found = widget._repr_mimebundle_()
    return found[0] if isinstance(found, tuple) else found


def test_the_script_with_the_exact_texts_is_that_of_the_catalogue(
    catalogue: dict[str, Any],
) -> None:
    name, script = text_script()
    assert name == catalogue["texts"]["file"]
    receive = "patchContextText = (...given) => console.log(JSON.stringify(given));"
    run = node("-", given=f"globalThis.{receive}\n{script}")
    assert json.loads(run.stdout) == [catalogue["texts"]["sha"], texts()]
    assert "</script" not in script and "<!--" not in script


def test_quotes_are_where_the_catalogue_says(catalogue: dict[str, Any]) -> None:
    exact = {ident: text.encode("utf-16-le") for ident, text in texts().items()}
    for probe in catalogue["probes"]:
        for carrier in probe["carriers"]:
            if probe["id"] == "tools":  # its quote names all tools, its span is one of them
                continue
            span = exact[carrier["segment"]][2 * carrier["start"] : 2 * carrier["end"]]
            assert " ".join(span.decode("utf-16-le").split()) == carrier["quote"], carrier
