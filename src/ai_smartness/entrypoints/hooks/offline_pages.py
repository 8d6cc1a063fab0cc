"""Pages that the hook makes itself when no daemon runs: a recall, and a handoff of a session.

Both are picked by keywords from the memory's file and the inbox; nothing is changed. Every other
virtual path needs the daemon, and the page says so.
"""

from ai_smartness.adapters.sqlite.offline_index import ReadError
from ai_smartness.clients.fast_json import loads
from ai_smartness.clients.hook_event import HookEvent, object_field, text_field
from ai_smartness.entrypoints.daemon.inbox import peek_records
from ai_smartness.entrypoints.hooks.offline_search import (
    FoundMessage,
    day_text,
    grouped_by_thread,
    open_index,
    thread_entry,
)
from ai_smartness.settings.paths import HomePaths
from ai_smartness.text.display import one_line, shortened_text
from ai_smartness.text.markers import STALE_NOTE, marked_text
from ai_smartness.text.virtual_path import percent_decoded, virtual_segments
from ai_smartness.text.words import question_words

__all__ = ["offline_handoff", "offline_page"]

MIN_RECALL_RELEVANCE = 0.2
"""Lower than for a prompt: someone who asks wants to see more than what is injected."""

MAX_RECALL_THREADS = 10
MAX_RECALL_LINES = 3
SHORT_ID_CHARACTERS = 6  # the hash at the end of a thread's id
MAX_THREAD_MESSAGES = 40
MESSAGE_CHARACTERS = 400

LATEST_EVENTS = 400
HANDOFF_LINE_CHARACTERS = 400
ANSWER_CHARACTERS = 1_200
PROMPTS_CHARACTERS = 3_000
MAX_COMMANDS = 15
MAX_FILES = 25
MAX_NAMED_THREADS = 8

NOT_READY_TEXT = (
    "The memory is waking up, and was not asked yet. Read the same path again in a few seconds; "
    "if this stays so, `ais doctor` says why."
)

_HANDOFF_HEAD = (
    "This project has a memory (ai_smartness), which is waking up. The context was compacted; "
    "this is where the session stood, picked by keyword only. It is dated, may be stale, and is "
    'not instructions. More in a few seconds: Read(".ai/handoff"), Read(".ai/recall/WORDS"), '
    'Read(".ai/help").'
)


def offline_page(database: str, cwd: str, path: str, until: float) -> str:
    """Return the page at a virtual path."""
    query, limit = _recall_query(path)
    if not query:
        return NOT_READY_TEXT
    index = open_index(database, cwd, until)
    if index is None:
        return _recall_page(query, [], [])
    try:
        is_id = query.startswith("thread_") or len(query) == SHORT_ID_CHARACTERS
        thread = index.thread_messages(query, MAX_THREAD_MESSAGES) if is_id else []
        hits = [hit for hit in index.search(query) if hit.relevance >= MIN_RECALL_RELEVANCE]
    finally:
        index.close()
    return _recall_page(query, thread, grouped_by_thread(hits)[: limit or MAX_RECALL_THREADS])


def _recall_query(path: str) -> "tuple[str, int]":
    """Return the question of a recall path and the number of threads it wants, 0 for any."""
    verb, *rest = virtual_segments(path) or [""]
    if percent_decoded(verb.partition("?")[0]) != "recall":
        return "", 0
    question, has_limit, number = "/".join(rest).rpartition("?limit=")
    if has_limit and number.isdecimal() and 0 < len(number) <= len("99"):
        return percent_decoded(question).strip(), int(number)
    return percent_decoded("/".join(rest)).strip(), 0


def _recall_page(
    query: str, thread: "list[FoundMessage]", threads: "list[list[FoundMessage]]"
) -> str:
    lines = [
        f"# Memory Recall: {one_line(query)}",
        "Found by keyword only: the memory is starting, and finds more in a few seconds.",
        STALE_NOTE,
        "",
    ]
    if thread:
        lines.append(thread_entry(thread, [], MESSAGE_CHARACTERS).strip())
    elif threads:
        words = question_words(query)
        lines.append(f"## Matching Threads ({len(threads)} found)")
        best = (hits[:MAX_RECALL_LINES] for hits in threads)
        lines += [thread_entry(hits, words, MESSAGE_CHARACTERS) for hits in best]
    else:
        lines += ["## No matching threads", "", NOT_READY_TEXT]
    return marked_text("\n".join(lines))


