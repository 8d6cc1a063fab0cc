"""`ais` alone: where you stand in this project, and the three next things to do.

It starts no client and loads no model, so that it answers at once.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import click

from ai_smartness.entrypoints.cli.output import counted_noun, print_text
from ai_smartness.entrypoints.cli.program_name import typed_program
from ai_smartness.entrypoints.cli.switch import off_text

if TYPE_CHECKING:
    from ai_smartness.entrypoints.cli.cli_context import CliContext

__all__ = ["print_overview"]

NEXT_STEPS = 3
MANY_WAITING = 200  # messages without a vector: fewer are embedded by the next search


class ProjectState(NamedTuple):
    """What decides about the next step."""

    messages: int
    threads: int
    waiting: int
    shown: int
    clients: list[str]
    missing_model: str | None


def print_overview(context: "CliContext") -> None:
    """Print the state of the project's memory, and what to do next."""
    state = _project_state(context)
    for line in _state_lines(context, state):
        print_text(line)
    click.echo("\nNext:")
    program = typed_program(context.environ)
    steps = [(f"{program} {command}", purpose) for command, purpose in _steps(state)][:NEXT_STEPS]
    width = max(len(command) for command, _ in steps)
    for command, purpose in steps:
        click.echo(f"  {click.style(command, fg='cyan')}{' ' * (width - len(command))}  {purpose}")
    click.echo(f"\n`{program} help` finds the command for a task; `{program} --help` lists all.")


def _project_state(context: "CliContext") -> ProjectState:
    from ai_smartness.clients.registry import CLIENTS, load_client

    if not _has_memory(context):
        return ProjectState(0, 0, 0, 0, [], None)
    with context.open_memory() as memory:
        status = memory.status()
    target = context.install_target()
    clients = [load_client(name) for name in CLIENTS]
    connected = [
        client.title
        for client in clients
        if any(not file.is_changed for file in client.plan_install(target).files)
    ]
    return ProjectState(
        messages=status.events,
        threads=status.threads,
        waiting=status.pending,
        shown=status.injected,
        clients=connected,
        missing_model=context.missing_model,
    )


def _has_memory(context: "CliContext") -> bool:
    from ai_smartness.wiring import is_on_server

    return is_on_server(context.settings) or context.places.database.exists()


def _state_lines(context: "CliContext", state: ProjectState) -> Iterator[str]:
    if off := off_text(context):
        yield f"The memory is {off}."
    if not _has_memory(context):
        yield "There is no memory on this machine yet."
        return
    if state.messages:
        messages, threads = (
            counted_noun(state.messages, "message"),
            counted_noun(state.threads, "thread"),
        )
        yield f"{context.project_name}: {messages} in {threads}."
    else:
        yield f"{context.project_name}: nothing is stored yet."
    connected = ", ".join(state.clients)
    yield f"Connected: {connected}." if connected else "No coding agent is connected here."
    if state.missing_model:
        yield f"The model {state.missing_model} is not downloaded: search is by keyword only."


def _steps(state: ProjectState) -> Iterator[tuple[str, str]]:
    """Yield the next things to do, the most urgent first."""
    if not state.clients:
        yield "init", "connect the coding agents on this machine"
    if state.missing_model:
        yield f"model pull {state.missing_model}", "download the model, to search by meaning"
    if not state.messages:
        yield "tour", "try the memory in a temporary demo"
        yield "import", "import the sessions that you had before"
        yield "doctor", "check that everything is set up"
    if state.waiting > MANY_WAITING:
        yield "reindex --missing", "make all messages searchable by meaning"
    if state.shown:
        yield "why", "see what your agent was shown, and why"
    yield 'recall "what did we decide"', "ask the memory a question"
    yield "threads", "list the threads of this project"
    yield "suggestions", "see what could be tidied up"
