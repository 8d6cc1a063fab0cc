"""Check a client that is connected through files: our entries, and the last run of its hooks."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from ai_smartness.clients.client import Client, Diagnosis, InstallTarget
from ai_smartness.clients.connected_file import ConnectedFile, connecting_edit, disconnecting_edit
from ai_smartness.clients.hook_log import read_hook_runs
from ai_smartness.clients.installed_program import InstalledProgram
from ai_smartness.model.errors import AisError

__all__ = ["FileConnectedClient", "check_connection", "is_connected"]


class FileConnectedClient(Client, Protocol):
    """A client that is connected through files of its user."""

    def connected_files(self, target: InstallTarget) -> Sequence[ConnectedFile]:
        """Name the files that hold our entries, or will."""
        ...

    def installed_title(self, environ: Mapping[str, str]) -> str:
        """Name the client, with its version and place if it is installed."""
        ...

    def version_warning(self, program: InstalledProgram) -> str:
        """Say what a version of the client cannot do; empty if it can do everything."""
        ...

    def silence_reason(self, program: InstalledProgram, target: InstallTarget) -> str:
        """Ask the program why it would not run our hooks; empty if it runs them."""
        ...


def check_connection(
    client: FileConnectedClient, target: InstallTarget, *, start_server: bool
) -> Iterator[Diagnosis]:
    """Say in one line how a client is connected, or that it could be."""
    program = client.find_program(target.environ)
    files = client.connected_files(target)
    try:
        connected = [file for file in files if is_connected(target, file)]
        is_offered = program.path is not None and "inject" in client.capabilities
        if not connected and not is_offered:
            return
        yield _checked(client, target, connected, has_program=program.path is not None)
        warning = client.version_warning(program)
        problem = client.silence_reason(program, target) if start_server and connected else ""
        for text in filter(None, (warning, problem)):
            yield Diagnosis(client.name, is_good=False, text=text)
    except AisError as error:
        yield Diagnosis(client.name, is_good=False, text=str(error))


def is_connected(target: InstallTarget, file: ConnectedFile) -> bool:
    """Say whether a file has entries of ours, of whichever version."""
    return disconnecting_edit(target.home, file) is not None


def _checked(
    client: FileConnectedClient,
    target: InstallTarget,
    connected: list[ConnectedFile],
    *,
    has_program: bool,
) -> Diagnosis:
    title = client.installed_title(target.environ)
    connect = f"`ais init --client {client.name}`"
    if not connected:
        return Diagnosis(client.name, is_good=True, text=f"{title}: not connected; {connect} does")
    outdated = [
        file
        for file in client.connected_files(target)
        if connecting_edit(target.home, client.name, file) is not None
    ]
    if outdated:
        names = ", ".join(str(file.path) for file in outdated)
        text = f"{title}: our entries in {names} are missing or of another version. Run {connect}."
        return Diagnosis(client.name, is_good=False, text=text)
    entries = ", ".join(f"{file.label} in {file.path}" for file in connected)
    runs = _last_run(client, target) if has_program else "no program to run them"
    return Diagnosis(client.name, is_good=True, text=f"{title}: {entries}; {runs}")


def _last_run(client: FileConnectedClient, target: InstallTarget) -> str:
    if "inject" not in client.capabilities:
        return "it has no hooks"
    runs = read_hook_runs(target.home / "logs", target.project_name)
    mine = [run for run in runs if run.client == client.name]
    if not mine:
        return "no hook has run in this project yet"
    return f"last hook: {mine[-1].event} at {mine[-1].at}"
