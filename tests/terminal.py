"""`ais` in a terminal of a test: a process of its own, which sees a real screen and a keyboard."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["Terminal", "terminal", "without_control"]

PATIENCE_SECONDS = 60
SOURCE = str(Path(__file__).parents[1] / "src")
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\r")


def without_control(raw: bytes) -> str:
    """Return what was written, without colours and movements."""
    return _CONTROL.sub("", raw.decode(errors="replace"))


class Terminal:
    """What is on the screen, and a keyboard to type on."""

    def __init__(self, keyboard: int, process: subprocess.Popen[bytes]) -> None:
        self._keyboard = keyboard
        self._process = process
        self.raw = b""
        self._read = 0

    @property
    def screen(self) -> str:
        """All that was written so far, without colours."""
        return without_control(self.raw)

    def until(self, text: str) -> str:
        """Wait until a text comes that was not there before, and return what led to it."""
        while (place := self.screen.find(text, self._read)) < 0:
            assert self._more(), f"{text!r} never came, but:\n{self.screen[self._read :]}"
        start, self._read = self._read, place + len(text)
        return self.screen[start : self._read]

    def type(self, line: str) -> None:
        """Type a line, and Enter."""
        os.write(self._keyboard, f"{line}\n".encode())

    def press(self, key: bytes) -> None:
        """Press one key."""
        os.write(self._keyboard, key)

    def interrupt(self) -> None:
        """Do what Ctrl-C does, and press Enter."""
        self._process.send_signal(signal.SIGINT)
        # One that comes just before Python waits for a key is only seen after a key.
        with suppress(OSError):
            self.type("")

    def end(self) -> int:
        """Wait for the program to end and return its exit code."""
        while self._more():
            pass
        return self._process.wait(PATIENCE_SECONDS)

    def _more(self) -> bool:
        ready, _, _ = select.select([self._keyboard], [], [], PATIENCE_SECONDS)
        assert ready, f"nothing came for {PATIENCE_SECONDS} s after:\n{self.screen}"
        with suppress(OSError):  # how Linux says that the other side was closed
            got = os.read(self._keyboard, 65_536)
            self.raw += got
            return bool(got)
        return False


@contextmanager
def terminal(*args: str, columns: int = 80, **env: str) -> Iterator[Terminal]:
    """Run `ais` in a terminal of this width while inside."""
    keyboard, screen = pty.openpty()
    termios.tcsetwinsize(screen, (24, columns))
    process = subprocess.Popen(
        [sys.executable, "-m", "ai_smartness", *args],
        env={**os.environ, "PYTHONPATH": SOURCE, "TERM": "xterm", **env},
        stdin=screen,
        stdout=screen,
        stderr=screen,
        start_new_session=True,
    )
    os.close(screen)
    try:
        yield Terminal(keyboard, process)
    finally:
        process.kill()
        process.wait()
        os.close(keyboard)
