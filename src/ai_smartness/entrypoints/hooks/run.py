"""One run of the hook, step by step: receive the event, keep it, answer it, note how it went.

Read the one event that the client hands to its hook, with a bound.

The hook's log: one line for each run, with how long it took, and what went wrong.

`2026-11-16T03:18:01Z event=UserPromptSubmit took_ms=21.4 by=daemon kept=1 shown=812`
"""

import os
import time

from ai_smartness.clients.fast_json import dumps
from ai_smartness.clients.registry import load_client
from ai_smartness.settings.paths import HomePaths, hook_home, make_private_folder

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable

    from ai_smartness.clients.hook_event import HookEvent
    from ai_smartness.entrypoints.hooks.turn import HookTurn

    AttemptStep = Callable[[Callable[[], None]], Exception | None]

__all__ = [
    "LOG_FILE",
    "deadline_seconds",
    "hook_home",
    "logged_timings",
    "run",
    "write_log_line",
]


DEADLINE_MS = 150
"""For the whole of it, the start of Python included: a prompt that waits longer is noticed."""

START_DEADLINES = 8
"""The start of a session may take longer: nobody has typed yet, and after a compaction what was
said before it has to be stored first."""

READ_DEADLINES = 20
"""A read was asked for: it may take three seconds before it is said to be late."""


def run(arguments: "list[str]", started: float, attempted: "AttemptStep") -> None:
    """Take the steps of one run, each whatever became of the others."""
    this = HookInvocation(arguments, started, attempted)
    for step in (this.receive, this.keep, this.answer, this.wake, this.note):
        error = attempted(step)
        if error is not None:
            this.troubles.append((step.__name__, error))


class HookInvocation:
    """One event on its way through the hook."""

    def __init__(self, arguments: "list[str]", started: float, attempted: "AttemptStep") -> None:
        self._started = started
        self._attempted = attempted
        self._deadline = deadline_seconds(os.environ)
        self._paths = HomePaths(hook_home(arguments, os.environ))
        self._client = load_client()
        self._event: HookEvent | None = None
        self._log_fields: dict[str, object] = {}
        self._text = ""
        self._turn: HookTurn | None = None
        self.troubles = list[tuple[str, Exception]]()

    def receive(self) -> None:
        """Read the event."""
        text = _read_all(0).decode("utf-8", "replace").removeprefix("\ufeff")
        self._event = self._client.read_event(text)

    def keep(self) -> None:
        """Put what is to be kept into the inbox."""
        if self._event is None or self._event.event_name == "PreToolUse":
            return
        from ai_smartness.clients.event_records import event_records

        records = event_records(self._event, self._paths.home)
        if not records:
            return
        from ai_smartness.entrypoints.daemon.inbox import append_record

        if self._event.event_name == "Stop":
            # For how full the window is, which the daemon reads there.
            records[0]["transcript"] = self._event.text_field("transcript_path")
        make_private_folder(self._paths.home)
        make_private_folder(self._paths.inbox)
        for record in records:
            append_record(self._paths.inbox, record)
        self._log_fields["kept"] = len(records)

    def answer(self) -> None:
        """Print the answer, if there is one."""
        given = self._event
        if given is None or given.event_name not in (
            "PreToolUse",
            "UserPromptSubmit",
            "SessionStart",
        ):
            return
        answer = (
            self._answer_tool(given)
            if given.event_name == "PreToolUse"
            else self._answer_turn(given)
        )
        if answer is None:
            return
        whole = dumps(answer).encode()
        self._log_fields["answered"] = len(whole)
        while whole:
            whole = whole[os.write(1, whole) :]

    def wake(self) -> None:
        """Start the daemon if it was missed; before a compaction have it store what waits."""
        if self._event is not None and self._event.event_name == "PreCompact":
            self._start_turn(self._event).request_drain()
        if self._turn is None or not self._turn.is_daemon_missing:
            return
        from ai_smartness.entrypoints.daemon.spawn import spawn_daemon

        self._log_fields["started"] = spawn_daemon(self._paths)

    def note(self) -> None:
        """Write the log's line: what was done, how long it took, what went wrong."""
        make_private_folder(self._paths.home)
        make_private_folder(self._paths.logs)
        event = self._event.event_name[:40] if self._event else "none"
        if self._turn is not None:
            self._log_fields["by"] = self._turn.answered_by
        for step, error in self.troubles:
            self._log_fields[f"trouble_{step}"] = _error_summary(error)
        took = 1_000 * (time.monotonic() - self._started)
        write_log_line(self._paths.logs, event=event or "none", took_ms=took, **self._log_fields)

    def _answer_turn(self, given: "HookEvent") -> "dict[str, object] | None":
        turn = self._start_turn(given)
        return (
            turn.answer_prompt()
            if given.event_name == "UserPromptSubmit"
            else turn.answer_session_start()
        )

    def _answer_tool(self, given: "HookEvent") -> "dict[str, object] | None":
        from ai_smartness.entrypoints.hooks import virtual_read as virtual

        if virtual.is_our_tool(given):
            return self._client.allow_answer(virtual.OWN_TOOL_REASON)
        path = virtual.requested_path(given)
        if not path:
            return None
        from ai_smartness.redact import redacted_text

        # The answer repeats the question, and is a file.
        asked = redacted_text(path)
        tool_input = virtual.redirected_input(
            given, self._paths.recalls, lambda: self._read_path(given, asked)
        )
        return self._client.redirect_answer(tool_input, virtual.REASON)

    def _read_path(self, given: "HookEvent", path: str) -> str:
        turn = self._start_turn(given)

        def read() -> None:
            self._text = turn.read_path(path, self._started + READ_DEADLINES * self._deadline)

        error = self._attempted(read)
        if error is None:
            return self._text
        self.troubles.append(("read", error))
        return (
            f"The memory could not be read: {type(error).__name__}. Nothing was changed. "
            "Read the same path again, or run `ais doctor`."
        )

    def _start_turn(self, given: "HookEvent") -> "HookTurn":
        from ai_smartness.entrypoints.hooks.turn import HookTurn

        patience = START_DEADLINES if given.event_name == "SessionStart" else 1
        until = self._started + patience * self._deadline
        self._turn = HookTurn(self._client, given, self._paths, until)
        return self._turn


