"""Record one tool use: an edit with its diff, a command with its output, a read by reference.

Of a file or a page that was only read, the record holds the place and a checksum, not the
content. Our own tools, to-do lists and paths that `.aiignore` matches are not recorded.
"""

from ai_smartness.clients.command_output import command_record, informative_lines
from ai_smartness.clients.fast_json import dumps
from ai_smartness.clients.hook_event import Fields, HookEvent, object_field, text_field
from ai_smartness.clients.ignore import WorkingFolder
from ai_smartness.clients.own_names import is_own_tool_anywhere

__all__ = ["COMMAND_TOOLS", "EDIT_TOOLS", "IGNORED_TOOLS", "tool_record"]

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
"""They search, or manage the client's own state; their effects are recorded elsewhere."""

FALLBACK_RECALLS_PREFIX = "/tmp/ais-recalls-"  # noqa: S108 - only compared with

MAX_DIFF_CHARACTERS = 2_000
MAX_DIFF_LINE_CHARACTERS = 300
MAX_TASK_CHARACTERS = 2_000
MAX_INPUT_CHARACTERS = 300
MINIFIED_CHARACTERS = 2_000  # a line of this length was written by a program

_NEW_TEXT_FIELDS = ("new_string", "content", "new_source")


def tool_record(event: HookEvent, home: str, *, has_private: bool) -> Fields | None:
    """Return the fields of a tool use's record; nothing if it is not recorded."""
    if event.tool in IGNORED_TOOLS or _is_own_tool(event, home):
        return None
    folder = WorkingFolder(event.cwd)
    if event.tool in COMMAND_TOOLS:
        record = command_record(event, folder)
    elif event.event_name == "PostToolUseFailure":
        record = _failure_record(event, folder)
    elif event.tool in EDIT_TOOLS:
        record = _edit_record(event, folder, has_private=has_private)
    else:
        record = _reference_record(event, folder)
    if record is None:
        return None
    payload = {"tool": event.tool, **object_field(record, "payload")}
    return {"role": "tool", "source": "tool", **record, "payload": payload}


def _is_own_tool(event: HookEvent, home: str) -> bool:
    if is_own_tool_anywhere(event.tool):
        return True
    recalls = f"{home.rstrip('/')}/recalls/"
    path = text_field(event.tool_input, "file_path", "notebook_path", "path")
    command = text_field(event.tool_input, "command")
    if path.startswith((recalls, FALLBACK_RECALLS_PREFIX)) or recalls in command:
        return True
    return _is_virtual_path(path) or (
        command.lstrip().startswith("cat") and _is_virtual_path(command)
    )


def _is_virtual_path(path: str) -> bool:
    if ".ai" not in path:
        return False
    from ai_smartness.text.virtual_path import is_virtual

    return is_virtual(path)


def _failure_record(event: HookEvent, folder: WorkingFolder) -> Fields | None:
    name = text_field(event.tool_input, "file_path", "notebook_path", "path")
    path = folder.project_path(name) if name else ""
    if name and not path:
        return None
    error = informative_lines(event.text_field("error"), folder)
    subject = f"{event.tool} {path}" if path else event.tool
    payload: Fields = {"path": path, "failed": True} if path else {"failed": True}
    text = f"{subject} failed: {error}".rstrip(": ")
    return {"kind": "TOOL_RESULT", "text": text, "payload": payload}


def _edit_record(event: HookEvent, folder: WorkingFolder, *, has_private: bool) -> Fields | None:
    """Record the path and a short diff; of a file with private parts, the path alone.

    A few lines from within a private part do not show that they are private.
    """
    path = _named_path(event, folder)
    if not path:
        return None
    response = object_field(event.fields, "tool_response")
    lines = _client_diff(response) or _constructed_diff(event.tool_input)
    is_new = event.tool == "Write" and response.get("type") == "create"
    text = f"{'Created' if is_new else 'Edited'} {path}"
    body = "[has private parts]" if has_private else _bounded_diff(lines)
    added, removed = (sum(line.startswith(sign) for line in lines) for sign in "+-")
    return {
        "kind": "TOOL_CALL",
        "text": f"{text}\n{body}" if body else text,
        "payload": {"path": path, "added": added, "removed": removed},
    }


def _named_path(event: HookEvent, folder: WorkingFolder) -> str:
    name = text_field(event.tool_input, "file_path", "notebook_path")
    return folder.project_path(name) if name else ""


def _client_diff(response: Fields) -> list[str]:
    """Return the lines of the client's own diff."""
    hunks = response.get("structuredPatch")
    diff = list[str]()
    for hunk in hunks if isinstance(hunks, list) else []:
        if isinstance(hunk, dict):
            old, new = (
                f"{hunk.get(f'{side}Start')},{hunk.get(f'{side}Lines')}" for side in ("old", "new")
            )
            lines = hunk.get("lines")
            diff.append(f"@@ -{old} +{new} @@")
            diff += (
                [line for line in lines if isinstance(line, str)] if isinstance(lines, list) else []
            )
    return diff


