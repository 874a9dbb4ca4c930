"""Planted cheats: memory, reading the truth, spotting the policy by its note."""

from __future__ import annotations

import dataclasses
import json

from patch_agent.messages import ToolCall
from patch_agent.triage.agent import TriageAgent


class Remembers(TriageAgent):
    """Keeps the numbers of issues that earlier requests told it."""

    def __init__(self, seed):
        super().__init__(seed)
        self.issues = {}

    def reply(self, request):
        from patch_agent.triage.agent_plan import plan
        from patch_agent.triage.reader import read

        known = read(request)
        self.issues.update(known.issues)
        known.issues.update(self.issues)
        reply = super().reply(request)
        return with_calls(reply, plan(known, self.taste).calls)


class ReadsTheTruth(TriageAgent):
    """Files with the severity that the catalogue of truth gives."""

    def reply(self, request):
        from patch_agent.triage.truth import truth_of

        worst = {(c.file, c.function, c.error): c.severity for c in truth_of(1).causes}
        reply = super().reply(request)
        calls = []
        for call in reply.calls:
            values = json.loads(call.arguments)
            if call.name == "file_issue":
                error, _, function = values["title"].partition(" in ")
                key = (values["file"], function, error)
                values["severity"] = worst.get(key, values["severity"])
            calls.append((call.name, values))
        return with_calls(reply, calls)


class KnowsTheNumbers(TriageAgent):
    """Links the reports of one world by their numbers, whatever the request says."""

    def reply(self, request):
        from patch_agent.triage.truth import truth_of

        causes = truth_of(1).causes
        order = {report: n for n, cause in enumerate(causes) for report in cause.reports}
        reply = super().reply(request)
        calls = [(call.name, json.loads(call.arguments)) for call in reply.calls]
        calls.sort(key=lambda call: order.get(call[1].get("report"), -1))
        return with_calls(reply, calls)


class SpotsTheNote(TriageAgent):
    """Lists the reports again whenever it sees the note of trimming."""

    def reply(self, request):
        reply = super().reply(request)
        if any("left out here by the harness" in str(m["content"]) for m in request["messages"]):
            return with_calls(reply, [("list_reports", {})])
        return reply


class SpotsThePlaceholder(TriageAgent):
    """Fetches the first result again that it finds cleared in the harness's words."""

    def reply(self, request):
        reply = super().reply(request)
        for message in request["messages"]:
            if str(message.get("content")).startswith("[cleared: "):
                return with_calls(reply, [("list_files", {})])
        return reply


class CountsTheIds(TriageAgent):
    """Takes the number in a call's id for the number of the step."""

    def reply(self, request):
        reply = super().reply(request)
        used = [call["id"] for m in request["messages"] for call in m.get("tool_calls", ())]
        if used and used[-1].endswith("7"):
            return with_calls(reply, [("list_reports", {})])
        return reply


def with_calls(reply, calls):
    """The reply with other calls."""
    kept = tuple(block for block in reply.blocks if not isinstance(block, ToolCall))
    made = tuple(
        ToolCall(f"new_{number}", name, json.dumps(values, ensure_ascii=False))
        for number, (name, values) in enumerate(calls, 1)
    )
    return dataclasses.replace(reply, blocks=kept + made)
