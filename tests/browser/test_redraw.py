"""A widget that was led through many states shows what a new one shows at once."""

from collections.abc import Callable
from dataclasses import replace

from playwright.sync_api import Page

from patch_agent.catalogue import format_state
from tests.test_catalogue import SEED, drawn

Open = Callable[..., Page]
STATES = 40
# Both as they are seen: without what is hidden and without the names that each widget makes up. The
# old one is led by the address, as by a link.
BOTH = """async (states) => {
  const shared = document.querySelector("script[id^=patch-]").textContent;
  const { catalogue, module } = JSON.parse(shared);
  const address = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
  const { default: made } = await import(address);
  const nothing = () => {};
  const madeUp = ["id", "name", "aria-controls"];
  const write = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (node.hidden) return "";
    const attributes = [...node.attributes].filter(({ name }) => !madeUp.includes(name));
    const written = attributes.map(({ name, value }) => `${name}=${value}`).sort();
    const { value, checked, disabled } = node;
    const within = [...node.childNodes].map(write).filter((one) => one !== "");
    return [node.localName, written, value, checked, disabled, within];
  };
  const seen = (root) => [".cb-bar", ".cb-controls", ".cb-main"].map(
    (part) => JSON.stringify(write(root.querySelector(part))));
  const root = document.querySelector(".cb-root[data-state]");
  const found = [];
  for (const state of states) {
    const changed = new Promise((done) => addEventListener("hashchange", done, { once: true }));
    location.hash = state;
    await changed;
    const get = (name) => ({ catalogue, state })[name];
    const model = { get, set: nothing, save_changes: nothing, on: nothing, off: nothing };
    const el = document.createElement("div");
    const stop = made.render({ model, el });
    found.push([state, seen(root), seen(el.firstElementChild)]);
    stop();
  }
  return found;
}"""


def test_any_path_leads_to_what_is_drawn_at_once(open_page: Open, site: str) -> None:
    page = open_page(f"{site}/book/context.html")
    page.wait_for_selector(".cb-root[data-state]")
    path = [
        near for state in drawn(STATES, salt=5) for near in (state, replace(state, k=state.k // 2))
    ]
    fragments = [format_state(state) for state in path]
    different = [one for one, last in zip(fragments, ["", *fragments], strict=False) if one != last]
    for state, led, new in page.evaluate(BOTH, different):
        assert led == new, f"{state}, SEED={SEED}"
