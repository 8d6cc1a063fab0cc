"""`ais status`: what there is, on one screen."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context
from ai_smartness.entrypoints.cli.options import json_option
from ai_smartness.entrypoints.cli.output import counted_noun, print_json, print_table, safe_text

if TYPE_CHECKING:
    from ai_smartness.entrypoints.cli.doctor_check import Finding
    from ai_smartness.memory import MemoryStatus

__all__ = ["counted_noun", "status"]

SHOWN_PROJECTS = 10
SHOWN_CHECKS = ("client", "hooks", "tools", "hook time", "errors", "daemon")


class ModelState(NamedTuple):
    """The model that is set, and how it stands: ready, off, missing or broken."""

    name: str
    state: str
    explanation: str


@click.command(epilog="Example: ais --project demo status")
@json_option
@pass_context
def status(context: CliContext, *, as_json: bool) -> None:
    """Show what there is: the memory, the project, the model, what waits, the client.

    `ais doctor` looks closer, and says how to mend what is not right.
    """
    with context.open_memory() as memory:
        found = memory.status()
    model, file = _model_state(context, found), context.places.database
    connection = _connection_findings(context)
    if as_json:
        described = _status_json(context, found, model)
        print_json({**described, "connection": [each._asdict() for each in connection]})
        return
    lines = {
        "home": context.places.home,
        "file": f"{file.name}, {_size_text(file)}",
        "project": found.project,
        "threads": f"{found.threads:,}",
        "messages": f"{found.events:,}",
        "shown": f"injected {found.injected:,}, used {found.used:,}",
        "model": model.name,
        "": model.explanation,
        "waiting": f"{counted_noun(found.pending, 'message')} to be embedded",
        **{each.check: each.found if each.ok else f"problem: {each.found}" for each in connection},
    }
    for label, value in lines.items():
        click.echo(f"{label:<10}{safe_text(str(value))}")
    _print_other_projects(found)


def _print_other_projects(found: "MemoryStatus") -> None:
    others = [each for each in found.projects if each.project != found.project]
    if not others:
        return
    click.echo()
    most = sorted(others, key=lambda each: -each.events)[:SHOWN_PROJECTS]
    rows = [(each.project, f"{each.threads:,}", f"{each.events:,}") for each in most]
    print_table(("other projects", "threads", "messages"), rows)
    if len(others) > len(most):
        click.echo(f"and {len(others) - len(most):,} more, all of them with --json")


def _status_json(
    context: CliContext,
    found: "MemoryStatus",
    model: ModelState,
) -> dict[str, object]:
    """Return what the tool answers, and what only the user of this machine has to know."""
    from ai_smartness.views.json import status_json

    return {
        **status_json(found),
        "home": context.places.home,
        "file": context.places.database,
        "bytes": context.places.database.stat().st_size,
        "embedder": {"name": model.name, "state": model.state},
        "projects": [
            {"project": each.project, "threads": each.threads, "messages": each.events}
            for each in found.projects
        ],
    }


def _model_state(context: CliContext, found: "MemoryStatus") -> ModelState:
    name = context.settings.embedder.model
    if found.trouble:
        return ModelState(name, "broken", found.trouble)
    if context.missing_model:
        return ModelState(name, "missing", f"not here yet: run `ais model pull {name}`")
    if found.space is None:
        return ModelState(name, "off", "search is by words alone")
    return ModelState(name, "ready", f"ready, as {found.space}")


def _connection_findings(context: CliContext) -> list["Finding"]:
    from ai_smartness.entrypoints.cli.doctor_check import doctor_case, run_check
    from ai_smartness.entrypoints.cli.doctor_client import CLIENT_CHECKS

    case = doctor_case(context, context.loaded_settings)
    return [run_check(name, CLIENT_CHECKS[name], case) for name in SHOWN_CHECKS]


def _size_text(file: Path) -> str:
    from rich.filesize import decimal

    return decimal(file.stat().st_size)
