"""Gemini CLI: Claude Code's shapes under other names, with times in milliseconds.

A virtual read is answered only inside the workspace or the client's own folder for the project,
so the answer is written there. Answers and tool uses have no ids in its events; the daemon reads
them from the transcript, which the client writes while it works.
"""

from ai_smartness.clients.file_client import FileClient
from ai_smartness.clients.hook_answers import bounded_context
from ai_smartness.clients.hook_event import (
    Fields,
    HookEvent,
    event_fields,
    object_field,
    text_field,
)

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ai_smartness.clients.client import Answer, InstallTarget, TrialRun
    from ai_smartness.clients.connected_file import ConnectedFile
    from ai_smartness.clients.transcript_reader import TranscriptFormat

__all__ = ["CLIENT", "GeminiCli"]

EVENTS = {
    "SessionStart": "SessionStart",
    "BeforeAgent": "UserPromptSubmit",
    "BeforeTool": "PreToolUse",
    "PreCompress": "PreCompact",
    "SessionEnd": "SessionEnd",
}
"""The events that our hook answers, with the names that Claude Code gives them."""

_OWN_NAMES = {name: own for own, name in EVENTS.items()}
_HOOK_CONTEXT = "</hook_context>"
_MANUAL = "manual"


class GeminiCli(FileClient):
    """Gemini CLI, as `Client` describes it."""

    name = "gemini"
    title = "Gemini CLI"
    program = "gemini"
    read_call = 'read_file("{}")'
    capabilities = ("inject", "capture", "start", "compaction", "tools")
    tested_version = "0.61.0"

    @property
    def transcripts(self) -> "TranscriptFormat":
        """Tell where the client keeps its transcripts, and how they are read."""
        from ai_smartness.clients.gemini.gemini_transcripts import READER

        return READER

    def read_event(self, text: str, event_name: str = "") -> HookEvent:
        """Read an event under the names of Claude Code."""
        sent = event_fields(text)
        name = EVENTS.get(text_field(sent, "hook_event_name"), "")
        if name == "PreCompact" and text_field(sent, "trigger") != _MANUAL:
            # It comes before every request to the model, whether or not anything is compressed.
            name = ""
        fields: Fields = {**sent, "hook_event_name": name, **_tool_fields(sent)}
        fields["prompt"] = text_field(sent, "prompt").rpartition(_HOOK_CONTEXT)[2].lstrip("\n")
        return HookEvent(fields, self.name)

    def context_answer(self, event_name: str, text: str) -> "Answer | None":
        """Add a text to the agent's context."""
        if not text.strip():
            return None
        output = {
            "hookEventName": _OWN_NAMES.get(event_name, event_name),
            "additionalContext": bounded_context(text, self.max_context_characters),
        }
        return {"hookSpecificOutput": output}

    def allow_answer(self, reason: str) -> "Answer | None":
        """Leave the decision to the client, which trusts our server by its own settings."""
        return None

    def redirect_answer(self, tool_input: Fields, reason: str) -> "Answer":
        """Let a tool run on another input."""
        output = {"hookEventName": "BeforeTool", "tool_input": tool_input}
        return {"decision": "allow", "reason": reason, "hookSpecificOutput": output}

    def answer_folder(self, event: HookEvent) -> str:
        """Name the client's folder for the project, where it may read."""
        chats = text_field(event.fields, "transcript_path").rpartition("/chats/")[0]
        return f"{chats}/ai_smartness" if chats else ""

    def connected_files(self, target: "InstallTarget") -> "Sequence[ConnectedFile]":
        """Name the files that hold our entries, or will."""
        from ai_smartness.clients.gemini.gemini_files import connected_files

        return connected_files(target)

    def trial_run(self, address: str) -> "TrialRun":
        """Say how to start the client for one prompt with its model at an address."""
        from ai_smartness.clients.client import TrialRun

        environ = {
            "GEMINI_API_KEY": "none",
            "GOOGLE_GEMINI_BASE_URL": address,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        }
        return TrialRun(("-p",), environ)


def _tool_fields(sent: Fields) -> Fields:
    name = text_field(sent, "tool_name")
    if not name:
        return {}
    from ai_smartness.clients.tool_names import known_tool

    tool, tool_input = known_tool(name, object_field(sent, "tool_input"))
    return {"tool_name": tool, "tool_input": tool_input}


CLIENT = GeminiCli()
