"""A headless Chromium driven over a pipe (Chrome DevTools Protocol), without any library for it."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import signal
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

from tests.machine import BROWSERS, find_browser

needs_chromium = pytest.mark.skipif(find_browser() is None, reason=f"no browser ({', '.join(BROWSERS)})")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--mute-audio",
    "--remote-debugging-pipe",
]
_TIMEOUT = 60.0


class Browser:
    """One page in one browser; ``messages`` are errors, warnings and policy violations that it logged."""

    def __init__(self, program: str, profile: Path) -> None:
        inward, self._write = map(_high, os.pipe())
        self._read, outward = map(_high, os.pipe())
        null = os.open(os.devnull, os.O_RDWR)
        actions = [
            *((os.POSIX_SPAWN_DUP2, null, number) for number in (0, 1, 2)),
            (os.POSIX_SPAWN_DUP2, inward, 3),
            (os.POSIX_SPAWN_DUP2, outward, 4),
        ]
        command = [program, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        home = {"HOME": str(profile), "XDG_CONFIG_HOME": str(profile), "XDG_CACHE_HOME": str(profile)}
        environment = {**os.environ, **home}  # it leaves nothing in the user's own folders
        self._pid = os.posix_spawn(program, command, environment, file_actions=actions, setpgroup=0)
        for end in (inward, outward, null):
            os.close(end)
        self._pending = b""
        self._number = 0
        self._session: str | None = None
        self.messages: list[str] = []
        try:
            target = self.send("Target.createTarget", url="about:blank")["targetId"]
            attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
            self._session = attached["sessionId"]
            for part in ("Page", "Runtime", "Log"):
                self.send(f"{part}.enable")
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and return its result."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._write, data) :]
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                result: dict[str, Any] = answer["result"]
                return result

    def _receive(self) -> dict[str, Any]:
        end = time.monotonic() + _TIMEOUT
        while b"\0" not in self._pending:
            ready, _, _ = select.select([self._read], [], [], max(0.0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            data = os.read(self._read, 1 << 20)
            assert data, "the browser has ended"
            self._pending += data
        text, _, self._pending = self._pending.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        if message.get("method") == "Log.entryAdded":
            self.messages.append(message["params"]["entry"]["text"])
        elif message.get("method") == "Runtime.exceptionThrown":
            self.messages.append(str(message["params"]["exceptionDetails"]))
        return message

    def open(self, path: Path, address: str = "") -> None:
        """Load a file and wait until the page has shown all its answers."""
        self.messages.clear()
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=path.as_uri() + address)
        self.settle()

    def settle(self) -> None:
        """Wait until the page has shown all its answers."""
        self.wait("document.readyState === 'complete' && typeof bnc2d === 'object'")
        self.wait("!document.getElementById('answers').hasAttribute('aria-busy')")

    def wait(self, condition: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + _TIMEOUT
        while not self.run(condition):
            assert time.monotonic() < end, f"{condition} does not become true"
            time.sleep(0.01)

    def run(self, expression: str) -> Any:
        """Return the value of an expression in the page."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, key: str, code: int) -> None:
        """Press and release a key."""
        for kind in ("rawKeyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def look(self, width: int, height: int, *, dark: bool = False, phone: bool = False) -> None:
        """Set the size of the screen and the colour scheme, and wait until the page is drawn by them."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=phone,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")

    def screenshot(self, path: Path, whole: bool = False) -> None:
        """Write a PNG of what is seen, or of the whole page."""
        data = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))

    def close(self) -> None:
        """End the browser and what it started."""
        os.close(self._write)
        os.close(self._read)
        end = time.monotonic() + 5
        while os.waitpid(self._pid, os.WNOHANG)[0] == 0:  # it ends when its pipe does
            if time.monotonic() > end:
                with suppress(ProcessLookupError):
                    os.killpg(self._pid, signal.SIGKILL)
                os.waitpid(self._pid, 0)
                break
            time.sleep(0.02)


def _high(number: int) -> int:
    """Move a descriptor out of the way of those that the browser expects."""
    moved = fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(number)
    return moved
