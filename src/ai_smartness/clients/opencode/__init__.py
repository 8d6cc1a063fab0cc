"""opencode: a plugin of ours hands its events to the hook, in Claude Code's shapes.

The plugin is one JavaScript file without dependencies; `plugin.js` beside this module is its text.
"""

from ai_smartness.clients.file_client import FileClient
from ai_smartness.clients.hook_event import HookEvent, event_fields

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ai_smartness.clients.client import Answer, InstallTarget, TrialRun
    from ai_smartness.clients.connected_file import ConnectedFile

__all__ = ["CLIENT", "OpenCode"]


class OpenCode(FileClient):
    """opencode, as `Client` describes it."""

    name = "opencode"
    title = "opencode"
    program = "opencode"
    read_call = 'read("{}")'
    capabilities = ("inject", "capture", "start", "compaction", "tools")
    tested_version = "1.18.33"

    def read_event(self, text: str, event_name: str = "") -> HookEvent:
        """Read an event that our plugin has made; its tool gets the name we know."""
        event = HookEvent(event_fields(text), self.name)
        if not event.tool:
            return event
        from ai_smartness.clients.tool_names import known_tool

        tool, tool_input = known_tool(event.tool, event.tool_input)
        return event.with_fields(tool_name=tool, tool_input=tool_input)

    def allow_answer(self, reason: str) -> "Answer | None":
        """Leave the decision to the client's own settings."""
        return None

    def connected_files(self, target: "InstallTarget") -> "Sequence[ConnectedFile]":
        """Name the files that hold our entries, or will."""
        from ai_smartness.clients.opencode.opencode_files import connected_files

        return connected_files(target)

    def trial_run(self, address: str) -> "TrialRun":
        """Say how to start the client for one prompt with its model at an address."""
        import json

        from ai_smartness.clients.client import TrialRun

        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": f"{address}/v1", "apiKey": "none"},
            "models": {"trial": {}},
        }
        config = {"model": "trial/trial", "autoupdate": False, "provider": {"trial": provider}}
        environ = {
            "OPENCODE_CONFIG_CONTENT": json.dumps(config),
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
        }
        return TrialRun(("run",), environ)


CLIENT = OpenCode()
