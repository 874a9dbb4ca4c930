"""The widget's four experiments as a learner does them, by mouse and by keyboard, in any host.

Each function takes the widget in any state and does one experiment. `Builder.is_in` compares the
figures on screen with those of the composed call; the answers that flip are named here.
"""

from collections.abc import Callable

from playwright.sync_api import Locator, expect

from tests.browser.builder_page import Builder, tab_to

Flips = dict[str, tuple[str, str]]
Step = Callable[[], object]
Experiment = Callable[[Builder], None]


def one_by_mouse(builder: Builder) -> None:
    """Without the helper's report, then without tools, then with the report again."""
    without_report(builder, builder.experiment(1).click)
    tools = builder.root.get_by_label("Number of tools")
    report = builder.root.get_by_role("checkbox", name="Helper's report")
    without_tools(builder, lambda: tools.select_option("none"), report.check)


def one_by_keyboard(builder: Builder) -> None:
    """The same with Tab, Enter, a letter and Space."""
    without_report(builder, lambda: press(builder, builder.experiment(1), "Enter"))
    tools = builder.root.get_by_label("Number of tools")
    report = builder.root.get_by_role("checkbox", name="Helper's report")
    without_tools(
        builder, lambda: press(builder, tools, "n"), lambda: press(builder, report, "Space")
    )


def without_report(builder: Builder, start: Step) -> None:
    start()
    builder.is_in("cb=1.48.drop.-.6.report,task")
    assert missing(builder) == {"helper_found": "absent"}
    expect(builder.row("helper_found").get_by_role("button")).to_have_text("Send Helper's report")


def without_tools(builder: Builder, none: Step, report: Step) -> None:
    assert flips(builder, none, "cb=1.48.drop.-.none.report,task") == {"tools": ("right", "absent")}
    expect(builder.status).to_contain_text("1 answer changed: tools, right → not in my context")
    back = flips(builder, report, "cb=1.48.drop.-.none.task")
    assert back == {"helper_found": ("absent", "right")}
    assert missing(builder) == {"tools": "absent"}


def two_by_mouse(builder: Builder) -> None:
    """Everything sent; the slider is dragged until the step with the rule has left the call."""
    start_two(builder, builder.experiment(2).click)
    builder.drag_slider(35)
    builder.is_in("cb=1.35.drop.-.6.task")
    rule_leaves(builder, lambda: builder.drag_slider(34))


def two_by_keyboard(builder: Builder) -> None:
    """The same with the arrow key, step by step; then the offer is taken."""
    page = builder.page
    start_two(builder, lambda: press(builder, builder.experiment(2), "Space"))
    tab_to(page, builder.slider)
    for k in range(47, 34, -1):
        page.keyboard.press("ArrowLeft")
        expect(builder.root).to_have_attribute("data-state", f"cb=1.{k}.drop.-.6.task")
        assert builder.verdicts["may_edit"] == "right"
        expect(builder.slider).to_be_focused()
    builder.is_in("cb=1.35.drop.-.6.task")
    rule_leaves(builder, lambda: page.keyboard.press("ArrowLeft"))
    offer = builder.row("may_edit").get_by_role("button")
    back = flips(builder, lambda: press(builder, offer, "Enter"), "cb=1.35.drop.-.6.task")
    assert back == {"may_edit": ("wrong", "right")}
    expect(offer).to_be_focused()


def start_two(builder: Builder, start: Step) -> None:
    start()
    builder.is_in("cb=1.48.drop.-.6.task")
    assert missing(builder) == {}


def rule_leaves(builder: Builder, last: Step) -> None:
    assert builder.verdicts["may_edit"] == "right"
    assert flips(builder, last, "cb=1.34.drop.-.6.task") == {"may_edit": ("right", "wrong")}
    expect(builder.status).to_contain_text("Step 14 left the call.")
    expect(builder.status).to_contain_text("1 answer changed: fixtures, right → wrong")


def three_by_mouse(builder: Builder) -> None:
    """Careful against careless: the rule beside its loss, ten steps on, then careless alone."""
    start_three(builder, builder.experiment(3).click)
    ten_steps_on(builder, builder.folded("Ten steps on").locator("> summary").click)
    careless = builder.root.get_by_role("radio", name="summed up carelessly")
    rule_is_lost(builder, careless.check)
    rule_is_offered(builder, offered(builder).click)
    careless.check()
    builder.root.get_by_label("Compare with").select_option("-")
    alone(builder)


