"""Qwen Code: Gemini CLI's settings and tools, with the events of Claude Code."""

from ai_smartness.clients.file_client import FileClient
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

__all__ = ["CLIENT", "QwenCode"]

EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "Stop",
    "PreCompact",
    "PostCompact",
    "SessionEnd",
)


class QwenCode(FileClient):
    """Qwen Code, as `Client` describes it."""

    name = "qwen"
    title = "Qwen Code"
    program = "qwen"
    read_call = 'read_file("{}")'
    capabilities = ("inject", "capture", "start", "compaction", "tools")
    tested_version = "0.24.4"

    def read_event(self, text: str, event_name: str = "") -> HookEvent:
        """Read an event; its tools get the names that Claude Code gives them."""
        event = HookEvent(event_fields(text), self.name)
        if not event.tool:
            return event
        from ai_smartness.clients.tool_names import known_tool

        tool, tool_input = known_tool(event.tool, event.tool_input)
        output = text_field(object_field(event.fields, "tool_response"), "llmContent")
        return event.with_fields(
            tool_name=tool, tool_input=tool_input, tool_response={"stdout": output}
        )

    def allow_answer(self, reason: str) -> "Answer | None":
        """Leave the decision to the client, which trusts our server by its own settings."""
        return None

    def redirect_answer(self, tool_input: Fields, reason: str) -> "Answer":
        """Answer a virtual read in place of the tool: a hook cannot change a tool's input here."""
        with open(text_field(tool_input, "file_path"), encoding="utf-8") as file:
            text = file.read()
        decision = {"permissionDecision": "deny", "permissionDecisionReason": f"{reason}:\n{text}"}
        return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}

    def connected_files(self, target: "InstallTarget") -> "Sequence[ConnectedFile]":
        """Name the file that holds our entries, or will."""
        from ai_smartness.clients.gemini.gemini_files import settings_file
        from ai_smartness.clients.installed_program import client_home

        path = client_home(target.environ) / ".qwen" / "settings.json"
        matchers = {"PreToolUse": "ReadFile|read_file"}
        return [settings_file(path, self.name, EVENTS, matchers, target)]

    def trial_run(self, address: str) -> "TrialRun":
        """Say how to start the client for one prompt with its model at an address."""
        from ai_smartness.clients.client import TrialRun

        environ = {
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": f"{address}/v1",
            "OPENAI_MODEL": "trial",
        }
        return TrialRun(("--auth-type", "openai", "-p"), environ)


CLIENT = QwenCode()
