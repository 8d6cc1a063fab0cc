"""One run of the hook, step by step: read the event, capture it, answer it, write the log.

A line of the log:
`2026-11-16T03:18:01Z event=UserPromptSubmit took_ms=21.4 kept=1 by=daemon project=20391`
"""

import os
import time

from ai_smartness.clients.fast_json import dumps
from ai_smartness.clients.registry import DEFAULT_CLIENT, load_client
from ai_smartness.settings.paths import HomePaths, command_option, hook_home, make_private_folder
from ai_smartness.text.markers import respelled_reads

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ai_smartness.clients.hook_event import HookEvent
    from ai_smartness.entrypoints.hooks.turn import HookTurn

    AttemptStep = Callable[[Callable[[], None]], Exception | None]

__all__ = ["LOG_FILE", "deadline_seconds", "run", "write_log_line"]

DEADLINE_MS = 1_000
"""For a prompt, the start of Python included: the daemon answers in a tenth of it, but a busy
machine takes longer, and a prompt without its memory is worse than one that waits a second."""

KEYWORDS_SHARE = 0.12
"""The share of the deadline after which the hook's own search by keywords begins."""

START_SHARE = 1.2
"""The start of a session may take longer: nobody has typed yet, and after a compaction the
messages before it must be stored first."""

READ_SHARE = 3.0
"""An agent that reads a path waits for the answer: three seconds before it counts as late."""

MAX_INPUT_BYTES = 64_000_000  # a tool's result can be a whole file; more than this is an accident

LOG_FILE = "hook.log"
MAX_LOG_BYTES = 1_000_000  # about ten thousand runs; one older file is kept as well
MAX_VALUE_CHARACTERS = 4_000
MAX_PLAIN_CHARACTERS = 20
"""The name of an event, or of who answered: too short for a secret, so not searched for one."""

TOLD_EVENTS = ("UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop")
"""The events at which the client shows the person a notice of a hook."""

_PIECE_BYTES = 1 << 20


class OversizeError(ValueError):
    """The event is too large to be read."""


def run(arguments: "list[str]", started: float, attempt: "AttemptStep") -> None:
    """Take the steps of one run, each whether or not the others failed."""
    invocation = HookInvocation(arguments, started, attempt)
    for step in (
        invocation.receive,
        invocation.keep,
        invocation.answer,
        invocation.wake,
        invocation.note,
    ):
        error = attempt(step)
        if error is not None:
            invocation.failures.append((step.__name__, error))
            if step.__name__ == "keep" or isinstance(error, OversizeError):
                invocation.count_loss(error)


