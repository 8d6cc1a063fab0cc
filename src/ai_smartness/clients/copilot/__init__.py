"""GitHub Copilot CLI: events with names of its own, which the hook's command has to tell.

Answers and tool uses have no ids in its events. The daemon reads them from the transcript, which
the client writes while it works.
"""

from ai_smartness.clients.file_client import FileClient
from ai_smartness.clients.hook_answers import bounded_context
from ai_smartness.clients.hook_event import (
    Fields,
    HookEvent,
    event_fields,
    text_field,
)

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ai_smartness.clients.client import Answer, InstallTarget, TrialRun
    from ai_smartness.clients.connected_file import ConnectedFile
    from ai_smartness.clients.installed_program import InstalledProgram
    from ai_smartness.clients.transcript_reader import TranscriptFormat

__all__ = ["CLIENT", "CopilotCli"]

EVENTS = {
    "sessionStart": "SessionStart",
    "userPromptSubmitted": "UserPromptSubmit",
    "preToolUse": "PreToolUse",
    "preCompact": "PreCompact",
    "sessionEnd": "SessionEnd",
}
"""The events that our hook answers, with the names that Claude Code gives them."""

BROKEN_VERSIONS = (((1, 0, 24), (1, 0, 24)), ((1, 0, 60), (1, 0, 65)))
"""The first and last versions that ignored the text a hook adds to a prompt."""


class CopilotCli(FileClient):
    """GitHub Copilot CLI, as `Client` describes it."""

    name = "copilot"
    title = "Copilot CLI"
    program = "copilot"
    read_call = 'view("{}")'
    capabilities = ("inject", "capture", "start", "compaction", "tools")
    tested_version = "1.0.102"

    @property
    def transcripts(self) -> "TranscriptFormat":
        """Tell where the client keeps its transcripts, and how they are read."""
        from ai_smartness.clients.copilot.copilot_transcripts import READER

        return READER

    def read_event(self, text: str, event_name: str = "") -> HookEvent:
        """Read an event; its name comes with the command."""
        sent = event_fields(text)
        fields: Fields = {
            "hook_event_name": EVENTS.get(event_name, event_name),
            "session_id": text_field(sent, "sessionId", "session_id"),
            "cwd": text_field(sent, "cwd"),
            "transcript_path": text_field(sent, "transcriptPath"),
            "source": _SOURCES.get(text_field(sent, "source"), text_field(sent, "source")),
        }
        for name in ("prompt", "reason", "trigger", "error"):
            fields[name] = text_field(sent, name)
        return HookEvent({**fields, **_tool_fields(sent)}, self.name)

    def context_answer(self, event_name: str, text: str) -> "Answer | None":
        """Add a text to the agent's context."""
        if not text.strip():
            return None
        return {"additionalContext": bounded_context(text, self.max_context_characters)}

    def allow_answer(self, reason: str) -> "Answer":
        """Let a tool run without asking."""
        return {"permissionDecision": "allow", "permissionDecisionReason": reason}

    def redirect_answer(self, tool_input: Fields, reason: str) -> "Answer":
        """Let a tool run on another input, which replaces its whole input."""
        changed = dict(tool_input)
        path = changed.pop("file_path", None)
        if path is not None:
            changed["path"] = path
        return {**self.allow_answer(reason), "modifiedArgs": changed}

    def connected_files(self, target: "InstallTarget") -> "Sequence[ConnectedFile]":
        """Name the files that hold our entries, or will."""
        from ai_smartness.clients.copilot.copilot_files import connected_files

        return connected_files(target)

    def version_warning(self, program: "InstalledProgram") -> str:
        """Say that a version ignores the text that a hook adds to a prompt."""
        version = program.version
        if version is None or not any(low <= version <= high for low, high in BROKEN_VERSIONS):
            return ""
        return (
            f"Copilot CLI {version} ignores the notes that a hook adds to a prompt. Update it with "
            "`npm install -g @github/copilot`."
        )

    def trial_run(self, address: str) -> "TrialRun":
        """Say how to start the client for one prompt with its model at an address."""
        from ai_smartness.clients.client import TrialRun

        environ = {
            "COPILOT_OFFLINE": "true",
            "COPILOT_PROVIDER_BASE_URL": address,
            "COPILOT_PROVIDER_TYPE": "anthropic",
            "COPILOT_PROVIDER_API_KEY": "none",
            "COPILOT_MODEL": "trial",
            "COPILOT_AUTO_UPDATE": "false",
        }
        return TrialRun(("--trust-folder", "--no-auto-update", "-p"), environ)


_SOURCES = {"new": "startup"}


def _tool_fields(sent: Fields) -> Fields:
    name = text_field(sent, "toolName")
    if not name:
        return {}
    from ai_smartness.clients.tool_names import known_tool

    given = sent.get("toolArgs")
    if isinstance(given, str):
        given = event_fields(given)
    tool, tool_input = known_tool(name, given if isinstance(given, dict) else {})
    return {"tool_name": tool, "tool_input": tool_input}


CLIENT = CopilotCli()
