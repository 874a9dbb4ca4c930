"""Grading: 94 of 94 for perfect work, and each mistake costs the checks that it should."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from patch_agent.triage.grade import GLOBAL, KINDS, grade
from patch_agent.triage.service import Service
from patch_agent.triage.truth import Cause, truth_of
from patch_agent.triage.world import SEVERITIES
from patch_agent.triage.world_make import make_world
from tests.triage.reading import do, file_cause, solve

SEED = 3
WORLD, TRUTH = make_world(SEED), truth_of(SEED)
NEW = [cause for cause in TRUTH.causes if cause.known is None]
KNOWN = [cause for cause in TRUTH.causes if cause.known]
ONE = max(NEW, key=lambda cause: len(cause.reports))
OTHER = next(cause for cause in NEW if cause != ONE and len(cause.reports) > 1)


def missed(service: Service) -> set[str]:
    return {check.id for check in grade(service).missed}


@pytest.mark.parametrize("seed", [1, 2, 3, 4, 5])
def test_perfect_work_passes_all_94(seed: int) -> None:
    with Service(make_world(seed)) as service:
        solve(service, truth_of(seed))
        result = grade(service)
        assert (result.passed, result.total, result.missed) == (94, 94, ())
        assert do(service, "list_reports") == "No report is open."


def test_the_ids_are_four_for_each_cause_and_two_for_all() -> None:
    with Service(WORLD) as service:
        wanted = [f"{cause.id}.{kind}" for cause in TRUTH.causes for kind in KINDS]
        assert [check.id for check in grade(service).checks] == [*wanted, *GLOBAL]


def test_no_work_passes_only_what_was_there_before() -> None:
    with Service(WORLD) as service:
        passed = {check.id for check in grade(service).checks if check.passed}
        there = {f"{cause.id}.{kind}" for cause in KNOWN for kind in KINDS[:3]}
        assert passed == {*there, "all.issues"}


def solve_but(service: Service, ident: str, **other: object) -> str:
    """Perfect work, but for one issue; its number."""
    number = file_cause(service, TRUTH, ident, **other)
    for cause in TRUTH.causes:
        issue = number if cause.id == ident else cause.known or file_cause(service, TRUTH, cause.id)
        for report in cause.reports:
            do(service, "link_report", report=report, issue=issue)
    return number


def _severity_but(cause: Cause) -> str:
    return SEVERITIES[(SEVERITIES.index(cause.severity) + 1) % 4]


@pytest.mark.parametrize(
    "other, costs",
    [
        ({"line": ONE.line + 1}, {f"{ONE.id}.place"}),
        ({"file": OTHER.file, "line": OTHER.line}, {f"{ONE.id}.place"}),
        ({"severity": _severity_but(ONE)}, {f"{ONE.id}.severity"}),
        ({"reports": []}, set()),
        ({"reports": [ONE.reports[0]]}, set()),
        ({"title": "something"}, set()),
        (
            {"reports": [], "line": ONE.line + 1},
            {*(f"{ONE.id}.{kind}" for kind in KINDS), "all.issues"},
        ),
        (
            {"reports": list(OTHER.reports)},
            {*(f"{ONE.id}.{kind}" for kind in KINDS), f"{OTHER.id}.filed"},
        ),
    ],
)
def test_an_issue_with_a_mistake(other: dict[str, object], costs: set[str]) -> None:
    with Service(WORLD) as service:
        # The wrong one is filed first and judged in the place of OTHER, so it names what is right.
        if other.get("reports") == list(OTHER.reports):
            other = other | {"file": OTHER.file, "line": OTHER.line, "severity": OTHER.severity}
        solve_but(service, ONE.id, **other)
        assert missed(service) == costs


def _second(service: Service) -> set[str]:
    file_cause(service, TRUTH, ONE.id)
    return {f"{ONE.id}.filed"}


def _second_and_worse(service: Service) -> set[str]:
    file_cause(service, TRUTH, ONE.id, line=1, severity=_severity_but(ONE))
    return {f"{ONE.id}.filed"}


def _again_what_was_known(service: Service) -> set[str]:
    file_cause(service, TRUTH, KNOWN[0].id)
    return {f"{KNOWN[0].id}.filed"}


def _stranger(service: Service) -> set[str]:
    values = {"title": "odd", "file": ONE.file, "line": 1, "severity": "low", "reports": []}
    do(service, "file_issue", **values)
    return {"all.issues"}


def _linked_twice(service: Service) -> set[str]:
    issue = next(f.issue.id for f in service.issues() if f.issue.evidence == OTHER.reports)
    do(service, "link_report", report=ONE.reports[0], issue=issue)
    return {"all.reports"}


@pytest.mark.parametrize(
    "mutate", [_second, _second_and_worse, _again_what_was_known, _stranger, _linked_twice]
)
def test_something_too_much(mutate: Callable[[Service], set[str]]) -> None:
    with Service(WORLD) as service:
        solve(service, TRUTH)
        costs = mutate(service)
        assert missed(service) == costs


@pytest.mark.parametrize("cause", [ONE, KNOWN[0]], ids=["new", "known"])
def test_a_report_that_stays_open(cause: Cause) -> None:
    with Service(WORLD) as service:
        solve_without_link(service, cause.reports[-1], None)
        found = {check.id: check.why for check in grade(service).missed}
        assert found == {
            f"{cause.id}.linked": f"not linked to its issue: {cause.reports[-1]}",
            "all.reports": f"open: {cause.reports[-1]}",
        }


def test_a_report_linked_to_the_wrong_issue() -> None:
    with Service(WORLD) as service:
        solve_without_link(service, ONE.reports[-1], OTHER.id)
        assert missed(service) == {f"{ONE.id}.linked"}


def solve_without_link(service: Service, left_out: str, instead: str | None) -> None:
    """Perfect work, but that one report stays open or goes to the issue of another cause."""
    issues = {c.id: c.known or file_cause(service, TRUTH, c.id) for c in TRUTH.causes}
    for cause in TRUTH.causes:
        for report in cause.reports:
            target = instead if report == left_out else cause.id
            if target is not None:
                do(service, "link_report", report=report, issue=issues[target])


def test_a_cause_that_is_never_filed() -> None:
    with Service(WORLD) as service:
        for cause in TRUTH.causes:
            if cause == ONE:
                continue
            issue = cause.known or file_cause(service, TRUTH, cause.id)
            for report in cause.reports:
                do(service, "link_report", report=report, issue=issue)
        found = {check.id: check.why for check in grade(service).missed}
        assert found.keys() == {*(f"{ONE.id}.{kind}" for kind in KINDS), "all.reports"}
        assert found[f"{ONE.id}.filed"] == "not filed"


def test_links_to_a_second_issue_of_the_same_cause_count() -> None:
    with Service(WORLD) as service:
        issues = solve_half(service)
        assert missed(service) == {f"{ONE.id}.filed"}
        told = next(check.why for check in grade(service).missed)
        assert told == f"filed more than once: {', '.join(issues)}"


def solve_half(service: Service) -> list[str]:
    """ONE is filed twice, and its reports are shared out between both issues."""
    issues = [file_cause(service, TRUTH, ONE.id) for _ in range(2)]
    for cause in TRUTH.causes:
        if cause != ONE:
            issue = cause.known or file_cause(service, TRUTH, cause.id)
        for number, report in enumerate(cause.reports):
            target = issues[number % 2] if cause == ONE else issue
            do(service, "link_report", report=report, issue=target)
    return issues


@settings(max_examples=25)
@given(data=st.data())
def test_every_mistake_costs_its_own_checks_whatever_the_order(data: st.DataObject) -> None:
    """Causes in a random order, each left out, filed right, or with one thing wrong."""
    truth = TRUTH
    order = data.draw(st.permutations([c for c in truth.causes if c.known is None]))
    costs: set[str] = set()
    with Service(WORLD) as service:
        for cause in KNOWN:
            for report in cause.reports:
                do(service, "link_report", report=report, issue=str(cause.known))
        for cause in order:
            fate = data.draw(st.sampled_from(["right", "line", "severity", "left out", "twice"]))
            if fate == "left out":
                costs |= {f"{cause.id}.{kind}" for kind in KINDS} | {"all.reports"}
                continue
            other: dict[str, object] = {}
            if fate == "line":
                other, wrong = {"line": 1}, "place"
            elif fate == "severity":
                other, wrong = {"severity": _severity_but(cause)}, "severity"
            else:
                wrong = "filed"
            number = file_cause(service, truth, cause.id, **other)
            if fate == "twice":
                file_cause(service, truth, cause.id)
            if fate != "right":
                costs.add(f"{cause.id}.{wrong}")
            for report in cause.reports:
                do(service, "link_report", report=report, issue=number)
        assert missed(service) == costs
        assert grade(service).passed == 94 - len(costs)
