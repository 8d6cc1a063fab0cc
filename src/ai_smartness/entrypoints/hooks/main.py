"""The hook: an event on standard input, one JSON answer or nothing on standard output.

Whatever happens it exits with 0 and prints nothing else: an agent's turn must never fail when
its memory does. Short, because Python compiles the file it is started with every time.
"""

import gc
import marshal
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

STARTED = time.monotonic() - time.process_time()
"""When the process began: its start-up time counts too."""

gc.disable()  # a process that is about to end leaves no garbage behind


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
            folder = os.path.realpath(__file__).rpartition("/")[0]
            sys.path.append(folder.rsplit("/", 3)[0])
            cache = f"{folder}/__pycache__/hook-{sys.hexversion:x}.modules"
            scope: "dict[str, Callable[..., bool]]" = {}
            try:
                handle = os.open(cache, os.O_RDONLY)
                size = int.from_bytes(os.read(handle, 4), "big")
                code, modules = marshal.loads(os.read(handle, size))
                exec(code, scope)
                scope["use_modules"](handle, modules)
            except Exception:  # noqa: BLE001, S110 - Python then loads each module from its own file
                pass
            from ai_smartness.entrypoints.hooks.run import run

            run(sys.argv[1:], STARTED, attempt_step)
            if not scope or not scope["is_complete"]():
                from ai_smartness.entrypoints.hooks.code_cache import write_modules

                write_modules(cache)
    finally:
        # At once: a process that is about to end needs no tidying up.
        os._exit(0)
