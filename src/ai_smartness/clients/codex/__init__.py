"""Codex CLI: its hook events have Claude Code's names and shapes, and so have its answers.

It has no tool that reads a file: an agent reads a virtual path with `cat`.
"""

from ai_smartness.clients.file_client import FileClient
from ai_smartness.clients.hook_event import HookEvent, event_fields, text_field

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ai_smartness.clients.client import Answer, InstallTarget, TrialRun
    from ai_smartness.clients.connected_file import ConnectedFile, FileConnectPlan
    from ai_smartness.clients.installed_program import InstalledProgram
    from ai_smartness.clients.transcript_reader import TranscriptFormat

__all__ = ["CLIENT", "CodexCli"]

_PATCH_START = "*** Begin Patch"


class CodexCli(FileClient):
    """Codex CLI, as `Client` describes it."""

    name = "codex"
    title = "Codex CLI"
    program = "codex"
    read_call = 'cat "{}"'
    capabilities = ("inject", "capture", "start", "compaction", "tools")
    tested_version = "0.169.0"
    max_context_characters = 8_000
    """It moves a text of more than 2,500 tokens to a file."""

    @property
    def transcripts(self) -> "TranscriptFormat":
        """Tell where the client keeps its transcripts, and how they are read."""
        from ai_smartness.clients.codex.codex_transcripts import READER

        return READER

    def read_event(self, text: str, event_name: str = "") -> HookEvent:
        """Read an event; a patch becomes the edit of its first file."""
        event = HookEvent(event_fields(text), self.name)
        patch = text_field(event.tool_input, "command", "input")
        if event.event_name != "PostToolUse" or _PATCH_START not in patch:
            return event
        from ai_smartness.clients.tool_names import edit_response, patched_files

        files = patched_files(patch)
        if not files:
            return event
        path, is_new, lines = min(files, key=lambda file: file[0])
        return event.with_fields(
            tool_name="Write" if is_new else "Edit",
            tool_input={"file_path": path},
            tool_response=edit_response(lines, is_new=is_new),
        )

    def allow_answer(self, reason: str) -> "Answer | None":
        """Leave the decision to the client: it takes `allow` only with another input."""
        return None

    def connected_files(self, target: "InstallTarget") -> "Sequence[ConnectedFile]":
        """Name the files that hold our entries, or will."""
        from ai_smartness.clients.codex.codex_files import connected_files

        return connected_files(target)

    def plan_install(self, target: "InstallTarget") -> "FileConnectPlan":
        """Plan to add our hooks and tools, and to have the client trust the hooks."""
        from dataclasses import replace
        from functools import partial

        from ai_smartness.clients.codex.codex_files import trust_steps

        plan = super().plan_install(target)
        program = self.find_program(target.environ)
        return replace(plan, finish=partial(trust_steps, program, target))

    def silence_reason(self, program: "InstalledProgram", target: "InstallTarget") -> str:
        """Ask the program whether it trusts our hooks: it runs no others."""
        from ai_smartness.clients.codex.codex_files import UNTRUSTED_NOTE
        from ai_smartness.clients.codex.hook_trust import untrusted_count

        if program.path is None:
            return ""
        hooks, _ = self.connected_files(target)
        count = untrusted_count(program.command, hooks.path, target)
        return f"{count} of our hooks are not trusted. {UNTRUSTED_NOTE}" if count else ""

    def trial_run(self, address: str) -> "TrialRun":
        """Say how to start the client for one prompt with its model at an address."""
        from ai_smartness.clients.client import TrialRun

        provider = f'{{name="trial",base_url="{address}/v1",env_key="TRIAL_KEY"}}'
        options = ("-c", 'model_provider="trial"', "-c", f"model_providers.trial={provider}")
        arguments = ("exec", "--skip-git-repo-check", "--ephemeral", *options)
        return TrialRun(arguments, {"TRIAL_KEY": "none"})


CLIENT = CodexCli()
