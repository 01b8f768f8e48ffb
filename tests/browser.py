"""A real Chromium that a test drives: it opens a page, presses, drags and touches as a hand would."""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync", "--disable-quic"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"),
    *("--remote-debugging-port=0", "--remote-allow-origins=*", "about:blank"),
]
SLOWEST_S = 60.0  # other processes decide how long a browser takes

Point = tuple[float, float]


class Tab:
    """One page of the browser, spoken to in its own protocol."""

    def __init__(self, wire: ClientConnection) -> None:
        self.wire, self.numbers = wire, itertools.count(1)

    def do(self, method: str, **given: Any) -> dict[str, Any]:
        number = next(self.numbers)
        self.wire.send(json.dumps({"id": number, "method": method, "params": given}))
        while True:
            told = json.loads(self.wire.recv(timeout=SLOWEST_S))
            if told.get("id") == number:
                assert "error" not in told, told
                return dict(told["result"])

    def value(self, expression: str) -> Any:
        """What an expression of JavaScript is in the page."""
        told = self.do("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    def wait(self, expression: str) -> None:
        ends = time.monotonic() + SLOWEST_S
        while not self.value(expression):
            assert time.monotonic() < ends, f"never true: {expression}"
            time.sleep(0.05)

    def open(self, address: str, width: int, height: int, touch: bool = False) -> None:
        self.do("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=touch)
        self.do("Emulation.setTouchEmulationEnabled", enabled=touch)
        self.do("Page.navigate", url=address)
        self.wait(f"location.href === {json.dumps(address)} && document.readyState === 'complete'")

    def middle(self, selector: str) -> Point:
        x, y = self.at(selector, 0.5, 0.5)
        return x, y

    def at(self, selector: str, across: float, down: float) -> Point:
        """The point of the window at these shares of an element, scrolled into view."""
        found = self.value(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            f" e.scrollIntoView({{block: 'center'}}); const r = e.getBoundingClientRect();"
            f" return [r.left + r.width * {across}, r.top + r.height * {down}]; }})()"
        )
        return found[0], found[1]

    def click(self, selector: str) -> None:
        x, y = self.middle(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self._mouse(kind, (x, y))

    def drag(self, one: Point, other: Point) -> None:
        half = ((one[0] + other[0]) / 2, (one[1] + other[1]) / 2)
        for kind, point in [
            ("mousePressed", one),
            ("mouseMoved", half),
            ("mouseMoved", other),
            ("mouseReleased", other),
        ]:
            self._mouse(kind, point)

    def _mouse(self, kind: str, point: Point) -> None:
        at = {"x": point[0], "y": point[1]}
        self.do("Input.dispatchMouseEvent", type=kind, button="left", buttons=1, clickCount=1, **at)

    def swipe(self, one: Point, other: Point) -> None:
        """With a finger."""
        half = ((one[0] + other[0]) / 2, (one[1] + other[1]) / 2)
        for kind, point in [("touchStart", one), ("touchMove", half), ("touchMove", other), ("touchEnd", None)]:
            points = [] if point is None else [{"x": point[0], "y": point[1]}]
            self.do("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    def press(self, key: str, shift: bool = False) -> None:
        presses = {"text": "\r", "windowsVirtualKeyCode": 13} if key == "Enter" else {}  # a button that has the focus
        for kind, more in (("keyDown", presses), ("keyUp", {})):
            self.do("Input.dispatchKeyEvent", type=kind, key=key, code=key, modifiers=8 if shift else 0, **more)

    def type(self, text: str) -> None:
        self.do("Input.insertText", text=text)

    def photograph(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.do("Page.captureScreenshot")["data"]))


@contextlib.contextmanager
def tab(chromium: str, profile: Path) -> Iterator[Tab]:
    """A browser with one page, until the block ends."""
    browser = subprocess.Popen(
        [chromium, f"--user-data-dir={profile}", *FLAGS], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        with connect(_page(profile), max_size=None, open_timeout=SLOWEST_S) as wire:
            yield Tab(wire)
    finally:
        browser.terminate()
        browser.wait(SLOWEST_S)


def _page(profile: Path) -> str:
    """Where the browser's first page listens."""
    told, ends = profile / "DevToolsActivePort", time.monotonic() + SLOWEST_S
    while not (told.exists() and told.read_text().count("\n")):
        assert time.monotonic() < ends, "the browser did not start"
        time.sleep(0.05)
    port = told.read_text().split()[0]
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=SLOWEST_S) as answer:
        pages = [page for page in json.load(answer) if page["type"] == "page"]
    return str(pages[0]["webSocketDebuggerUrl"])
