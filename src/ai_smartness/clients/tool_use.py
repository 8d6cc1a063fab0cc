"""What of a tool's use is kept: what was changed, what was run, what was looked at.

Our own tools and answers are not, nor lists of things to do, nor what `.aiignore` matches.

What of an edit is kept: the path, and what changed, as a short unified diff.

What of a look at something is kept: where it is and a checksum, not what it says.

The file or the page is where it was; that it was looked at, and in which state, is the memory.
"""

from ai_smartness.clients.command_output import informative_lines
from ai_smartness.clients.fast_json import dumps
from ai_smartness.clients.hook_event import HookEvent, object_field, text_field
from ai_smartness.clients.ignore import WorkingFolder

__all__ = ["IGNORED_TOOLS", "edit_record", "reference_record", "tool_records"]


EDIT_TOOLS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
COMMAND_TOOLS = ("Bash", "PowerShell")
IGNORED_TOOLS = (
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


def tool_records(given: HookEvent, home: str, *, has_private: bool) -> "list[dict[str, object]]":
    """Return what is kept of one use of a tool, as the fields of records.

    `veiled` says that something in it was private.
    """
    if given.tool in IGNORED_TOOLS or _is_own_tool(given, home):
        return []
    place = WorkingFolder(given.cwd)
    failed = given.event_name == "PostToolUseFailure"
    found: dict[str, object] | None
    if given.tool in COMMAND_TOOLS:
        from ai_smartness.clients.command_output import command_record

        found = command_record(given, place)
    elif failed:
        found = _failure_record(given, place)
    elif given.tool in EDIT_TOOLS:
        found = edit_record(given, place, has_private=has_private)
    else:
        found = reference_record(given, place)
    return [_with_tool_name(given, found)] if found else []


def _with_tool_name(given: HookEvent, found: "dict[str, object]") -> "dict[str, object]":
    payload = {"tool": given.tool, **object_field(found, "payload")}
    return {"role": "tool", "source": "tool", **found, "payload": payload}


def _failure_record(given: HookEvent, place: WorkingFolder) -> "dict[str, object] | None":
    from ai_smartness.clients.command_output import informative_lines

    named = named_path(given)
    path = place.project_path(named) if named else ""
    if named and not path:
        return None
    error = informative_lines(given.text_field("error"), place)
    about = f" {path}" if path else ""
    return {
        "kind": "TOOL_RESULT",
        "text": f"{given.tool}{about} failed: {error}".rstrip(": "),
        "payload": {"path": path, "failed": True} if path else {"failed": True},
    }


def named_path(given: HookEvent) -> str:
    """Return the path that a tool was given."""
    names = ("file_path", "notebook_path", "path")
    return next((path for name in names if (path := text_field(given.tool_input, name))), "")


def _is_own_tool(given: HookEvent, home: str) -> bool:
    if given.tool.startswith("mcp__") and given.tool.rpartition("__")[2].startswith("ai_"):
        return True
    path = named_path(given)
    if path and path.startswith((f"{home.rstrip('/')}/recalls/", FALLBACK_RECALLS_PREFIX)):
        return True
    command = text_field(given.tool_input, "command")
    if "/recalls/" in command and (f"{home.rstrip('/')}/recalls/" in command):
        return True
    return _is_virtual_path(path) or (
        command.lstrip().startswith("cat") and _is_virtual_path(command)
    )


FALLBACK_RECALLS_PREFIX = "/tmp/ais-recalls-"  # noqa: S108 - a prefix to know our own by


def _is_virtual_path(path: str) -> bool:
    if ".ai" not in path:
        return False
    from ai_smartness.text.virtual_path import is_virtual

    return is_virtual(path)


MAX_DIFF_CHARACTERS = 2_000
MAX_DIFF_LINE_CHARACTERS = 300

MINIFIED_CHARACTERS = 2_000
"""A line of this length was written by a program."""


def edit_record(
    given: HookEvent,
    place: WorkingFolder,
    *,
    has_private: bool,
) -> "dict[str, object] | None":
    """Return what is kept of an edit; nothing if the path is to be ignored.

    Of a file with private parts only the path: a few lines from within them do not
    show that they are.
    """
    named = text_field(given.tool_input, "file_path") or text_field(
        given.tool_input,
        "notebook_path",
    )
    path = place.project_path(named) if named else ""
    if not path:
        return None
    response = object_field(given.fields, "tool_response")
    lines = _client_diff(response) or _constructed_diff(given.tool_input)
    counts = {"added": _count_lines(lines, "+"), "removed": _count_lines(lines, "-")}
    made = given.tool == "Write" and response.get("type") == "create"
    text = f"{'Created' if made else 'Edited'} {path}"
    body = "[has private parts]" if has_private else _bounded_diff(lines)
    return {
        "kind": "TOOL_CALL",
        "text": f"{text}\n{body}" if body else text,
        "payload": {"path": path, **counts},
    }


def _client_diff(response: "dict[str, object]") -> "list[str]":
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


def _constructed_diff(tool_input: "dict[str, object]") -> "list[str]":
    """Return a diff made of what the tool was told to replace by what."""
    edits = tool_input.get("edits")
    several = [each for each in edits if isinstance(each, dict)] if isinstance(edits, list) else []
    found = list[str]()
    for edit in several or [tool_input]:
        new = next((text for name in _NEW_TEXT_FIELDS if (text := text_field(edit, name))), "")
        found += _changed_lines(text_field(edit, "old_string"), new)
    return found


_NEW_TEXT_FIELDS = ("new_string", "content", "new_source")


def _changed_lines(old: str, new: str) -> "list[str]":
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


def _count_lines(lines: "list[str]", sign: str) -> int:
    return sum(line.startswith(sign) for line in lines)


def _bounded_diff(lines: "list[str]") -> str:
    if any(len(line) > MINIFIED_CHARACTERS for line in lines):
        return "[minified]"
    shown, room = list[str](), MAX_DIFF_CHARACTERS
    for number, line in enumerate(lines):
        cut = (
            line if len(line) <= MAX_DIFF_LINE_CHARACTERS else line[:MAX_DIFF_LINE_CHARACTERS] + "…"
        )
        room -= len(cut) + 1
        if room < 0:
            shown.append(f"[… {len(lines) - number:,} lines more]")
            break
        shown.append(cut)
    return "\n".join(shown)


MAX_TASK_CHARACTERS = 2_000
MAX_INPUT_CHARACTERS = 300


def reference_record(given: HookEvent, place: WorkingFolder) -> "dict[str, object] | None":
    """Return what is kept of a use of any tool that neither edits nor runs something."""
    match given.tool:
        case "Read" | "NotebookRead":
            return _file_record(given, place)
        case "WebFetch":
            return _page_record(given, "Fetched", "url")
        case "WebSearch":
            return _page_record(given, "Searched the web for", "query")
        case "Agent" | "Task":
            return _task_record(given)
        case "ExitPlanMode":
            return _plan_record(given)
    return _other_record(given, place)


def _file_record(given: HookEvent, place: WorkingFolder) -> "dict[str, object] | None":
    named = text_field(given.tool_input, "file_path") or text_field(
        given.tool_input,
        "notebook_path",
    )
    path = place.project_path(named) if named else ""
    if not path:
        return None
    file = object_field(object_field(given.fields, "tool_response"), "file")
    payload: dict[str, object] = {
        "path": path,
        "sha256": _sha256_digest(text_field(file, "content")),
    }
    first, count, total = (file.get(name) for name in ("startLine", "numLines", "totalLines"))
    if isinstance(first, int) and isinstance(count, int) and count != total:
        payload["lines"] = f"{first}-{first + count - 1}"
    return {"kind": "TOOL_CALL", "text": f"Read {path}", "payload": payload}


def _page_record(given: HookEvent, verb: str, field: str) -> "dict[str, object] | None":
    what = text_field(given.tool_input, field)[:MAX_TASK_CHARACTERS]
    if not what:
        return None
    wanted = text_field(given.tool_input, "prompt")[:MAX_INPUT_CHARACTERS]
    text = f"{verb} {what}" + (f", asking: {wanted}" if wanted else "")
    payload: dict[str, object] = {field: what, "sha256": _sha256_digest(_tool_answer(given))}
    return {"kind": "TOOL_CALL", "source": "web", "text": text, "payload": payload}


def _task_record(given: HookEvent) -> "dict[str, object] | None":
    """Keep what a subagent was asked; what it answered comes with its own event."""
    about = text_field(given.tool_input, "description")
    prompt = text_field(given.tool_input, "prompt")[:MAX_TASK_CHARACTERS]
    kind = text_field(given.tool_input, "subagent_type")
    text = ": ".join(each for each in ("Asked a subagent", about, prompt) if each)
    if not (about or prompt):
        return None
    return {"kind": "TOOL_CALL", "source": "agent", "text": text, "payload": {"subagent": kind}}


def _plan_record(given: HookEvent) -> "dict[str, object] | None":
    plan = text_field(given.tool_input, "plan").strip()
    if not plan:
        return None
    plan = plan[: 10 * MAX_TASK_CHARACTERS]
    return {"kind": "NOTE", "role": "note", "source": "agent", "text": plan, "payload": {}}


def _other_record(given: HookEvent, place: WorkingFolder) -> "dict[str, object] | None":
    if not given.tool or not _may_be_kept(given.tool_input, place):
        return None
    told = dumps(given.tool_input)[:MAX_INPUT_CHARACTERS] if given.tool_input else ""
    shown = informative_lines(_tool_answer(given), place)
    text = f"{given.tool} {told}".strip()
    return {"kind": "TOOL_RESULT", "text": f"{text}\n{shown}" if shown else text, "payload": {}}


def _may_be_kept(tool_input: "dict[str, object]", place: WorkingFolder) -> bool:
    texts = (value for value in tool_input.values() if isinstance(value, str))
    return not place.ignored or all(place.project_path(text) for text in texts if text)


def _tool_answer(given: HookEvent) -> str:
    """Return what a tool answered, in whichever of the usual forms."""
    response = given.fields.get("tool_response")
    if isinstance(response, dict):
        named = (text_field(response, name) for name in ("result", "content", "text", "stdout"))
        whole = next((text for text in named if text), "")
        response = whole or response.get("content") or response.get("results") or ""
    if isinstance(response, list):
        return "\n".join(text_field(each, "text") for each in response if isinstance(each, dict))
    return response if isinstance(response, str) else ""


def _sha256_digest(text: str) -> "str | None":
    if not text:
        return None
    whole = text.encode("utf-8", "surrogatepass")
    for module in ("_sha2", "_sha256", "hashlib"):
        # By its C module, which was renamed in 3.12: hashlib loads OpenSSL.
        try:
            return str(__import__(module).sha256(whole).hexdigest())
        except ImportError:
            continue
    return None
