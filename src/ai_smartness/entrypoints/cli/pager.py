"""Long output in a terminal goes through the user's pager, as git's does.

What fits on the screen is printed directly. `PAGER=cat` or an empty PAGER turns this off.
"""

import io
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import wraps
from typing import ParamSpec, TypeVar

__all__ = ["paged", "pager_command"]

DEFAULT_PAGER = "less"
LESS_OPTIONS = "-R"  # show colours; unless the user's LESS says otherwise

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class CollectedOutput(io.TextIOWrapper):
    """What a command prints, kept until it is complete; it passes for the terminal."""

    def isatty(self) -> bool:
        """Say yes, so that colours and the width are those of the terminal."""
        return True


def paged(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Show what a command prints in the pager, if it is longer than the screen."""

    @wraps(function)
    def run(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        with _paged_output():
            return function(*args, **kwargs)

    return run


def pager_command(environ: Mapping[str, str]) -> list[str]:
    """Return the words that start the pager; none if there is none or it is turned off."""
    chosen = environ.get("PAGER", DEFAULT_PAGER)
    try:
        words = shlex.split(chosen)
    except ValueError:
        return []
    if not words or words[0] == "cat" or shutil.which(words[0], path=environ.get("PATH")) is None:
        return []
    is_plain_less = words == [DEFAULT_PAGER] and "LESS" not in environ
    return [*words, LESS_OPTIONS] if is_plain_less else words


@contextmanager
def _paged_output() -> Iterator[None]:
    command = pager_command(os.environ)
    if not command or not sys.stdout.isatty() or isinstance(sys.stdout, CollectedOutput):
        yield
        return
    terminal, kept = sys.stdout, io.BytesIO()
    sys.stdout = CollectedOutput(kept, encoding=terminal.encoding, errors="backslashreplace")
    try:
        yield
    finally:
        sys.stdout.flush()
        output = kept.getvalue()
        sys.stdout = terminal
        _show(output, command)


def _show(output: bytes, command: list[str]) -> None:
    columns, rows = shutil.get_terminal_size()
    lines = output.count(b"\n") + sum(len(line) // (2 * columns) for line in output.split(b"\n"))
    if lines < rows or not _is_read(output, command):
        sys.stdout.buffer.write(output)
        sys.stdout.flush()


def _is_read(output: bytes, command: list[str]) -> bool:
    """Give the output to the pager and wait for it; say whether it could be started."""
    try:
        pager = subprocess.Popen(command, stdin=subprocess.PIPE)  # noqa: S603 - the user's own PAGER
    except OSError:
        return False
    with suppress(BrokenPipeError, KeyboardInterrupt):
        pager.communicate(output)
    while pager.poll() is None:
        # Ctrl-C is for the pager, which stops a search or stays.
        with suppress(KeyboardInterrupt):
            pager.wait()
    return True