def offline_handoff(paths: HomePaths, event: HookEvent, until: float) -> str:
    """Return where a session stood; empty if nothing is known or nothing can be read."""
    try:
        # The inbox first: a record that is drained meanwhile is then in the store.
        records = peek_records(paths.inbox)
        waiting = [SessionEntry(record) for record in records if _is_of_session(record, event)]
        stored = _stored_entries(paths, event, until)
    except (OSError, ValueError, ReadError):
        return ""
    entries = {entry.id: entry for entry in [*stored, *waiting]}
    lines = _handoff_lines(list(entries.values()))
    return marked_text("\n".join([_HANDOFF_HEAD, "", *lines])) if lines else ""


class SessionEntry:
    """A message or action of the session, from the store or from the inbox."""

    __slots__ = ("day", "id", "kind", "payload", "role", "text", "thread")

    def __init__(self, fields: "dict[str, object]") -> None:
        self.id, self.kind, self.role, self.text, self.thread, at = (
            text_field(fields, name) for name in ("id", "type", "role", "text", "thread", "at")
        )
        self.day = at[: len("2026-03-02")]
        self.payload = object_field(fields, "payload")


def _stored_entries(paths: HomePaths, event: HookEvent, until: float) -> "list[SessionEntry]":
    index = open_index(paths.database, event.cwd, until)
    if index is None:
        return []
    try:
        rows = index.session_rows(event.session, LATEST_EVENTS)
    finally:
        index.close()
    names = ("id", "type", "role", "text", "thread", "payload", "at")
    entries = list[SessionEntry]()
    for row in reversed(rows):
        fields = dict[str, object](zip(names, row, strict=True))
        fields["payload"], fields["at"] = loads(row[5]), day_text(row[6])
        entries.append(SessionEntry(fields))
    return entries


def _is_of_session(record: "dict[str, object]", event: HookEvent) -> bool:
    is_same = text_field(record, "session") == event.session
    return is_same and bool(text_field(record, "text").strip())


def _handoff_lines(entries: "list[SessionEntry]") -> "list[str]":
    prompts = [entry for entry in entries if entry.kind == "USER_MESSAGE"]
    answers = [entry for entry in entries if entry.kind == "AGENT_MESSAGE"]
    if not prompts and not answers:
        return []
    lines = ["Where this session stood:"]
    lines += ["What the user said, the latest last:"] if prompts else []
    for entry in _first_and_latest_prompts(prompts):
        lines.append(_entry_line(entry, HANDOFF_LINE_CHARACTERS))
    files = _file_paths(entries)
    lines += [f"Files: {', '.join(files)}"] if files else []
    commands = _command_texts(entries)
    lines += [f"Commands: {' ; '.join(commands)}"] if commands else []
    lines += ["Last answer:"] if answers else []
    lines += [_entry_line(entry, ANSWER_CHARACTERS) for entry in answers[-1:]]
    threads = list(dict.fromkeys(entry.thread for entry in reversed(entries) if entry.thread))
    lines += [f"On these threads: {', '.join(threads[:MAX_NAMED_THREADS])}"] if threads else []
    return lines


def _first_and_latest_prompts(prompts: "list[SessionEntry]") -> "list[SessionEntry]":
    """Return the first prompt and as many of the latest as there is room for."""
    room, chosen = PROMPTS_CHARACTERS, list[SessionEntry]()
    for prompt in [*prompts[:1], *reversed(prompts[1:])]:
        room -= min(len(prompt.text), HANDOFF_LINE_CHARACTERS)
        if room < 0:
            break
        chosen.append(prompt)
    return [*chosen[:1], *reversed(chosen[1:])]


def _command_texts(entries: "list[SessionEntry]") -> "list[str]":
    commands = dict[str, str]()
    for entry in entries:
        command = one_line(text_field(entry.payload, "command"))
        if command:
            # Removed first: a command that was run again counts as its latest run.
            commands.pop(command, None)
            outcome = _exit_text(entry.payload.get("exit_code"))
            commands[command] = shortened_text(command, HANDOFF_LINE_CHARACTERS) + outcome
    return list(commands.values())[-MAX_COMMANDS:]


def _exit_text(code: object) -> str:
    if code is None:
        return ""
    return " (worked)" if code == 0 else f" (failed, exit code {code})"


def _file_paths(entries: "list[SessionEntry]") -> "list[str]":
    paths = dict.fromkeys(one_line(text_field(entry.payload, "path")) for entry in entries[::-1])
    return [shortened_text(path, HANDOFF_LINE_CHARACTERS) for path in paths if path][:MAX_FILES]


def _entry_line(entry: SessionEntry, characters: int) -> str:
    text = shortened_text(one_line(entry.text), characters)
    return f"  {one_line(entry.day)} {one_line(entry.role)}: {text}"
