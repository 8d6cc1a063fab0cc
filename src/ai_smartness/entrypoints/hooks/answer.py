"""What a hook prints: one JSON object in the shape the client asks for."""

__all__ = ["allowed", "context", "redirected"]

LONGEST_CONTEXT_CHARACTERS = 9_500
"""From 10,000 on the client writes the text to a file and shows a preview instead."""

MEMORY_OPEN, MEMORY_CLOSE = "<ai-smartness-memory", "</ai-smartness-memory>"


def context(event: str, text: str) -> "dict[str, object] | None":
    """Put a text before the agent; nothing at all for an empty one."""
    if not text.strip():
        return None
    if len(text) > LONGEST_CONTEXT_CHARACTERS:
        text = text[:LONGEST_CONTEXT_CHARACTERS].rpartition("\n")[0] + "\n[…]"
        if text.startswith(MEMORY_OPEN):
            text += f"\n{MEMORY_CLOSE}"
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def allowed(reason: str) -> "dict[str, object]":
    """Let a tool run without asking."""
    return {"hookSpecificOutput": {**_PRE, "permissionDecisionReason": reason}}


def redirected(tool_input: "dict[str, object]", reason: str) -> "dict[str, object]":
    """Let a tool run on another input, which replaces the whole of what it was given."""
    return {
        "hookSpecificOutput": {
            **_PRE,
            "permissionDecisionReason": reason,
            "updatedInput": tool_input,
        }
    }


_PRE = {"hookEventName": "PreToolUse", "permissionDecision": "allow"}
