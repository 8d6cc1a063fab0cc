"""The hook's answers in the shapes that Claude Code introduced and other clients read too."""

from ai_smartness.text.markers import MEMORY_CLOSE, MEMORY_OPEN, respelled_reads

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ai_smartness.clients.client import Answer, HookClient

__all__ = [
    "allow_answer",
    "bounded_context",
    "context_answer",
    "printed_context",
    "redirect_answer",
]

_CONTEXT = "additionalContext"

_ALLOWED = {"hookEventName": "PreToolUse", "permissionDecision": "allow"}


def bounded_context(text: str, characters: int) -> str:
    """Return a text that is at most about this long, with its last mark in place."""
    if len(text) <= characters:
        return text
    text = text[:characters].rpartition("\n")[0] + "\n[…]"
    return f"{text}\n{MEMORY_CLOSE}" if text.startswith(MEMORY_OPEN) else text


def context_answer(event_name: str, text: str, characters: int) -> "Answer | None":
    """Add a text to the agent's context; print nothing at all for an empty one."""
    if not text.strip():
        return None
    context = bounded_context(text, characters)
    return {"hookSpecificOutput": {"hookEventName": event_name, _CONTEXT: context}}


def printed_context(client: "HookClient", event_name: str, text: str) -> str:
    """Return what of a text a client's hook prints for the agent: its spelling, its bounds."""
    answer = client.context_answer(event_name, respelled_reads(text, client.read_call)) or {}
    output = answer.get("hookSpecificOutput")
    fields = output if isinstance(output, dict) else answer
    return str(fields.get(_CONTEXT, ""))


def allow_answer(reason: str) -> "Answer":
    """Let a tool run without asking."""
    return {"hookSpecificOutput": {**_ALLOWED, "permissionDecisionReason": reason}}


def redirect_answer(tool_input: "dict[str, object]", reason: str) -> "Answer":
    """Let a tool run on another input, which replaces its whole input."""
    decision = {"permissionDecisionReason": reason, "updatedInput": tool_input}
    return {"hookSpecificOutput": {**_ALLOWED, **decision}}
