"""Runs of the batch: measured, replayed, resumed, saved, swept and traced."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

from patch_agent.data import DataError
from patch_agent.messages import ToolCall, ToolResult
from patch_agent.pricing import price_table
from patch_agent.tokens import exact
from patch_agent.triage.agent import TriageAgent
from patch_agent.triage.agent_summary import LOST, TriageSummary, in_use
from patch_agent.triage.results import measure
from patch_agent.triage.run import requests, run_batch
from patch_agent.triage.saved import begin_run, load_run, recorded_folder
from patch_agent.triage.settings import POLICIES, Settings
from patch_agent.triage.table import spread, table
from patch_agent.triage.why import Unknown, trace

SHORT = 12
"""A seed that reads much at once: its runs are short."""


def run(policy, seed=SHORT, **others):
    """A run of one seed."""
    return run_batch(Settings(policy, seed), **others)


def save(folder, settings, conversation):
    """Leaves a run on disk that has come so far."""
    with begin_run(folder, settings) as log:
        for message in conversation:
            log.append(message)


class Confused(TriageAgent):
    """The agent, which links one report to the issue that it linked the one before to."""

    def __init__(self, seed):
        super().__init__(seed)
        self.issues = []

    def reply(self, request):
        message = super().reply(request)
        return replace(message, blocks=tuple(map(self._linked, message.blocks)))

    def _linked(self, block):
        if not isinstance(block, ToolCall) or block.name != "link_report":
            return block
        values = json.loads(block.arguments)
        self.issues.append(values["issue"])
        if len(set(self.issues)) == 2 and self.issues.count(values["issue"]) == 1:
            values["issue"] = self.issues[0]
        return replace(block, arguments=json.dumps(values))


class Watch(TriageAgent):
    """The agent, keeping the requests that it is sent."""

    def __init__(self, seed):
        super().__init__(seed)
        self.requests = []

    def reply(self, request):
        self.requests.append(json.loads(json.dumps(request)))
        return super().reply(request)


def watched(settings, recorded=(), **others):
    """A run with the requests of its live part."""
    kept = []

    def agent(seed):
        kept.append(Watch(seed))
        return kept[0]

    return run_batch(settings, recorded, agent=agent, **others), kept[0].requests


@pytest.mark.parametrize("policy", POLICIES)
def test_each_policy_comes_to_an_end_and_its_figures_add_up(policy):
    done = run(policy)
    found = measure(done)
    assert done.ending == "done" and found.finished
    assert found.steps == sum(m.role == "assistant" for m in done.conversation) == len(done.sent)
    for one in done.sent:
        assert one.bill.input == one.tokens >= one.results + one.reasoning
    assert found.input == sum(one.bill.input for one in done.sent)
    assert found.cached == 0 if policy == "none" else 0 < found.cached < found.input
    assert found.passed + len(found.missed) == found.total == 94
    marks = [one.bill.read for one in done.sent]
    assert marks[0] == 0


def test_the_price_is_five_times_higher_above_the_tier():
    done = run("none")
    dear = [one for one in done.sent if one.tokens > 100_000]
    assert dear and measure(done).dear == pytest.approx(len(dear) / len(done.sent), abs=1e-4)
    for one in done.sent:
        times = 5 if one.tokens > 100_000 else 1
        price = (0.10 * one.tokens + 0.40 * one.bill.reply) / 1e6
        assert one.bill.cost == pytest.approx(times * price)


@pytest.mark.parametrize("policy", ["none", "clear", "trim", "compact", "early"])
def test_the_requests_of_a_run_can_be_made_again(policy):
    settings = Settings(policy, SHORT, limit=40_000)
    done, sent = watched(settings)
    again = [json.loads(json.dumps(one.wire())) for one in requests(settings, done.conversation)]
    assert again == sent


@pytest.mark.parametrize("policy", ["clear", "trim", "compact"])
def test_a_run_stopped_after_any_step_goes_on_as_if_it_had_not_been(policy, tmp_path):
    settings = Settings(policy, SHORT, limit=40_000)
    whole, sent = watched(settings)
    for steps in sorted(random.sample(range(1, len(sent)), 4)):
        begun = run_batch(settings, limit=steps)
        assert begun.ending == "limit"
        save(tmp_path / str(steps), settings, begun.conversation)
        known, conversation = load_run(tmp_path / str(steps))
        resumed, rest = watched(known, conversation)
        assert rest == sent[steps:], steps
        assert resumed.conversation == whole.conversation
        assert resumed.grade == whole.grade
        assert resumed.differing == ()


@pytest.mark.parametrize("policy", ["clear", "trim", "compact", "early"])
def test_no_result_goes_before_the_agent_has_seen_it(policy):
    _, sent = watched(Settings(policy, SHORT, limit=30_000))
    done = run_batch(Settings(policy, SHORT, limit=30_000))
    step = 0
    for message in done.conversation:
        step += message.role == "assistant"
        for block in message.blocks:
            if isinstance(block, ToolResult):
                texts = [one["content"] for one in sent[step]["messages"] if one["role"] == "tool"]
                assert block.text in texts


def test_a_run_that_does_not_finish_is_counted():
    done = run("none", limit=4)
    assert done.ending == "limit"
    found = measure(done)
    assert not found.finished and found.passed < 60
    assert spread([found])["unfinished"] == 1
    assert table([found]).splitlines()[2].split()[-1] == "1"


def test_duplicates_are_the_issues_beyond_the_first_of_each_cause():
    done = run_batch(Settings("trim", 1))
    missed = {check.id: check.why for check in done.grade.missed}
    told = [why for name, why in missed.items() if name.endswith(".filed")]
    assert done.duplicates == sum(why.count("ISS-") - 1 for why in told) > 0


class TestRecorded:
    """The recorded default run."""

    def test_every_result_is_the_recorded_one(self):
        settings, conversation = load_run(recorded_folder())
        done = run_batch(settings, conversation)
        assert done.differing == ()
        assert done.conversation == conversation
        figures = json.loads((recorded_folder() / "run.json").read_text())["figures"]
        assert measure(done).as_json() == figures

    def test_a_result_that_differs_is_told(self):
        settings, conversation = load_run(recorded_folder())
        place = next(n for n, message in enumerate(conversation) if message.results)
        (block,) = conversation[place].blocks
        changed = list(conversation)
        changed[place] = replace(changed[place], blocks=(replace(block, text="other"),))
        assert run_batch(settings, changed, limit=3).differing == (block.call_id,)

    def test_it_is_what_the_agent_does_today(self):
        settings, conversation = load_run(recorded_folder())
        assert run_batch(settings).conversation == conversation


class TestSaved:
    """Runs on disk."""

    def test_another_version_is_refused_by_name(self, tmp_path):
        save(tmp_path, Settings(), run("none", limit=1).conversation)
        path = tmp_path / "run.json"
        path.write_text(path.read_text().replace('"version": 1', '"version": 7'))
        with pytest.raises(DataError, match=r"run\.json: version: expected 1, got 7"):
            load_run(tmp_path)

    def test_a_bad_line_of_the_log_is_named(self, tmp_path):
        save(tmp_path, Settings(), run("none", limit=1).conversation)
        path = tmp_path / "session.jsonl"
        lines = path.read_text().splitlines()
        path.write_text("\n".join([lines[0], "{nonsense", *lines[1:]]) + "\n")
        with pytest.raises(DataError, match=r"session\.jsonl: line 2"):
            load_run(tmp_path)

    @pytest.mark.parametrize("settings", [{"policy": "magic"}, {"colour": 1}, {"seed": "x"}])
    def test_settings_that_make_no_sense_are_refused(self, settings, tmp_path):
        (tmp_path / "run.json").write_text(json.dumps({"version": 1, "settings": settings}))
        with pytest.raises(DataError, match=r"run\.json: settings"):
            load_run(tmp_path)


class TestSummary:
    """The writer that loses some of what it should keep."""

    def test_it_loses_the_stated_share_and_code_puts_it_back(self):
        results = [measure(run_batch(Settings("compact", seed))) for seed in (2, 3, 12, 20)]
        kept, restored = (sum(getattr(one, n) for one in results) for n in ("kept", "restored"))
        assert 0 < restored < 3 * LOST * (kept + restored)

    def test_it_says_nothing_that_the_messages_do_not(self):
        done = run("none")
        text = TriageSummary(1)(done.conversation[:80], exact(), 4_000).text
        told = "\n".join(
            [done.conversation[n].text for n in range(80)]
            + [block.text for n in range(80) for block in done.conversation[n].results]
            + [call.arguments for n in range(80) for call in done.conversation[n].calls]
        )
        assert list(in_use(text))
        assert all(name in told for name in in_use(text))

    def test_it_keeps_to_its_limit(self):
        done = run("none")
        for limit in (50, 300, 1_000):
            made = TriageSummary(1)(done.conversation, exact(), limit)
            assert exact().message(made.message) <= limit + 5


def test_a_run_is_measured_by_the_prices_that_billed_it():
    free = price_table("free", {"input": 0, "output": 0, "cache_read": 0, "unit": "credits"})
    found = measure(run_batch(Settings("compact", 20), table=free))
    assert found.compactions and found.summary and found.cost == 0


class TestWhy:
    """What became of the knowledge that a missed check needed."""

    def test_every_missed_check_has_a_trace(self):
        for policy in ("trim", "compact"):
            done = run_batch(Settings(policy, 1))
            assert done.grade.missed
            for check in done.grade.missed:
                found = trace(done, check.id)
                assert 0 < found.step <= len(done.sent)
                assert found.needs
                if check.id.endswith((".severity", ".filed")):  # else it would have known better
                    assert any(need.last < need.step for need in found.needs)

    def test_a_duplicate_is_traced_to_the_request_in_which_the_number_was_gone(self):
        settings = Settings("trim", 1)
        done = run_batch(settings)
        sent = [json.dumps(one.wire()) for one in requests(settings, done.conversation)]
        traces = [trace(done, c.id) for c in done.grade.missed if c.id.endswith(".filed")]
        gone = [one.needs[1] for one in traces if 0 < one.needs[1].last < one.step]
        assert gone
        for need in gone:
            number = need.what.split()[-1]
            assert number in sent[need.last - 1]
            assert all(number not in one for one in sent[need.last : need.step])

    def test_without_a_policy_no_number_is_ever_gone(self):
        for seed in (1, 3, 20):
            done = run_batch(Settings("none", seed))
            for check in done.grade.missed:
                found = trace(done, check.id)
                assert all(need.last in (0, need.step) for need in found.needs), found

    def test_a_report_linked_to_another_cause_is_traced_to_that_call(self):
        done = run("none", agent=Confused)
        missed = [check for check in done.grade.missed if check.id.endswith(".linked")]
        assert missed
        found = [trace(done, check.id) for check in missed]
        told = [one for one in found if one.decided.endswith("which has another cause")]
        (one,) = told
        report = one.decided.split()[2]
        assert one.needs[0].what == f"report {report}" and 0 < one.needs[0].last <= one.step
        assert report in one.why

    def test_a_policy_of_ones_own_is_traced_through_its_own_requests(self):
        ours, settings = run_batch(Settings("trim", 1)), Settings("none", 1)
        own = run_batch(settings, policy=Settings("trim", 1).chain(exact()))
        assert [check.id for check in own.grade.missed] == [c.id for c in ours.grade.missed]
        for check in ours.grade.missed:
            assert trace(own, check.id) == trace(ours, check.id)

    def test_what_was_passed_or_is_no_check_is_said(self):
        done = run("none")
        passed = next(check.id for check in done.grade.checks if check.passed)
        with pytest.raises(Unknown, match="the run passed it"):
            trace(done, passed)
        with pytest.raises(Unknown, match="C99"):
            trace(done, "C99.place")