class HookInvocation:
    """One event on its way through the hook. The log names a failed step by its method."""

    def __init__(self, arguments: "list[str]", started: float, attempt: "AttemptStep") -> None:
        self._started = started
        self._attempt = attempt
        self._deadline = deadline_seconds(os.environ)
        self._paths = HomePaths(hook_home(arguments, os.environ))
        self._client = load_client(command_option(arguments, "--client") or DEFAULT_CLIENT)
        self._event_name = command_option(arguments, "--event")
        self._cwd = ""
        self._event: HookEvent | None = None
        self._log_fields: dict[str, object] = {}
        self._text = ""
        self._notice = ""
        self._answer: dict[str, object] | None = None
        self._prompt_id = ""
        self._turn: HookTurn | None = None
        self.failures = list[tuple[str, Exception]]()

    def receive(self) -> None:
        """Read the event."""
        text = _read_all(0).decode("utf-8", "replace").removeprefix("\ufeff")
        event = self._client.read_event(text, self._event_name)
        self._event_name, self._cwd = event.event_name, event.cwd
        # A tool that is about to read a virtual path asks, and what is asked is answered.
        if event.event_name != "PreToolUse" and self._is_off(event.cwd):
            self._log_fields["off"] = True
            return
        self._event = event

    def _is_off(self, cwd: str) -> bool:
        if "AIS_OFF" not in os.environ and not os.path.exists(f"{self._paths.home}/off.json"):
            return False
        from ai_smartness.clients.off_switch import is_off

        return is_off(self._paths.home, cwd, time.time(), os.environ)

    def keep(self) -> None:
        """Append the event's records to the inbox."""
        event = self._event
        if event is None or event.event_name == "PreToolUse":
            return
        from ai_smartness.clients.event_records import event_records

        records = event_records(event, self._paths.home)
        if not records:
            return
        from ai_smartness.entrypoints.daemon.inbox import append_record

        if event.event_name == "Stop":
            # The daemon reads there how full the context window is.
            records[0]["transcript"] = event.text_field("transcript_path")
        make_private_folder(self._paths.home)
        make_private_folder(self._paths.inbox)
        for record in records:
            append_record(self._paths.inbox, record)
        self._prompt_id = str(records[0]["id"])
        self._log_fields["kept"] = len(records)

    def count_loss(self, error: Exception) -> None:
        """Count an event that could not be kept, and prepare a notice of it for the person."""
        can_tell = self._event is None or self._event.event_name in TOLD_EVENTS
        is_news = [can_tell]

        def count() -> None:
            from ai_smartness.entrypoints.daemon.inbox import count_lost_event

            make_private_folder(self._paths.home)
            make_private_folder(self._paths.run)
            is_news[0] = count_lost_event(self._paths.run, can_tell=can_tell)

        uncounted = self._attempt(count)
        if is_news[0]:
            reason = getattr(error, "strerror", None) or f"{type(error).__name__} {error}"
            once = "" if uncounted else " This is said once; `ais status` counts them."
            self._notice = (
                f"ai_smartness could not keep this for its memory in {self._paths.home}: {reason}. "
                f"Your session goes on; `ais doctor` says what to do.{once}"
            )

    def answer(self) -> None:
        """Print the answer, if there is one, and the notice, also if there is no answer."""
        error = self._attempt(self._find_answer)
        is_answered, printed = self._answer is not None, self._answer
        if self._notice:
            printed = self._client.notice_answer(printed, self._notice)
        if printed is not None:
            self._print_answer(printed, is_answered=is_answered)
        if error is not None:
            raise error

    def _find_answer(self) -> None:
        self._answer = None if self._event is None else self._answer_to(self._event)

    def _print_answer(self, answer: "dict[str, object]", *, is_answered: bool) -> None:
        line = dumps(answer).encode()
        if is_answered:
            self._log_fields["answered"] = len(line)
        while line:
            line = line[os.write(1, line) :]
        if self._turn is not None and self._event is not None:
            self._keep_printed_mark(self._event, self._turn)
            self._turn.confirm_printed()

    def wake(self) -> None:
        """Spawn a missing daemon; before a compaction, have it drain the inbox."""
        if self._event is not None and self._event.event_name == "PreCompact":
            self._start_turn(self._event).request_drain()
        if self._turn is None or not self._turn.is_daemon_missing:
            return
        from ai_smartness.entrypoints.daemon.spawn import spawn_daemon

        self._log_fields["started"] = spawn_daemon(self._paths)

    def note(self) -> None:
        """Write the line of the log: what was done, how long it took, what failed."""
        make_private_folder(self._paths.home)
        make_private_folder(self._paths.logs)
        if self._client.name != DEFAULT_CLIENT:
            self._log_fields["client"] = self._client.name
        if self._turn is not None:
            self._log_fields["by"] = self._turn.answered_by
            if self._turn.is_in_sight:
                self._log_fields["in_sight"] = True
            if self._turn.is_unneeded:
                self._log_fields["unneeded"] = True
            if self._turn.is_repeated:
                self._log_fields["repeated"] = True
        for step, error in self.failures:
            self._log_fields[f"trouble_{step}"] = _error_summary(error)
        # A folder whose name is no text has no project, and its run is logged all the same.
        self._attempt(self._note_project)
        took_ms = 1_000 * (time.monotonic() - self._started)
        name = self._event_name[:40] or "none"
        write_log_line(self._paths.logs, event=name, took_ms=took_ms, **self._log_fields)

    def _note_project(self) -> None:
        from ai_smartness.clients.project import project_at, project_number

        if self._cwd:
            name = project_at(self._cwd, self._paths.home).name
            self._log_fields["project"] = project_number(name)

    def _keep_printed_mark(self, event: "HookEvent", turn: "HookTurn") -> None:
        """Let the daemon know what was printed without it, so that it is not repeated."""
        if not turn.brief_digest and not turn.printed_lines:
            return
        from ai_smartness.clients.event_records import brief_record, printed_record
        from ai_smartness.entrypoints.daemon.inbox import append_record

        make_private_folder(self._paths.inbox)
        if turn.brief_digest:
            append_record(self._paths.inbox, brief_record(event, turn.brief_digest))
        if turn.printed_lines:
            record = printed_record(event, turn.printed_lines, self._prompt_id)
            append_record(self._paths.inbox, record)

    def _answer_to(self, event: "HookEvent") -> "dict[str, object] | None":
        match event.event_name:
            case "UserPromptSubmit":
                return self._start_turn(event).answer_prompt()
            case "SessionStart":
                return self._start_turn(event).answer_session_start()
            case "SubagentStart":
                return self._start_turn(event).answer_subagent_start()
            case "PreToolUse":
                return self._answer_tool(event)
        return None

    def _answer_tool(self, event: "HookEvent") -> "dict[str, object] | None":
        from ai_smartness.entrypoints.hooks import virtual_read

        if virtual_read.is_our_tool(event):
            return self._client.allow_answer(virtual_read.OWN_TOOL_REASON)
        path = virtual_read.requested_path(event)
        if not path:
            return None
        from ai_smartness.redact import redacted_text

        # The answer repeats the path, and is written to a file.
        path = redacted_text(path)
        folder = self._client.answer_folder(event) or self._paths.recalls
        tool_input = virtual_read.redirected_input(
            event, folder, lambda: self._read_path(event, path)
        )
        return self._client.redirect_answer(tool_input, virtual_read.REASON)

    def _read_path(self, event: "HookEvent", path: str) -> str:
        turn = self._start_turn(event)

        def read() -> None:
            self._text = turn.read_path(path, self._started + READ_SHARE * self._deadline)

        error = self._attempt(read)
        if error is None:
            return respelled_reads(self._text, self._client.read_call)
        self.failures.append(("read", error))
        return (
            f"The memory could not be read: {type(error).__name__}. Nothing was changed. "
            "Read the same path again, or run `ais doctor`."
        )

    def _start_turn(self, event: "HookEvent") -> "HookTurn":
        from ai_smartness.entrypoints.hooks.turn import HookTurn

        share = START_SHARE if event.event_name == "SessionStart" else 1
        deadline = self._started + share * self._deadline
        keywords_from = self._started + KEYWORDS_SHARE * self._deadline
        self._turn = HookTurn(self._client, event, self._paths, deadline, keywords_from)
        return self._turn


