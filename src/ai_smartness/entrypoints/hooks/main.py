"""The hook: an event on standard input, one JSON answer or nothing on standard output.

Whatever happens it exits with 0 and prints nothing else: an agent's turn must never fail when
its memory does. Kept short, for Python compiles the file that it is started with each time.
"""

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

STARTED = time.monotonic() - time.process_time()
"""When the process began: what its start has cost counts too."""


def attempt_step(step: "Callable[[], None]") -> "Exception | None":
    """Take a step; return what went wrong instead of failing."""
    try:
        step()
    except Exception as error:  # noqa: BLE001 - see above
        return error
    return None


if __name__ == "__main__":
    try:
        if not os.environ.get("AI_SMARTNESS_HOOK_RUNNING"):
            # Started with -S and -I, Python knows of no package but its own.
            sys.path.append(os.path.realpath(__file__).rsplit("/", 4)[0])
            from ai_smartness.entrypoints.hooks.run import run

            run(sys.argv[1:], STARTED, attempt_step)
    finally:
        # At once: there is nothing to tidy up in a process that is about to end.
        os._exit(0)
