"""The probes of the running example, and how answers are judged."""

from __future__ import annotations

import pytest

from patch_agent.data import DataError
from patch_agent.probes import Probe, load_probes
from patch_agent.stand_in import MISSING, Answer, Evidence, StandIn

PROBES = load_probes()


def test_each_kind_of_probe_is_asked_the_rule_first():
    assert PROBES[0].kind == "may_edit"
    assert {probe.kind for probe in PROBES} == set(MISSING)
    assert len({(probe.kind, str(probe.params)) for probe in PROBES}) == len(PROBES) >= 9
    assert len({probe.id for probe in PROBES}) == len(PROBES)
    assert all(probe.question.endswith("?") and len(probe.question) <= 50 for probe in PROBES)


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.id)
def test_an_empty_request_gets_no_right_answer(probe):
    answer = StandIn().answer({"messages": []}, probe.asked)
    assert answer.text == probe.missing_answer
    assert probe.grade(answer) == ("wrong" if probe.kind == "may_edit" else "absent")


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.id)
def test_what_is_asked_does_not_hold_the_answer(probe):
    told = str(probe.asked) + probe.question
    known = {"may_edit", "tools"}
    for want in probe.want:
        assert probe.kind in known or not any(word in told for word in want.split("|"))


def test_grades():
    probe = Probe("x", "ruled_out", "?", "", ("skew|drift", "auth/tokens.py"))
    quote = Evidence(0, "summary", 0, 1, "in auth/tokens.py", "")
    assert probe.grade(Answer("Ruled out: clock Skew", True, quote)) == "right"
    assert probe.grade(Answer("Ruled out: drift in auth/tokens.py", True)) == "right"
    assert probe.grade(Answer("Ruled out: a change in auth/tokens.py", True)) == "wrong"
    assert probe.grade(Answer("Not in my context.")) == "absent"
    assert probe.grade(Answer("Refused: too large.", True, refused="too large")) == "absent"


def test_a_file_that_is_not_right_is_named(tmp_path):
    path = tmp_path / "probes.toml"
    record = '[[probe]]\nid = "a"\nkind = "goal"\nquestion = "?"\ntruth = ""\nwant = []\n'
    path.write_text(record)
    assert load_probes(path)[0].id == "a"
    for text, said in (
        ('[[probe]]\nid = "a"\n', "'a' has no kind"),
        (record.replace('"goal"', '"mood"'), "got 'mood'"),
        (record + 'missing = "maybe"\n', "got 'maybe'"),
        (record + 'missing = "right"\n', "expected wrong or absent, got 'right'"),
        ("[[probe", "probes.toml"),
        ("", r"probes.toml: expected \[\[probe"),
        ("probe = [1]", "probe: expected a table, got 1"),
        (record.replace("want = []", "want = 1"), "'a': want: got 1"),
    ):
        path.write_text(text)
        with pytest.raises(DataError, match=said):
            load_probes(path)