def deadline_seconds(environ: "Mapping[str, str]") -> float:
    """Return how long one run may take."""
    milliseconds = environ.get("AIS_HOOK_DEADLINE_MS", "")
    return (int(milliseconds) if milliseconds.isdecimal() else DEADLINE_MS) / 1_000


def write_log_line(folder: str, **fields: object) -> None:
    """Append a line to the log, and rotate the log when it is full."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    values = " ".join(f"{name}={_log_word(value)}" for name, value in fields.items())
    path = f"{folder}/{LOG_FILE}"
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(handle, f"{stamp} {values}\n".encode("utf-8", "backslashreplace"))
        is_full = os.fstat(handle).st_size > MAX_LOG_BYTES
    finally:
        os.close(handle)
    if is_full:
        os.replace(path, f"{path}.1")


def _read_all(handle: int) -> bytes:
    pieces, left = [], MAX_INPUT_BYTES
    while piece := os.read(handle, _PIECE_BYTES):
        left -= len(piece)
        if left < 0:
            msg = f"the hook's input is over {MAX_INPUT_BYTES:,} bytes"
            raise OversizeError(msg)
        pieces.append(piece)
    return b"".join(pieces)


def _error_summary(error: Exception) -> str:
    import traceback

    frames = traceback.extract_tb(error.__traceback__)[-1:]
    place = "".join(f"{os.path.basename(frame.filename)}:{frame.lineno}" for frame in frames)
    return f"{type(error).__name__}@{place}:{error}"


def _log_word(value: object) -> str:
    text = f"{value:.1f}" if isinstance(value, float) else str(value)
    # Neither a line break nor a blank: the log is read by lines and words.
    word = "_".join(text[:MAX_VALUE_CHARACTERS].split()) or "-"
    if not isinstance(value, str) or (word.isalpha() and len(word) <= MAX_PLAIN_CHARACTERS):
        return word
    from ai_smartness.redact import redacted_text

    return redacted_text(word)
