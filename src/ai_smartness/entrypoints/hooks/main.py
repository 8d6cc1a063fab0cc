"""The hook: an event on standard input, one JSON answer or nothing on standard output.

Whatever happens it exits with 0 and prints nothing else: an agent's turn must never fail when
its memory does. Short, because Python compiles the file it is started with every time.
"""

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

STARTED = time.monotonic() - time.process_time()
"""When the process began: its start-up time counts too."""


def attempt_step(step: "Callable[[], None]") -> "Exception | None":
    """Take a step; return the error instead of failing."""
    try:
        step()
    except Exception as error:  # noqa: BLE001 - see above
        return error
    return None


if __name__ == "__main__":
    try:
        if not os.environ.get("AI_SMARTNESS_HOOK_RUNNING"):
            # Started with -S and -I, Python knows no packages but its own.
            sys.path.append(os.path.realpath(__file__).rsplit("/", 4)[0])
            from ai_smartness.entrypoints.hooks.run import run

            run(sys.argv[1:], STARTED, attempt_step)
    finally:
        # At once: a process that is about to end needs no tidying up.
        os._exit(0)