def deadline_seconds(environ: "os._Environ[str] | dict[str, str]") -> float:
    """Return how long all of it may take."""
    given = environ.get("AIS_HOOK_DEADLINE_MS", "")
    return (int(given) if given.isdecimal() else DEADLINE_MS) / 1_000


def _error_summary(error: Exception) -> str:
    import traceback

    where = traceback.extract_tb(error.__traceback__)[-1:]
    place = "".join(f"{os.path.basename(each.filename)}:{each.lineno}" for each in where)
    return f"{type(error).__name__}@{place}:{error}"


MAX_INPUT_BYTES = 64_000_000
"""A tool's result can be a whole file; more than this is an accident."""

_PIECE_BYTES = 1 << 20


def _read_all(handle: int) -> bytes:
    pieces, left = [], MAX_INPUT_BYTES
    while piece := os.read(handle, _PIECE_BYTES):
        left -= len(piece)
        if left < 0:
            msg = f"the hook's input is over {MAX_INPUT_BYTES:,} bytes"
            raise ValueError(msg)
        pieces.append(piece)
    return b"".join(pieces)


LOG_FILE = "hook.log"
MAX_LOG_BYTES = 1_000_000
"""Some ten thousand runs; the file before it is kept as well."""

MAX_VALUE_CHARACTERS = 4_000


def write_log_line(folder: str, **told: object) -> None:
    """Add a line; a log that cannot be written is nobody's concern."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    from ai_smartness.redact import redacted_text

    values = redacted_text(" ".join(f"{name}={_log_word(value)}" for name, value in told.items()))
    path = os.path.join(folder, LOG_FILE)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(handle, f"{stamp} {values}\n".encode("utf-8", "backslashreplace"))
        full = os.fstat(handle).st_size > MAX_LOG_BYTES
    finally:
        os.close(handle)
    if full:
        os.replace(path, f"{path}.1")


def logged_timings(folder: str) -> "list[tuple[str, float]]":
    """Return which event took how many milliseconds, the oldest first, as far as the log goes."""
    found = list[tuple[str, float]]()
    for name in (f"{LOG_FILE}.1", LOG_FILE):
        try:
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                lines = file.read().splitlines()
        except FileNotFoundError:
            continue
        for line in lines:
            told = dict(each.partition("=")[::2] for each in line.split(" "))
            if "event" in told and told.get("took_ms", "").replace(".", "", 1).isdecimal():
                found.append((told["event"], float(told["took_ms"])))
    return found


def _log_word(value: object) -> str:
    text = f"{value:.1f}" if isinstance(value, float) else str(value)
    # So that a line stays a line, and a word a word.
    return "_".join(text[:MAX_VALUE_CHARACTERS].split()) or "-"
