"""One run of the hook, step by step: receive the event, keep it, answer it, note how it went."""

import os
import time

from ai_smartness.entrypoints.daemon.whereabouts import Whereabouts, private_folder
from ai_smartness.entrypoints.hooks.received import received
from ai_smartness.watch.given import Given
from ai_smartness.watch.quick_json import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ai_smartness.entrypoints.hooks.turn import Turn

    Attempted = Callable[[Callable[[], None]], Exception | None]

__all__ = ["deadline_seconds", "home_of", "run"]

DEADLINE_MS = 150
"""For the whole of it, the start of Python included: a prompt that waits longer is noticed."""

START_DEADLINES = 8
"""The start of a session may take longer: nobody has typed yet, and after a compaction what was
said before it has to be stored first."""

READ_DEADLINES = 20
"""A read was asked for: it may take three seconds before it is said to be late."""


def run(arguments: "list[str]", started: float, attempted: "Attempted") -> None:
    """Take the steps of one run, each whatever became of the others."""
    this = Run(arguments, started, attempted)
    for step in (this.receive, this.keep, this.answer, this.wake, this.note):
        error = attempted(step)
        if error is not None:
            this.troubles.append((step.__name__, error))


class Run:
    """One event on its way through the hook."""

    def __init__(self, arguments: "list[str]", started: float, attempted: "Attempted") -> None:
        self._started = started
        self._attempted = attempted
        self._deadline = deadline_seconds(os.environ)
        self._where = Whereabouts(home_of(arguments, os.environ))
        self._given: Given | None = None
        self._told: dict[str, object] = {}
        self._text = ""
        self._turn: Turn | None = None
        self.troubles = list[tuple[str, Exception]]()

    def receive(self) -> None:
        """Read the event."""
        self._given = received(0)

    def keep(self) -> None:
        """Put what is to be kept into the inbox."""
        if self._given is None or self._given.event == "PreToolUse":
            return
        from ai_smartness.watch.kept import kept  # noqa: PLC0415 - not for every event

        records = kept(self._given, self._where.home)
        if not records:
            return
        from ai_smartness.entrypoints.daemon.inbox import append  # noqa: PLC0415

        if self._given.event == "Stop":
            # For how full the window is, which the daemon reads there.
            records[0]["transcript"] = self._given.text("transcript_path")
        private_folder(self._where.home)
        private_folder(self._where.inbox)
        for record in records:
            append(self._where.inbox, record)
        self._told["kept"] = len(records)

    def answer(self) -> None:
        """Print the answer, if there is one."""
        given = self._given
        if given is None or given.event not in ("PreToolUse", "UserPromptSubmit", "SessionStart"):
            return
        answer = (
            self._before_tool(given) if given.event == "PreToolUse" else self._before_turn(given)
        )
        if answer is None:
            return
        whole = dumps(answer).encode()
        self._told["answered"] = len(whole)
        while whole:
            whole = whole[os.write(1, whole) :]

    def wake(self) -> None:
        """Start the daemon if it was missed; before a compaction have it store what waits."""
        if self._given is not None and self._given.event == "PreCompact":
            self._turn_of(self._given).saved()
        if self._turn is None or not self._turn.is_alone:
            return
        from ai_smartness.entrypoints.daemon.client import start  # noqa: PLC0415 - seldom

        self._told["started"] = start(self._where)

    def note(self) -> None:
        """Write the log's line: what was done, how long it took, what went wrong."""
        from ai_smartness.entrypoints.hooks.log import write  # noqa: PLC0415 - once all is answered

        private_folder(self._where.home)
        private_folder(self._where.logs)
        event = self._given.event[:40] if self._given else "none"
        if self._turn is not None:
            self._told["by"] = self._turn.by
        for step, error in self.troubles:
            self._told[f"trouble_{step}"] = _described(error)
        took = 1_000 * (time.monotonic() - self._started)
        write(self._where.logs, event=event or "none", took_ms=took, **self._told)

    def _before_turn(self, given: Given) -> "dict[str, object] | None":
        turn = self._turn_of(given)
        return turn.injected() if given.event == "UserPromptSubmit" else turn.greeted()

    def _before_tool(self, given: Given) -> "dict[str, object] | None":
        from ai_smartness.entrypoints.hooks import virtual  # noqa: PLC0415 - for tools alone

        if virtual.is_our_tool(given):
            return virtual.our_tool_allowed()
        path = virtual.asked_for(given)
        if not path:
            return None
        from ai_smartness.redact import redacted  # noqa: PLC0415 - for what is asked of us alone

        # The answer repeats the question, and is a file.
        asked = redacted(path)
        return virtual.served(given, self._where.recalls, lambda: self._read(given, asked))

    def _read(self, given: Given, path: str) -> str:
        turn = self._turn_of(given)

        def read() -> None:
            self._text = turn.read(path, self._started + READ_DEADLINES * self._deadline)

        error = self._attempted(read)
        if error is None:
            return self._text
        self.troubles.append(("read", error))
        return (
            f"The memory could not be read: {type(error).__name__}. Nothing was changed. "
            "Read the same path again, or run `ais doctor`."
        )

    def _turn_of(self, given: Given) -> "Turn":
        from ai_smartness.entrypoints.hooks.turn import Turn  # noqa: PLC0415 - not for every event

        patience = START_DEADLINES if given.event == "SessionStart" else 1
        self._turn = Turn(given, self._where, self._started + patience * self._deadline)
        return self._turn


def home_of(arguments: "list[str]", environ: "os._Environ[str] | dict[str, str]") -> str:
    """Name the memory's folder: what the environment says, what the installer wrote, the usual."""
    after = arguments.index("--home") + 1 if "--home" in arguments else len(arguments)
    given = "".join(arguments[after : after + 1])
    named = environ.get("AIS_HOME") or given
    if not named:
        data = environ.get("XDG_DATA_HOME") or "~/.local/share"
        named = f"{data}/ai_smartness"
    return os.path.abspath(os.path.expanduser(named))  # noqa: PTH100, PTH111 - pathlib costs ten milliseconds


def deadline_seconds(environ: "os._Environ[str] | dict[str, str]") -> float:
    """Return how long all of it may take."""
    given = environ.get("AIS_HOOK_DEADLINE_MS", "")
    return (int(given) if given.isdecimal() else DEADLINE_MS) / 1_000


def _described(error: Exception) -> str:
    import traceback  # noqa: PLC0415 - only when something went wrong

    where = traceback.extract_tb(error.__traceback__)[-1:]
    place = "".join(f"{os.path.basename(each.filename)}:{each.lineno}" for each in where)  # noqa: PTH119
    return f"{type(error).__name__}@{place}:{error}"
