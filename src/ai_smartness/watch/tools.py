"""What of a tool's use is kept: what was changed, what was run, what was looked at.

Our own tools and answers are not, nor lists of things to do, nor what `.aiignore` matches.
"""

from ai_smartness.watch.given import Given, inner, text_of
from ai_smartness.watch.place import Place

__all__ = ["NOISE", "used"]

EDITS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
COMMANDS = ("Bash", "PowerShell")
NOISE = (
    "TodoWrite",
    "TodoRead",
    "TaskCreate",
    "TaskUpdate",
    "TaskList",
    "TaskGet",
    "TaskOutput",
    "TaskStop",
    "BashOutput",
    "KillShell",
    "KillBash",
    "Glob",
    "Grep",
    "LS",
    "ToolSearch",
    "EnterPlanMode",
    "Skill",
    "SlashCommand",
)
"""They look around or keep the client's own books; what comes of it is kept elsewhere."""


def used(given: Given, home: str, *, veiled: bool) -> "list[dict[str, object]]":
    """Return what is kept of one use of a tool, as the fields of records.

    `veiled` says that something in it was private.
    """
    if given.tool in NOISE or _is_ours(given, home):
        return []
    place = Place(given.cwd)
    failed = given.event == "PostToolUseFailure"
    found: dict[str, object] | None
    if given.tool in COMMANDS:
        from ai_smartness.watch.commands import ran  # noqa: PLC0415 - one of them

        found = ran(given, place)
    elif failed:
        found = _failed(given, place)
    elif given.tool in EDITS:
        from ai_smartness.watch.edits import edited  # noqa: PLC0415

        found = edited(given, place, veiled=veiled)
    else:
        from ai_smartness.watch.references import looked_at  # noqa: PLC0415

        found = looked_at(given, place)
    return [_with_call(given, found)] if found else []


def _with_call(given: Given, found: "dict[str, object]") -> "dict[str, object]":
    payload = {"tool": given.tool, **inner(found, "payload")}
    return {"role": "tool", "source": "tool", **found, "payload": payload}


def _failed(given: Given, place: Place) -> "dict[str, object] | None":
    from ai_smartness.watch.commands import telling_lines  # noqa: PLC0415

    named = named_path(given)
    path = place.path(named) if named else ""
    if named and not path:
        return None
    error = telling_lines(given.text("error"), place)
    about = f" {path}" if path else ""
    return {
        "kind": "TOOL_RESULT",
        "text": f"{given.tool}{about} failed: {error}".rstrip(": "),
        "payload": {"path": path, "failed": True} if path else {"failed": True},
    }


def named_path(given: Given) -> str:
    """Return the path that a tool was given."""
    names = ("file_path", "notebook_path", "path")
    return next((path for name in names if (path := text_of(given.tool_input, name))), "")


def _is_ours(given: Given, home: str) -> bool:
    if given.tool.startswith("mcp__") and given.tool.rpartition("__")[2].startswith("ai_"):
        return True
    path = named_path(given)
    if path and path.startswith((f"{home.rstrip('/')}/recalls/", RECALLS_ELSEWHERE)):
        return True
    command = text_of(given.tool_input, "command")
    if "/recalls/" in command and (f"{home.rstrip('/')}/recalls/" in command):
        return True
    return _asks_us(path) or (command.lstrip().startswith("cat") and _asks_us(command))


RECALLS_ELSEWHERE = "/tmp/ais-recalls-"  # noqa: S108 - a prefix to know our own by


def _asks_us(path: str) -> bool:
    if ".ai" not in path:
        return False
    from ai_smartness.virtual.location import is_virtual  # noqa: PLC0415 - brings regular expressions

    return is_virtual(path)
