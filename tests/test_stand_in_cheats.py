"""The stand-in does not cheat, and planted cheats are caught by the same checks."""

from __future__ import annotations

import pytest

from tests.cheats import checks
from tests.stand_in_runs import recorded, request, steps

REAL = "patch_agent.stand_in:StandIn"
PROBES = [
    {"kind": "goal"},
    {"kind": "may_edit", "params": {"path": "tests/fixtures/"}},
    {"kind": "ruled_out"},
    {"kind": "output_of", "params": {"call": 9}},
    {"kind": "helper_found"},
    {"kind": "before_done"},
    {"kind": "wants_now"},
    {"kind": "first_failure", "params": {"test": "tests/test_auth.py::test_login_expired_token"}},
    {"kind": "tools"},
]


def cleared(conversation, keep):
    """The conversation with older results taken out, in the words of a usual placeholder."""
    late = {id(message) for step in steps(conversation)[-keep:] for message in step}
    placed = []
    for message in conversation:
        if message["role"] == "tool" and id(message) not in late:
            ident = message["tool_call_id"]
            words = f"[{ident} cleared: 900 tokens, kept in .patch/outputs/{ident}.log]"
            message = {**message, "content": words}
        placed.append(message)
    return placed


def asked():
    """Requests of two scenarios with probes, those with evidence before those without."""
    pairs = []
    for seed in (1, 4):
        scenario, conversation = recorded(seed)
        rich = request(scenario, cleared(conversation, 4))
        poor = request(scenario, (), off=("report", "agents_md"))
        probes = [{"kind": p.kind, "params": p.params} for p in scenario.probes if p.contains]
        pairs += [(wire, probe) for wire in (rich, poor) for probe in probes]
    return pairs


def without_rule(seed):
    """A request with cleared results whose steps no longer hold the rule."""
    scenario, conversation = recorded(seed)
    kept = [m for n, s in enumerate(steps(conversation), 1) if n != scenario.rule_step for m in s]
    wire = request(scenario, cleared(kept, 3))
    return wire, {"kind": "may_edit", "params": {"path": scenario.protected}}


def names(seed):
    """Other names for what the second scenario names."""
    scenario, _ = recorded(seed)
    test = scenario.goal.rpartition("::")[2]
    package, _, billing = scenario.right.path.partition("/")[0], "", scenario.allowed.path
    return {
        test: "test_zebra_crossing",
        f"{scenario.protected.rstrip('/')}": "tests/quarry",
        f"{package}/": "lagoon/",
        billing.partition("/")[0] + "/": "tollgate/",
        scenario.wrap_up_file: "docs/diary.md",
    }


@pytest.mark.parametrize("pair", asked()[::6], ids=lambda pair: pair[1]["kind"])
def test_a_fresh_process_says_the_same(pair):
    assert checks.remembers(REAL, [pair, (pair[0], None)]) == []


def test_nothing_is_known_that_no_request_told():
    assert checks.knows(REAL, PROBES) == []


def test_the_wording_of_placeholders_decides_nothing():
    pairs = [without_rule(seed) for seed in (1, 2, 5)]
    probes = [probe for _, probe in pairs] + [{"kind": "goal"}, {"kind": "ruled_out"}]
    assert checks.heeds_wording(REAL, pairs, probes) == []


@pytest.mark.parametrize("seed", (1, 2, 3, 5))
def test_renamed_paths_and_tests_carry_through(seed):
    scenario, conversation = recorded(seed)
    wire = request(scenario, conversation)
    pairs = [(wire, {"kind": p.kind, "params": p.params}) for p in scenario.probes if p.contains]
    assert checks.clings_to_names(REAL, pairs, names(seed)) == []


@pytest.mark.parametrize("seed", (1, 3))
def test_call_ids_decide_nothing(seed):
    scenario, conversation = recorded(seed)
    wire = request(scenario, conversation)
    other = checks.renamed(wire, {'"call_': '"toolu_x'})
    seat = checks.load(REAL)
    for probe in ({"kind": "ruled_out"}, {"kind": "first_failure"}, {"kind": "goal"}):
        assert seat.answer(wire, probe).text == seat.answer(other, probe).text
    functions = [seat.reply(w)["tool_calls"][0]["function"] for w in (wire, other)]
    assert functions[0] == functions[1]


def test_reasoning_decides_nothing():
    scenario, conversation = recorded(2)
    wire = request(scenario, conversation)
    thought = {
        "type": "reasoning",
        "text": "tests/ is off limits. Ruled out: everything.",
        "id": "r",
    }
    messages = [
        {**m, "content": [thought, {"type": "text", "text": m["content"]}]}
        if m["role"] == "assistant"
        else m
        for m in wire["messages"]
    ]
    seat = checks.load(REAL)
    other = {**wire, "messages": messages}
    for probe in PROBES:
        assert seat.answer(wire, probe).text == seat.answer(other, probe).text
    assert seat.reply(wire) == seat.reply(other)


def test_the_cheat_with_a_memory_is_caught():
    pairs = asked()
    rich = next(pair for pair in pairs if pair[1]["kind"] == "goal")
    poor = next(pair for pair in reversed(pairs) if pair[1]["kind"] == "goal")
    assert checks.remembers("tests.cheats.memory:Seat", [rich, poor])


def test_the_cheat_that_reads_the_scenario_is_caught():
    complaints = checks.knows("tests.cheats.knowledge:Seat", PROBES[5:7])
    assert any("opened" in complaint for complaint in complaints)
    assert any(complaint.startswith("before_done") for complaint in complaints)


def test_the_cheat_that_spots_the_policy_is_caught():
    pairs = [without_rule(1)]
    assert checks.heeds_wording("tests.cheats.policy:Seat", pairs, [pairs[0][1]])


def test_the_cheat_that_knows_the_example_is_caught():
    assert checks.knows("tests.cheats.names:Seat", PROBES[:1])
    wire = {"messages": [{"role": "user", "content": "The login of tests/test_auth.py is broken."}]}
    renaming = {"tests/test_auth.py": "tests/test_b.py"}
    assert checks.clings_to_names("tests.cheats.names:Seat", [(wire, {"kind": "goal"})], renaming)
