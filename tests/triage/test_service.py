"""The crash service: fresh copies, links, notes, reproductions, and files that outlive a run."""

from dataclasses import replace
from pathlib import Path

import pytest

from patch_agent.triage.service import Service, ServiceError
from patch_agent.triage.truth import truth_of
from patch_agent.triage.world import digest
from patch_agent.triage.world_make import make_world
from tests.triage.reading import solve

WORLD = make_world(1)
TRUTH = truth_of(1)


def test_a_fresh_service_holds_the_world() -> None:
    with Service(WORLD) as service:
        assert service.files() == dict(WORLD.files)
        assert tuple(filed.issue for filed in service.issues()) == WORLD.issues
        assert service.links() == WORLD.links
        assert {service.report(report.id) for report in WORLD.reports} == set(WORLD.reports)
        assert len(service.open_reports()) == 99


def test_a_run_changes_neither_the_world_nor_another_service() -> None:
    before = digest(WORLD)
    with Service(WORLD) as one, Service(WORLD) as other:
        solve(one, TRUTH)
        assert not one.open_reports()
        assert len(other.open_reports()) == 99
    assert digest(WORLD) == before


def test_open_and_linked_reports_make_up_all_of_them() -> None:
    with Service(WORLD) as service:
        issue = service.issues()[-1].issue.id
        for done, report in enumerate(list(service.open_reports())[:7], 1):
            assert service.link(report.id, issue) == (issue,)
            assert report not in service.open_reports()
            assert len(service.open_reports()) + done == 99


def test_an_interrupted_run_goes_on_in_its_file(tmp_path: Path) -> None:
    place = tmp_path / "service.db"
    with Service(WORLD, place) as service:
        first = service.open_reports()[0].id
        service.link(first, service.issues()[-1].issue.id)
        service.save_note("a", "kept")
    with Service(WORLD, place) as service:
        assert len(service.open_reports()) == 98
        assert service.read_note("a") == "kept"
        assert (service.counts().note_writes, service.counts().note_reads) == (1, 1)


def test_the_file_of_another_world_is_refused(tmp_path: Path) -> None:
    Service(WORLD, tmp_path / "service.db").close()
    with pytest.raises(ServiceError, match="another world than that of seed 2"):
        Service(make_world(2), tmp_path / "service.db")


def test_numbers_of_issues_go_on_after_the_last_one() -> None:
    with Service(WORLD) as service:
        last = int(WORLD.issues[-1].id.removeprefix("ISS-"))
        file = next(iter(WORLD.files))
        made = [service.file_issue("x", file, 1, "low", []).id for _ in range(2)]
        assert made == [f"ISS-{last + 1}", f"ISS-{last + 2}"]


def test_a_second_link_is_possible_and_the_same_one_changes_nothing() -> None:
    with Service(WORLD) as service:
        one, other = [f.issue.id for f in service.issues() if f.issue.state == "open"][:2]
        report = service.open_reports()[0].id
        assert service.link(report, one) == (one,)
        assert service.link(report, one) == (one,)
        assert service.link(report, other) == (one, other)


def test_reproductions_run_in_a_process_and_are_timed() -> None:
    with Service(WORLD) as service:
        report = next(report for report in WORLD.reports if report.reproduction)
        cause = TRUTH.cause_of[report.id]
        text = service.run_reproduction(report.id)
        assert f'File "{cause.file}", line {cause.line}, in {cause.function}' in text
        assert text.split("\n")[-1].startswith(cause.error)
        assert service.counts().reproductions == 1
        assert 0 < service.counts().seconds < 20


def test_each_cause_is_reproduced_in_a_process_too() -> None:
    with Service(WORLD) as service:
        for cause in TRUTH.causes[:4]:
            codes = {r.id: r.reproduction for r in WORLD.reports}
            ident = next(report for report in cause.reports if codes[report])
            assert f'"{cause.file}", line {cause.line}, in' in service.run_reproduction(ident)


@pytest.mark.parametrize(
    "code, said",
    [
        ("while True:\n    pass\n", "was stopped after 0.5 seconds"),
        ("import os\nos._exit(3)\n", "ended Python with status 3"),
    ],
)
def test_a_reproduction_that_does_not_end_well_is_an_error(code: str, said: str) -> None:
    first, *others = WORLD.reports
    world = replace(WORLD, reports=(replace(first, reproduction=code), *others))
    with (
        Service(world, time_limit=0.5) as service,
        pytest.raises(ServiceError, match=f"the reproduction of {first.id} {said}"),
    ):
        service.run_reproduction(first.id)


def test_a_reproduction_that_runs_through_says_so() -> None:
    first, *others = WORLD.reports
    world = replace(WORLD, reports=(replace(first, reproduction="print('fine')\n"), *others))
    with Service(world) as service:
        assert service.run_reproduction(first.id) == "fine\nEnded without an error."


def test_notes_are_replaced_counted_and_named() -> None:
    with Service(WORLD) as service:
        with pytest.raises(ServiceError, match="note 'x': there is none; there are: none yet"):
            service.read_note("x")
        assert service.save_note("b", "1") == ("b",)
        assert service.save_note("a", "2") == ("a", "b")
        assert service.save_note("b", "3") == ("a", "b")
        assert service.read_note("b") == "3"
        assert (service.counts().note_writes, service.counts().note_reads) == (3, 1)
