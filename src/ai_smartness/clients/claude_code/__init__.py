"""Claude Code, the first client: its hook events and answers, in the shapes it documents.

The hook imports this file. Installing, diagnosing and reading transcripts import theirs.
"""

from ai_smartness.clients.hook_answers import allow_answer, context_answer, redirect_answer
from ai_smartness.clients.hook_event import HookEvent, event_fields
from ai_smartness.text.markers import READ_CALL

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ai_smartness.clients.client import (
        Answer,
        ClientPlan,
        Diagnosis,
        InstallTarget,
        TrialRun,
    )
    from ai_smartness.clients.installed_program import InstalledProgram
    from ai_smartness.clients.transcript_reader import TranscriptFormat

__all__ = ["CLIENT", "ClaudeCode"]

MAX_CONTEXT_CHARACTERS = 9_500
"""From 10,000 on the client writes the text to a file and shows a preview instead."""

_ENDS = ("Stop", "SessionEnd")


class ClaudeCode:
    """Claude Code, as `Client` describes it."""

    name = "claude-code"
    title = "Claude Code"
    read_call = READ_CALL
    capabilities = ("inject", "capture", "start", "compaction", "tools")
    tested_version = "2.1.325"

    @property
    def transcripts(self) -> "TranscriptFormat":
        """Tell where the client keeps its transcripts, and how they are read."""
        from ai_smartness.clients.claude_code.transcripts import READER

        return READER

    def find_program(self, environ: "Mapping[str, str]") -> "InstalledProgram":
        """Find the client on this machine."""
        from ai_smartness.clients.claude_code.detect import find_client

        return find_client(environ)

    def read_event(self, text: str, event_name: str = "") -> HookEvent:
        """Read an event; its names are ours already.

        A turn that ended in a tool gets its words from the transcript.
        """
        event = HookEvent(event_fields(text))
        if event.event_name in _ENDS and not event.text_field("last_assistant_message").strip():
            from ai_smartness.clients.claude_code.transcript_tail import unanswered_text

            text = unanswered_text(event.text_field("transcript_path"))
            return event.with_fields(last_assistant_message=text) if text else event
        return event

    def context_answer(self, event_name: str, text: str) -> "Answer | None":
        """Add a text to the agent's context; print nothing at all for an empty one."""
        return context_answer(event_name, text, MAX_CONTEXT_CHARACTERS)

    def notice_answer(self, answer: "Answer | None", notice: str) -> "Answer":
        """Show the person a notice, beside the answer."""
        return {**(answer or {}), "systemMessage": notice}

    def allow_answer(self, reason: str) -> "Answer | None":
        """Let a tool run without asking."""
        return allow_answer(reason)

    def answer_folder(self, event: HookEvent) -> str:
        """Name the folder for the answers to virtual reads: any will do."""
        return ""

    def redirect_answer(self, tool_input: "dict[str, object]", reason: str) -> "Answer":
        """Let a tool run on another input, which replaces its whole input."""
        return redirect_answer(tool_input, reason)

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

    def trial_run(self, address: str) -> "TrialRun":
        """Say how to start the client for one prompt with its model at an address."""
        from ai_smartness.clients.client import TrialRun

        environ = {
            "ANTHROPIC_BASE_URL": address,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        }
        return TrialRun(("-p", "--no-session-persistence"), environ)


CLIENT = ClaudeCode()