def _constructed_diff(tool_input: Fields) -> list[str]:
    """Make a diff from the old and new texts in the tool's input."""
    edits = tool_input.get("edits")
    several = [edit for edit in edits if isinstance(edit, dict)] if isinstance(edits, list) else []
    diff = list[str]()
    for edit in several or [tool_input]:
        before = text_field(edit, "old_string").splitlines()
        after = text_field(edit, *_NEW_TEXT_FIELDS).splitlines()
        diff += _changed_lines(before, after)
    return diff


def _changed_lines(before: list[str], after: list[str]) -> list[str]:
    shorter = min(len(before), len(after))
    head = 0
    while head < shorter and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < shorter - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    removed = [f"-{line}" for line in before[head : len(before) - tail]]
    return removed + [f"+{line}" for line in after[head : len(after) - tail]]


def _bounded_diff(lines: list[str]) -> str:
    if any(len(line) > MINIFIED_CHARACTERS for line in lines):
        return "[minified]"
    cut_lines, room = list[str](), MAX_DIFF_CHARACTERS
    for number, line in enumerate(lines):
        is_long = len(line) > MAX_DIFF_LINE_CHARACTERS
        cut = line[:MAX_DIFF_LINE_CHARACTERS] + "…" if is_long else line
        room -= len(cut) + 1
        if room < 0:
            cut_lines.append(f"[… {len(lines) - number:,} lines more]")
            break
        cut_lines.append(cut)
    return "\n".join(cut_lines)


def _reference_record(event: HookEvent, folder: WorkingFolder) -> Fields | None:
    """Record the use of a tool that neither edits nor runs something."""
    match event.tool:
        case "Read" | "NotebookRead":
            return _file_record(event, folder)
        case "WebFetch":
            return _page_record(event, "Fetched", "url")
        case "WebSearch":
            return _page_record(event, "Searched the web for", "query")
        case "Agent" | "Task":
            return _task_record(event)
        case "ExitPlanMode":
            plan = text_field(event.tool_input, "plan").strip()[: 10 * MAX_TASK_CHARACTERS]
            note: Fields = {"kind": "NOTE", "role": "note", "source": "agent"}
            return {**note, "text": plan, "payload": {}} if plan else None
    return _other_record(event, folder)


def _file_record(event: HookEvent, folder: WorkingFolder) -> Fields | None:
    path = _named_path(event, folder)
    if not path:
        return None
    file = object_field(object_field(event.fields, "tool_response"), "file")
    payload: Fields = {"path": path, "sha256": _sha256_digest(text_field(file, "content"))}
    first, count, total = (file.get(name) for name in ("startLine", "numLines", "totalLines"))
    if isinstance(first, int) and isinstance(count, int) and count != total:
        payload["lines"] = f"{first}-{first + count - 1}"
    return {"kind": "TOOL_CALL", "text": f"Read {path}", "payload": payload}


def _page_record(event: HookEvent, verb: str, field: str) -> Fields | None:
    target = text_field(event.tool_input, field)[:MAX_TASK_CHARACTERS]
    if not target:
        return None
    question = text_field(event.tool_input, "prompt")[:MAX_INPUT_CHARACTERS]
    text = f"{verb} {target}" + (f", asking: {question}" if question else "")
    payload: Fields = {field: target, "sha256": _sha256_digest(_tool_answer(event))}
    return {"kind": "TOOL_CALL", "source": "web", "text": text, "payload": payload}


def _task_record(event: HookEvent) -> Fields | None:
    """Record the task of a subagent; its answer comes with an event of its own."""
    title = text_field(event.tool_input, "description")
    prompt = text_field(event.tool_input, "prompt")[:MAX_TASK_CHARACTERS]
    if not (title or prompt):
        return None
    text = ": ".join(part for part in ("Asked a subagent", title, prompt) if part)
    payload: Fields = {"subagent": text_field(event.tool_input, "subagent_type")}
    return {"kind": "TOOL_CALL", "source": "agent", "text": text, "payload": payload}


def _other_record(event: HookEvent, folder: WorkingFolder) -> Fields | None:
    texts = [value for value in event.tool_input.values() if isinstance(value, str) and value]
    is_ignored = folder.ignore_rules and not all(folder.project_path(text) for text in texts)
    if not event.tool or is_ignored:
        return None
    tool_input = dumps(event.tool_input)[:MAX_INPUT_CHARACTERS] if event.tool_input else ""
    output = informative_lines(_tool_answer(event), folder)
    text = f"{event.tool} {tool_input}".strip()
    return {"kind": "TOOL_RESULT", "text": f"{text}\n{output}" if output else text, "payload": {}}


def _tool_answer(event: HookEvent) -> str:
    """Return a tool's answer, in whichever of the usual forms it comes."""
    response = event.fields.get("tool_response")
    if isinstance(response, dict):
        text = text_field(response, "result", "content", "text", "stdout")
        response = text or response.get("content") or response.get("results") or ""
    if isinstance(response, list):
        return "\n".join(text_field(part, "text") for part in response if isinstance(part, dict))
    return response if isinstance(response, str) else ""


def _sha256_digest(text: str) -> str | None:
    if not text:
        return None
    whole = text.encode("utf-8", "surrogatepass")
    for module in ("_sha2", "_sha256", "hashlib"):
        # The C module, which was renamed in 3.12, loads at once: hashlib loads OpenSSL.
        try:
            return str(__import__(module).sha256(whole).hexdigest())
        except ImportError:
            continue
    return None
