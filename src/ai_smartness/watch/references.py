"""What of a look at something is kept: where it is and a checksum, not what it says.

The file or the page is where it was; that it was looked at, and in which state, is the memory.
"""

from ai_smartness.watch.commands import telling_lines
from ai_smartness.watch.given import Given, inner, text_of
from ai_smartness.watch.place import Place
from ai_smartness.watch.quick_json import dumps

__all__ = ["looked_at"]

LONGEST_TASK_CHARACTERS = 2_000
LONGEST_INPUT_CHARACTERS = 300


def looked_at(given: Given, place: Place) -> "dict[str, object] | None":
    """Return what is kept of a use of any tool that neither edits nor runs something."""
    match given.tool:
        case "Read" | "NotebookRead":
            return _file(given, place)
        case "WebFetch":
            return _page(given, "Fetched", "url")
        case "WebSearch":
            return _page(given, "Searched the web for", "query")
        case "Agent" | "Task":
            return _task(given)
        case "ExitPlanMode":
            return _plan(given)
    return _other(given, place)


def _file(given: Given, place: Place) -> "dict[str, object] | None":
    named = text_of(given.tool_input, "file_path") or text_of(given.tool_input, "notebook_path")
    path = place.path(named) if named else ""
    if not path:
        return None
    file = inner(inner(given.fields, "tool_response"), "file")
    payload: dict[str, object] = {"path": path, "sha256": _sha256(text_of(file, "content"))}
    first, count, total = (file.get(name) for name in ("startLine", "numLines", "totalLines"))
    if isinstance(first, int) and isinstance(count, int) and count != total:
        payload["lines"] = f"{first}-{first + count - 1}"
    return {"kind": "TOOL_CALL", "text": f"Read {path}", "payload": payload}


def _page(given: Given, verb: str, field: str) -> "dict[str, object] | None":
    what = text_of(given.tool_input, field)[:LONGEST_TASK_CHARACTERS]
    if not what:
        return None
    wanted = text_of(given.tool_input, "prompt")[:LONGEST_INPUT_CHARACTERS]
    text = f"{verb} {what}" + (f", asking: {wanted}" if wanted else "")
    payload: dict[str, object] = {field: what, "sha256": _sha256(_answer(given))}
    return {"kind": "TOOL_CALL", "source": "web", "text": text, "payload": payload}


def _task(given: Given) -> "dict[str, object] | None":
    """Keep what a subagent was asked; what it answered comes with its own event."""
    about = text_of(given.tool_input, "description")
    prompt = text_of(given.tool_input, "prompt")[:LONGEST_TASK_CHARACTERS]
    kind = text_of(given.tool_input, "subagent_type")
    text = ": ".join(each for each in ("Asked a subagent", about, prompt) if each)
    if not (about or prompt):
        return None
    return {"kind": "TOOL_CALL", "source": "agent", "text": text, "payload": {"subagent": kind}}


def _plan(given: Given) -> "dict[str, object] | None":
    plan = text_of(given.tool_input, "plan").strip()
    if not plan:
        return None
    plan = plan[: 10 * LONGEST_TASK_CHARACTERS]
    return {"kind": "NOTE", "role": "note", "source": "agent", "text": plan, "payload": {}}


def _other(given: Given, place: Place) -> "dict[str, object] | None":
    if not given.tool or not _may_be_kept(given.tool_input, place):
        return None
    told = dumps(given.tool_input)[:LONGEST_INPUT_CHARACTERS] if given.tool_input else ""
    shown = telling_lines(_answer(given), place)
    text = f"{given.tool} {told}".strip()
    return {"kind": "TOOL_RESULT", "text": f"{text}\n{shown}" if shown else text, "payload": {}}


def _may_be_kept(tool_input: "dict[str, object]", place: Place) -> bool:
    texts = (value for value in tool_input.values() if isinstance(value, str))
    return not place.ignored or all(place.path(text) for text in texts if text)


def _answer(given: Given) -> str:
    """Return what a tool answered, in whichever of the usual forms."""
    response = given.fields.get("tool_response")
    if isinstance(response, dict):
        named = (text_of(response, name) for name in ("result", "content", "text", "stdout"))
        whole = next((text for text in named if text), "")
        response = whole or response.get("content") or response.get("results") or ""
    if isinstance(response, list):
        return "\n".join(text_of(each, "text") for each in response if isinstance(each, dict))
    return response if isinstance(response, str) else ""


def _sha256(text: str) -> "str | None":
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
