"""Takes the README's picture of the widget again, from the built page: docs/widget.png.

    python -m tests.browser.picture

The picture is of the page's own widget in its first frame, in the light scheme, from its title to
the end of its list of parts.
"""

from io import BytesIO
from pathlib import Path
from threading import Thread

from PIL import Image
from playwright.sync_api import FloatRect, Locator, sync_playwright

from book._tools.build import build
from book._tools.serve import Server
from tests.browser import chromium
from tests.browser.builder_page import Builder
from tests.browser.conftest import FLAGS

PICTURE = Path(__file__).resolve().parents[2] / "docs" / "widget.png"
WIDTH, HEIGHT = 1280, 1600
COLOURS = 256
EDGE = 12


def take(address: str) -> bytes:
    """The widget of the page at this address, as PNG."""
    with sync_playwright() as playwright:
        path = chromium.find()
        if path is None:
            raise SystemExit(chromium.HINT)
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        page = browser.new_page(
            viewport={"width": WIDTH, "height": HEIGHT},
            device_scale_factor=1.5,
            color_scheme="light",
        )
        page.goto(address)
        root = Builder(page).root
        root.evaluate("one => scrollTo({ top: scrollY + one.getBoundingClientRect().top - 100 })")
        shot = page.screenshot(animations="disabled", clip=clip(root))
        browser.close()
    return shot


def clip(root: Locator) -> FloatRect:
    """The widget down to the end of the answer beside which the parts end."""
    whole, parts = root.bounding_box(), root.locator(".cb-parts").bounding_box()
    answers = [one.bounding_box() for one in root.locator(".cb-answer").all()]
    assert whole and parts
    ends = [box["y"] + box["height"] for box in answers if box]
    end = min(end for end in ends if end >= parts["y"] + parts["height"])
    left, top = whole["x"] - EDGE, whole["y"] - EDGE
    return {"x": left, "y": top, "width": whole["width"] + 2 * EDGE, "height": end - top}


def main() -> None:
    server = Server(build())
    Thread(target=server.serve_forever, daemon=True).start()
    picture = Image.open(BytesIO(take(f"{server.address}/book/context.html"))).convert("RGB")
    PICTURE.parent.mkdir(exist_ok=True)
    lean = picture.quantize(COLOURS, dither=Image.Dither.NONE)
    lean.save(PICTURE, optimize=True)
    print(f"{PICTURE}: {PICTURE.stat().st_size:,} bytes, {picture.width} x {picture.height}")


if __name__ == "__main__":
    main()
