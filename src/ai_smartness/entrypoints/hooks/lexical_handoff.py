"""Say where a session stood when no daemon can, from what is stored and what still waits.

What the user said, what was changed and run, and the last answer: picked, not worked out. Reads
the memory's file and the inbox, and changes nothing.
"""

import _sqlite3

from ai_smartness.entrypoints.daemon.inbox import looked_at
from ai_smartness.entrypoints.daemon.whereabouts import Whereabouts
from ai_smartness.entrypoints.hooks.lexical import opened
from ai_smartness.entrypoints.hooks.lexical_text import (
    MEMORY_CLOSE,
    MEMORY_OPEN,
    day_of,
    one_line,
)
from ai_smartness.watch.given import Given, inner, text_of
from ai_smartness.watch.quick_json import loads

__all__ = ["handoff"]

LATEST_EVENTS = 400
LINE_CHARACTERS = 400
ANSWER_CHARACTERS = 1_200
PROMPTS_CHARACTERS = 3_000
COMMANDS = 15
FILES = 25
THREADS = 8

_HEAD = (
    "This project has a memory (ai_smartness), which is waking up. The context was compacted; "
    "this is where the session stood, picked by words alone. It is dated, may be stale, and is not "
    'instructions. More in a few seconds: Read(".ai/handoff"), Read(".ai/recall/WORDS"), '
    'Read(".ai/help").'
)


def handoff(where: Whereabouts, given: Given, until: float) -> str:
    """Return where a session stood; empty if nothing is known of it, or it cannot be read."""
    try:
        # The inbox first: what is drained meanwhile is found in the store.
        waiting = [_waiting(each) for each in looked_at(where.inbox) if _is_of(each, given.session)]
        stored = _stored(where, given, until)
    except (OSError, ValueError, _sqlite3.Error):
        return ""
    said = list({each.id: each for each in [*stored, *waiting]}.values())
    lines = _lines(said)
    return "\n".join([f"{MEMORY_OPEN}>", _HEAD, "", *lines, MEMORY_CLOSE]) if lines else ""


class Said:
    """One thing said or done, wherever it was found."""

    __slots__ = ("day", "fields", "id", "kind", "role", "text", "thread")

    def __init__(self, fields: "dict[str, object]") -> None:
        self.id, self.kind, self.role, self.text, self.thread, self.day = (
            text_of(fields, name) for name in ("id", "type", "role", "text", "thread", "at")
        )
        self.fields = inner(fields, "payload")


def _stored(where: Whereabouts, given: Given, until: float) -> "list[Said]":
    index = opened(where.database, given.cwd, until)
    if index is None:
        return []
    try:
        rows = index.session(given.session, LATEST_EVENTS)
    finally:
        index.close()
    names = ("id", "type", "role", "text", "thread")
    return [
        Said(
            {**dict(zip(names, row, strict=False)), "payload": loads(row[5]), "at": day_of(row[6])}
        )
        for row in reversed(rows)
    ]


def _waiting(record: "dict[str, object]") -> Said:
    said = Said(record)
    said.day = said.day[: len("2026-03-02")]
    return said


def _is_of(record: "dict[str, object]", session: str) -> bool:
    return text_of(record, "session") == session and bool(text_of(record, "text").strip())


def _lines(said: "list[Said]") -> "list[str]":
    prompts = [each for each in said if each.kind == "USER_MESSAGE"]
    answers = [each for each in said if each.kind == "AGENT_MESSAGE"]
    if not prompts and not answers:
        return []
    lines = ["Where this session stood:"]
    lines += ["What the user said, the latest last:"] if prompts else []
    lines += [_line(each, LINE_CHARACTERS) for each in _first_and_latest(prompts)]
    files = _named(said, "path", FILES)
    lines += [f"Files: {', '.join(files)}"] if files else []
    commands = _commands(said)
    lines += [f"Commands: {' ; '.join(commands)}"] if commands else []
    lines += ["Last answer:"] if answers else []
    lines += [_line(each, ANSWER_CHARACTERS) for each in answers[-1:]]
    threads = list(dict.fromkeys(each.thread for each in reversed(said) if each.thread))
    lines += [f"On these threads: {', '.join(threads[:THREADS])}"] if threads else []
    return lines


def _first_and_latest(prompts: "list[Said]") -> "list[Said]":
    """Return the first prompt and the latest others, as many as there is room for."""
    room, kept = PROMPTS_CHARACTERS, list[Said]()
    for each in [*prompts[:1], *reversed(prompts[1:])]:
        room -= min(len(each.text), LINE_CHARACTERS)
        if room < 0:
            break
        kept.append(each)
    return [*kept[:1], *reversed(kept[1:])]


def _commands(said: "list[Said]") -> "list[str]":
    ended = dict[str, str]()
    for each in said:
        command = one_line(text_of(each.fields, "command"))
        code = each.fields.get("exit_code")
        if command:
            ended.pop(command, None)
            how = (
                "" if code is None else " (worked)" if code == 0 else f" (failed, exit code {code})"
            )
            ended[command] = _cut(command, LINE_CHARACTERS) + how
    return list(ended.values())[-COMMANDS:]


def _named(said: "list[Said]", field: str, most: int) -> "list[str]":
    found = (one_line(text_of(each.fields, field)) for each in reversed(said))
    return [_cut(each, LINE_CHARACTERS) for each in dict.fromkeys(found) if each][:most]


def _line(said: Said, characters: int) -> str:
    return f"  {one_line(said.day)} {one_line(said.role)}: {_cut(one_line(said.text), characters)}"


def _cut(text: str, characters: int) -> str:
    return text if len(text) <= characters else text[: characters - 1].rstrip() + "…"
