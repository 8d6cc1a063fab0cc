"""A client that is connected through files of its user: the members that all of them share.

Its events and answers have Claude Code's shapes unless the client says otherwise. The hook imports
this file; installing and diagnosing import what they need when they are called.
"""

from ai_smartness.clients.hook_answers import allow_answer, context_answer, redirect_answer
from ai_smartness.clients.hook_event import HookEvent, event_fields
from ai_smartness.text.markers import READ_CALL

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ai_smartness.clients.client import (
        Answer,
        ClientPlan,
        Diagnosis,
        InstallTarget,
        TrialRun,
    )
    from ai_smartness.clients.connected_file import ConnectedFile, FileConnectPlan
    from ai_smartness.clients.installed_program import InstalledProgram
    from ai_smartness.clients.transcript_reader import TranscriptFormat

__all__ = ["FileClient"]


class FileClient:
    """One client, as `Client` describes it."""

    name = ""
    title = ""
    program = ""
    read_call = READ_CALL
    capabilities: "tuple[str, ...]" = ("tools",)
    tested_version = ""
    max_context_characters = 9_500

    @property
    def transcripts(self) -> "TranscriptFormat | None":
        """Tell where the client keeps its transcripts: nowhere that we read."""
        return None

    def connected_files(self, target: "InstallTarget") -> "Sequence[ConnectedFile]":
        """Name the files that hold our entries, or will."""
        raise NotImplementedError

    def find_program(self, environ: "Mapping[str, str]") -> "InstalledProgram":
        """Find the client on this machine."""
        from ai_smartness.clients.installed_program import find_program

        return find_program(self.program, environ, f"AIS_{self.program.upper()}")

    def read_event(self, text: str, event_name: str = "") -> HookEvent:
        """Read an event; its names are ours already."""
        return HookEvent(event_fields(text), self.name)

    def context_answer(self, event_name: str, text: str) -> "Answer | None":
        """Add a text to the agent's context."""
        return context_answer(event_name, text, self.max_context_characters)

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

    def plan_install(self, target: "InstallTarget") -> "FileConnectPlan":
        """Plan to add our hooks and tools to the client's files."""
        from ai_smartness.clients.connected_file import FileConnectPlan, plan_connect

        # First: a program that is asked for its version may change its own settings.
        title = self.installed_title(target.environ)
        files = self.connected_files(target)
        edits = plan_connect(target, self.name, files)
        return FileConnectPlan(target.home, title, self.program, files, edits, self.install_note)

    def plan_uninstall(self, target: "InstallTarget", *, everywhere: bool) -> "ClientPlan":
        """Plan to remove our hooks and tools; they serve all projects, so one keeps them."""
        from ai_smartness.clients.connected_file import plan_disconnect

        files = self.connected_files(target) if everywhere else ()
        return plan_disconnect(target, self.title, files)

    def diagnose(
        self, target: "InstallTarget", *, start_server: bool = False
    ) -> "Iterator[Diagnosis]":
        """Check the connection of the client, in one line."""
        from ai_smartness.clients.check_connection import check_connection

        yield from check_connection(self, target, start_server=start_server)

    def trial_run(self, address: str) -> "TrialRun | None":
        """Say how to start the client for one prompt; this one cannot be started so."""
        return None

    @property
    def install_note(self) -> str:
        """Say what else the user should know once the client is connected."""
        return ""

    def version_warning(self, program: "InstalledProgram") -> str:
        """Say what a version of the client cannot do; empty if it can do everything."""
        return ""

    def silence_reason(self, program: "InstalledProgram", target: "InstallTarget") -> str:
        """Ask the program why it would not run our hooks; empty if it runs them."""
        return ""

    def installed_title(self, environ: "Mapping[str, str]") -> str:
        """Name the client, with its version and place if it is installed."""
        program = self.find_program(environ)
        if program.path is None:
            return f"{self.title}, not found on this machine"
        version = f" {program.version}" if program.version else ""
        return f"{self.title}{version}, {program.path}"