def three_by_keyboard(builder: Builder) -> None:
    """The same with Tab, Enter, an arrow key and a letter."""
    page, root = builder.page, builder.root
    start_three(builder, lambda: press(builder, builder.experiment(3), "Enter"))
    fold = builder.folded("Ten steps on").locator("> summary")
    ten_steps_on(builder, lambda: press(builder, fold, "Enter"))
    tab_to(page, root.get_by_role("radio", name="summed up with care"))
    rule_is_lost(builder, lambda: page.keyboard.press("ArrowRight"))
    rule_is_offered(builder, lambda: press(builder, offered(builder), "Enter"))
    press(builder, offered(builder), "Space")
    press(builder, root.get_by_label("Compare with"), "n")
    alone(builder)


def start_three(builder: Builder, start: Step) -> None:
    start()
    builder.is_in("cb=1.6.careful.careless.6.task")
    assert (builder.verdicts["may_edit"], builder.beside["may_edit"]) == ("right", "wrong")
    expect(builder.offers).to_have_count(len(missing(builder)))


def ten_steps_on(builder: Builder, unfold: Step) -> None:
    ten = builder.folded("Ten steps on")
    expect(ten.locator("> summary")).to_contain_text(" | ")
    unfold()
    runs = ten.locator(".cb-run")
    expect(runs).to_have_count(2)
    expect(runs.nth(0)).not_to_contain_text("edit_file tests/fixtures")
    expect(runs.nth(1)).to_contain_text("edit_file tests/fixtures")


def rule_is_lost(builder: Builder, careless: Step) -> None:
    """The first form becomes the careless one, and the two change places."""
    careful, other = builder.verdicts, builder.beside
    lost = flips(builder, careless, "cb=1.6.careless.careful.6.task")
    assert lost["may_edit"] == ("right", "wrong")
    assert (builder.verdicts, builder.beside) == (other, careful)
    expect(builder.status).to_contain_text("fixtures, right → wrong")


def offered(builder: Builder) -> Locator:
    return builder.row("may_edit").get_by_role("button")


def rule_is_offered(builder: Builder, take: Step) -> None:
    """Each answer of the first form that is not right has an offer, also beside another form."""
    expect(offered(builder)).to_have_text("Sum up with care")
    expect(builder.offers).to_have_count(len(missing(builder)))
    found = flips(builder, take, "cb=1.6.careful.careless.6.task")
    assert found["may_edit"] == ("wrong", "right")
    expect(offered(builder)).to_have_text("Take it back")


def alone(builder: Builder) -> None:
    builder.is_in("cb=1.6.careless.-.6.task")
    assert builder.verdicts["may_edit"] == "wrong"
    expect(builder.root.locator(".cb-track")).to_have_count(2)
    expect(builder.root.locator(".cb-track-beside")).to_be_hidden()


def four_by_mouse(builder: Builder) -> None:
    """The task block keeps the rule without any history, but not the dead end."""
    builder.experiment(4).click()
    builder.is_in("cb=1.6.drop.-.6.-")
    builder.drag_slider(0)
    cured(builder)
    ten = builder.folded("Ten steps on")
    if ten.get_attribute("open") is None:
        ten.locator("> summary").click()
    expect(ten.locator(".cb-run")).to_contain_text("edit_file auth/tokens.py")
    expect(ten.locator(".cb-run")).not_to_contain_text("edit_file tests/fixtures")


def four_by_keyboard(builder: Builder) -> None:
    """The same with Home; then the task block is switched off."""
    press(builder, builder.experiment(4), "Enter")
    builder.is_in("cb=1.6.drop.-.6.-")
    press(builder, builder.slider, "Home")
    cured(builder)
    block = builder.root.get_by_role("checkbox", name="Task block")
    lost = flips(builder, lambda: press(builder, block, "Space"), "cb=1.0.drop.-.6.task")
    assert lost["may_edit"] == ("right", "wrong")


def cured(builder: Builder) -> None:
    builder.is_in("cb=1.0.drop.-.6.-")
    assert builder.verdicts["may_edit"] == "right"
    assert builder.verdicts["ruled_out"] == "absent"
    expect(builder.row("may_edit")).to_contain_text("Task block")


def press(builder: Builder, control: Locator, key: str) -> None:
    """Goes to a control by Tab and presses a key."""
    tab_to(builder.page, control)
    builder.page.keyboard.press(key)


def flips(builder: Builder, step: Step, fragment: str) -> Flips:
    """The answers that a step flips, once the widget is in a state: what they were and are."""
    before = builder.verdicts
    step()
    builder.is_in(fragment)
    after = builder.verdicts
    return {probe: (was, after[probe]) for probe, was in before.items() if was != after[probe]}


def missing(builder: Builder) -> dict[str, str]:
    """The answers that are not right."""
    return {probe: verdict for probe, verdict in builder.verdicts.items() if verdict != "right"}


BY_MOUSE = (one_by_mouse, two_by_mouse, three_by_mouse, four_by_mouse)
BY_KEYBOARD = (one_by_keyboard, two_by_keyboard, three_by_keyboard, four_by_keyboard)
