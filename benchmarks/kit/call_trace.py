"""Run a program of ours and write down which of our files it enters, and which calls which.

usage: call_trace.py OUTPUT ROOT GOAL PROGRAM [ARGUMENT …]; PROGRAM is a file, or `-m` and a module.
ROOT is the file whose functions begin the walk (`*`: any), GOAL the function, as `file:name`, where
it ends. A signal
USR1 begins anew, USR2 writes what was seen; so does the end of the program. Only calls of
functions count: a module that is merely imported was not entered.
"""

import inspect
import json
import os
import runpy
import signal
import sys
import threading
from collections import Counter
from pathlib import Path
from types import CodeType, FrameType

__all__ = ["CallTrace"]

SOURCE = str(Path(__file__).parents[2] / "src" / "ai_smartness") + os.sep


class CallTrace:
    """Files entered, calls between files, and the shortest way from root to goal."""

    def __init__(self, output: str, root: str, goal: str) -> None:
        self._output = output
        self._root = root
        self._goal = goal
        self._stacks: dict[int, list[str]] = {}
        self.clear()

    def clear(self, *_signal: object) -> None:
        """Begin anew."""
        self.files: set[str] = set()
        self.calls: Counter[tuple[str, str]] = Counter()
        self.spine: list[str] = []

    def save(self, *_signal: object) -> None:
        """Write what was seen, whole or not at all."""
        seen = {
            "files": sorted(self.files),
            "calls": [[*pair, count] for pair, count in sorted(self.calls.items())],
            "spine": self.spine,
        }
        Path(f"{self._output}.new").write_text(json.dumps(seen))
        Path(f"{self._output}.new").replace(self._output)

    def profile(self, frame: FrameType, event: str, _argument: object) -> None:
        """Note a call or a return, as `sys.setprofile` tells of it."""
        if event not in ("call", "return"):
            return
        file = _own_file(frame.f_code)
        if file is None:
            return
        stack = self._stacks.setdefault(threading.get_ident(), [])
        if event == "return":
            if stack:
                stack.pop()
            return
        if stack or self._root in ("*", file):
            self._enter(stack, file, frame.f_code.co_name)

    def _enter(self, stack: list[str], file: str, function: str) -> None:
        self.files.add(file)
        if stack and stack[-1] != file:
            self.calls[stack[-1], file] += 1
        stack.append(file)
        if f"{file}:{function}" == self._goal:
            way = list(dict.fromkeys(stack))
            if not self.spine or len(way) < len(self.spine):
                self.spine = way


def _own_file(code: CodeType) -> str | None:
    """Return a function's file below our source; nothing for modules, classes and other code."""
    if not code.co_filename.startswith(SOURCE) or not code.co_flags & inspect.CO_NEWLOCALS:
        return None
    return code.co_filename.removeprefix(SOURCE)


def main() -> None:
    """Trace the program that is named."""
    output, root, goal, *program = sys.argv[1:]
    trace = CallTrace(output, root, goal)
    signal.signal(signal.SIGUSR1, trace.clear)
    signal.signal(signal.SIGUSR2, trace.save)
    leave = os._exit

    def save_and_leave(code: int) -> None:
        sys.setprofile(None)
        trace.save()
        leave(code)

    # The hook leaves without tidying up, which costs it time.
    os._exit = save_and_leave  # type: ignore[assignment]
    module = program[0] == "-m"
    sys.argv = program[1:] if module else program
    threading.setprofile(trace.profile)
    sys.setprofile(trace.profile)
    try:
        if module:
            runpy.run_module(program[1], run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(program[0], run_name="__main__")
    finally:
        sys.setprofile(None)
        trace.save()


if __name__ == "__main__":
    main()
