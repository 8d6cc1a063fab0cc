"""What of an edit is kept: the path, and what changed, as a short unified diff."""

from ai_smartness.watch.given import Given, inner, text_of
from ai_smartness.watch.place import Place

__all__ = ["edited"]

MOST_CHARACTERS = 2_000
LONGEST_LINE_CHARACTERS = 300

MINIFIED_CHARACTERS = 2_000
"""A line of this length was written by a program."""


def edited(given: Given, place: Place, *, veiled: bool) -> "dict[str, object] | None":
    """Return what is kept of an edit; nothing if the path is to be ignored.

    Of a file with private parts only the path: a few lines from within them do not
    show that they are.
    """
    named = text_of(given.tool_input, "file_path") or text_of(given.tool_input, "notebook_path")
    path = place.path(named) if named else ""
    if not path:
        return None
    response = inner(given.fields, "tool_response")
    lines = _patch(response) or _made_up(given.tool_input)
    counts = {"added": _count(lines, "+"), "removed": _count(lines, "-")}
    made = given.tool == "Write" and response.get("type") == "create"
    text = f"{'Created' if made else 'Edited'} {path}"
    body = "[has private parts]" if veiled else _bounded(lines)
    return {
        "kind": "TOOL_CALL",
        "text": f"{text}\n{body}" if body else text,
        "payload": {"path": path, **counts},
    }


def _patch(response: "dict[str, object]") -> "list[str]":
    """Return the lines of the client's own diff."""
    hunks = response.get("structuredPatch")
    found = list[str]()
    for hunk in hunks if isinstance(hunks, list) else []:
        if not isinstance(hunk, dict):
            continue
        old, new = (f"{hunk.get(f'{side}Start')},{hunk.get(f'{side}Lines')}" for side in _SIDES)
        lines = hunk.get("lines")
        found.append(f"@@ -{old} +{new} @@")
        found += [
            line for line in (lines if isinstance(lines, list) else []) if isinstance(line, str)
        ]
    return found


_SIDES = ("old", "new")


def _made_up(tool_input: "dict[str, object]") -> "list[str]":
    """Return a diff made of what the tool was told to replace by what."""
    edits = tool_input.get("edits")
    several = [each for each in edits if isinstance(each, dict)] if isinstance(edits, list) else []
    found = list[str]()
    for edit in several or [tool_input]:
        new = next((text for name in _NEW if (text := text_of(edit, name))), "")
        found += _difference(text_of(edit, "old_string"), new)
    return found


_NEW = ("new_string", "content", "new_source")


def _difference(old: str, new: str) -> "list[str]":
    before, after = old.splitlines(), new.splitlines()
    same = 0
    while same < min(len(before), len(after)) and before[same] == after[same]:
        same += 1
    tail = 0
    most = min(len(before), len(after)) - same
    while tail < most and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    gone = before[same : len(before) - tail]
    come = after[same : len(after) - tail]
    return [f"-{line}" for line in gone] + [f"+{line}" for line in come]


def _count(lines: "list[str]", sign: str) -> int:
    return sum(line.startswith(sign) for line in lines)


def _bounded(lines: "list[str]") -> str:
    if any(len(line) > MINIFIED_CHARACTERS for line in lines):
        return "[minified]"
    shown, room = list[str](), MOST_CHARACTERS
    for number, line in enumerate(lines):
        cut = line if len(line) <= LONGEST_LINE_CHARACTERS else line[:LONGEST_LINE_CHARACTERS] + "…"
        room -= len(cut) + 1
        if room < 0:
            shown.append(f"[… {len(lines) - number:,} lines more]")
            break
        shown.append(cut)
    return "\n".join(shown)
