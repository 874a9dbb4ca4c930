"""The five experiments of PolicyLab as a learner does them by keyboard alone, in any host.

Each function takes the widget in any state. `LabWidget.is_in` compares what is said with the
recorded runs.
"""

from playwright.sync_api import expect

from tests.browser.lab_page import LAB, LabWidget, run_of


def one_marks_alone(lab: LabWidget) -> None:
    """The same columns, and what the last of them costs."""
    lab.press(lab.experiment(1), "Enter")
    lab.is_in(LAB["experiments"][0]["state"])
    expect(lab.status).to_contain_text("4.7 times cheaper, in 37 requests instead of 37")
    lab.press(lab.slider, "End")
    lab.is_in("pl=1.none:all.cache:all.37.cost")
    expect(lab.slider).to_be_focused()
    none, cache = (run_of(name, 2)["costs"][-1] for name in ("none", "cache"))
    expect(lab.said(0)).to_contain_text(f"${none:.2f}")
    expect(lab.said(1)).to_contain_text(f"${cache:.2f}")


def two_past_a_limit(lab: LabWidget) -> None:
    """From break to break, until there is none."""
    lab.press(lab.experiment(2), "Space")
    first, *others = (one["request"] for one in run_of("clear", 2)["breaks"])
    lab.is_in(f"pl=1.cache:all.clear:all.{first}.cost")
    expect(lab.said(1)).to_contain_text("old results are cleared")
    after = lab.root.get_by_role("button", name="Next break")
    for request in others:
        lab.press(after, "Enter")
        lab.is_in(f"pl=1.cache:all.clear:all.{request}.cost")
        expect(after).to_be_focused()
    lab.press(after, "Enter")
    expect(lab.status).to_have_text("There is no break after this request.")


def three_too_early(lab: LabWidget) -> None:
    """Reads that are repeated, then the cost."""
    lab.press(lab.experiment(3), "Enter")
    lab.is_in(LAB["experiments"][2]["state"])
    row = lab.root.locator(".pl-spread tbody tr", has=lab.page.get_by_text("early", exact=True))
    assert row.locator("td.cb-number").all_inner_texts() == ["3", "40.5", "267"]
    lab.press(lab.root.get_by_label("All runs, by"), "c", "o", "s", "t")
    lab.is_in("pl=1.clear:all.early:all.3.cost")
    assert row.locator("td.cb-number").all_inner_texts() == ["$0.04", "$0.14", "$0.88"]
    expect(row.locator("[data-chosen]")).to_have_count(1)


def four_what_trimming_forgets(lab: LabWidget) -> None:
    """The note that stands for the steps, in the exact text."""
    lab.press(lab.experiment(4), "Enter")
    lab.is_in(LAB["experiments"][3]["state"])
    text = lab.folded("This request, word for word")
    lab.press(text.locator("> summary"), "Enter")
    chosen = text.get_by_role("radio", name="clear")
    expect(chosen).to_be_checked()
    lab.press(chosen, "ArrowRight")
    expect(text.get_by_role("radio", name="trim")).to_be_checked()
    broken = text.locator("li[data-broken]")
    expect(broken).to_have_count(1)
    expect(broken).to_contain_text("the beginning breaks here")
    lab.press(broken.locator("summary"), "Enter")
    expect(broken.locator("pre")).to_contain_text("left out")


def five_one_run_against_one_run(lab: LabWidget) -> None:
    """Either wins; then one policy alone."""
    lab.press(lab.experiment(5), "Enter")
    lab.is_in("pl=1.clear:2.compact:4.1.cost")
    expect(lab.root).to_have_attribute("data-warn", "yes")
    expect(lab.status).to_contain_text("Two single runs tell you nothing")
    expect(lab.status).to_contain_text("“clear” costs $0.08 and “compact” $0.05")
    lab.press(lab.root.get_by_label("Runs of the first policy"), "ArrowDown", "ArrowDown")
    lab.press(lab.root.get_by_label("Runs of the policy beside it"), "ArrowUp", "ArrowUp")
    lab.is_in("pl=1.clear:4.compact:2.1.cost")
    expect(lab.status).to_contain_text("“clear” costs $0.05 and “compact” $0.14")
    lab.press(lab.root.get_by_label("Policy beside it", exact=True), "Home")
    expect(lab.root).to_have_attribute("data-state", "pl=1.clear:4.-.1.cost")
    expect(lab.root).to_have_attribute("data-warn", "no")
    expect(lab.root.locator(".pl-chart:visible")).to_have_count(1)


EXPERIMENTS = (
    one_marks_alone,
    two_past_a_limit,
    three_too_early,
    four_what_trimming_forgets,
    five_one_run_against_one_run,
)
