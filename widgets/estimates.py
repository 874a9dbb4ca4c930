"""Estimated tokens beside exact ones, for the page on policies: of kinds of text, and of a run."""

from __future__ import annotations

from statistics import mean

from patch_agent.estimates import kinds_of_text
from patch_agent.tokens import by_kind, estimate, exact
from patch_agent.triage.run import requests
from patch_agent.triage.saved import load_run, recorded_folder
from widgets.tables import Row, Table, number, percent


def of_texts() -> Table:
    """Bytes / 4 and the estimate by kind, against the exact count, for kinds of text."""
    true, plain, kinds = exact(), estimate(), by_kind()
    rows = []
    for kind, text in kinds_of_text().items():
        size = true.text(text)
        guesses = (plain.text(text), kinds.text(text))
        rows.append(Row(kind, (size, *guesses, *(percent(g / size) for g in guesses))))
    heads = ("exact", "bytes / 4", "by kind", "bytes / 4, of exact", "by kind, of exact")
    return Table("Estimates by kind of text, in tokens", ("kind", *heads), tuple(rows))


def of_run() -> dict[str, str]:
    """Bytes / 4 of the messages over exact tokens of the request, in the recorded run; and the
    share that the tool definitions have in its first request."""
    true, plain = exact(), estimate()
    sent = tuple(requests(*load_run(recorded_folder())))
    shares = [plain.messages(request.messages) / request.tokens(true) for request in sent]
    tools = sent[0].part("tools").tokens(true) / sent[0].tokens(true)
    return {
        "run_requests": number(len(shares)),
        "run_least": f"{min(shares):.2f}",
        "run_mean": f"{mean(shares):.2f}",
        "run_most": f"{max(shares):.2f}",
        "run_tools": percent(tools),
    }
