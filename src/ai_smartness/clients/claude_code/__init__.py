"""Claude Code, the first client: its hook events and answers, in the shapes it documents.

The hook imports this file. Installing, diagnosing and reading transcripts import theirs.
"""

from ai_smartness.clients.fast_json import loads_bounded
from ai_smartness.clients.hook_event import HookEvent
from ai_smartness.text.markers import MEMORY_CLOSE, MEMORY_OPEN

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ai_smartness.clients.client import Answer, ClientPlan, Diagnosis, InstallTarget
    from ai_smartness.clients.transcript_reader import TranscriptFormat

__all__ = ["CLIENT", "ClaudeCode"]

MAX_CONTEXT_CHARACTERS = 9_500
"""From 10,000 on the client writes the text to a file and shows a preview instead."""

_ENDS = ("Stop", "SessionEnd")
_ALLOWED = {"hookEventName": "PreToolUse", "permissionDecision": "allow"}


class ClaudeCode:
    """Claude Code, as `Client` describes it."""

    name = "claude-code"

    @property
    def transcripts(self) -> "TranscriptFormat":
        """Tell where the client keeps its transcripts, and how they are read."""
        from ai_smartness.clients.claude_code.transcripts import READER

        return READER

    def read_event(self, text: str) -> HookEvent:
        """Read an event; its names are ours already.

        A turn that ended in a tool gets its words from the transcript.
        """
        fields = loads_bounded(text)
        if not isinstance(fields, dict):
            msg = "a hook's input is a JSON object"
            raise ValueError(msg)  # noqa: TRY004 - whoever reads catches one kind
        event = HookEvent(fields)
        if event.event_name in _ENDS and not event.text_field("last_assistant_message").strip():
            from ai_smartness.clients.claude_code.transcript_tail import unanswered_text

            text = unanswered_text(event.text_field("transcript_path"))
            return HookEvent({**fields, "last_assistant_message": text}) if text else event
        return event

    def context_answer(self, event_name: str, text: str) -> "Answer | None":
        """Add a text to the agent's context; print nothing at all for an empty one."""
        if not text.strip():
            return None
        if len(text) > MAX_CONTEXT_CHARACTERS:
            text = text[:MAX_CONTEXT_CHARACTERS].rpartition("\n")[0] + "\n[…]"
            if text.startswith(MEMORY_OPEN):
                text += f"\n{MEMORY_CLOSE}"
        return {"hookSpecificOutput": {"hookEventName": event_name, "additionalContext": text}}

    def notice_answer(self, answer: "Answer | None", notice: str) -> "Answer":
        """Show the person a notice, beside the answer."""
        return {**(answer or {}), "systemMessage": notice}

    def allow_answer(self, reason: str) -> "Answer":
        """Let a tool run without asking."""
        return {"hookSpecificOutput": {**_ALLOWED, "permissionDecisionReason": reason}}

    def redirect_answer(self, tool_input: "dict[str, object]", reason: str) -> "Answer":
        """Let a tool run on another input, which replaces its whole input."""
        decision = {"permissionDecisionReason": reason, "updatedInput": tool_input}
        return {"hookSpecificOutput": {**_ALLOWED, **decision}}

    def plan_install(self, target: "InstallTarget") -> "ClientPlan":
        """Plan to add our hooks and tools to the client's files."""
        from ai_smartness.clients.claude_code.install import plan_install

        return plan_install(target)

    def plan_uninstall(self, target: "InstallTarget", *, everywhere: bool) -> "ClientPlan":
        """Plan to remove our hooks and tools from the client's files."""
        from ai_smartness.clients.claude_code.install import plan_uninstall

        return plan_uninstall(target, everywhere=everywhere)

    def diagnose(
        self, target: "InstallTarget", *, start_server: bool = False
    ) -> "Iterator[Diagnosis]":
        """Check the connection of the client."""
        from ai_smartness.clients.claude_code.diagnose import diagnose

        return diagnose(target, start_server=start_server)


CLIENT = ClaudeCode()
