"""`ais status`: what there is, on one screen."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from ai_smartness.entrypoints.cli.config import as_json
from ai_smartness.entrypoints.cli.context import Context, pass_context
from ai_smartness.entrypoints.cli.counted import counted
from ai_smartness.entrypoints.cli.output import print_json, print_table, visible

if TYPE_CHECKING:
    from ai_smartness.entrypoints.cli.doctor_case import Finding
    from ai_smartness.memory import Status

__all__ = ["counted", "status"]

SHOWN_PROJECTS = 10
SHOWN_CHECKS = ("client", "hooks", "tools", "hook time", "errors", "daemon")


class Model(NamedTuple):
    """The model that is set, and how it stands: ready, off, missing or broken."""

    name: str
    state: str
    said: str


@click.command(epilog="Example: ais --project demo status")
@as_json
@pass_context
def status(context: Context, *, as_json: bool) -> None:
    """Show what there is: the memory, the project, the model, what waits, the client.

    `ais doctor` looks closer, and says how to mend what is not right.
    """
    with context.memory() as memory:
        found = memory.status()
    model, file = _model(context, found), context.places.database
    connection = _connection(context)
    if as_json:
        described = _described(context, found, model)
        print_json({**described, "connection": [each._asdict() for each in connection]})
        return
    lines = {
        "home": context.places.home,
        "file": f"{file.name}, {_size(file)}",
        "project": found.project,
        "threads": f"{found.threads:,}",
        "messages": f"{found.events:,}",
        "shown": f"injected {found.injected:,}, used {found.used:,}",
        "model": model.name,
        "": model.said,
        "waiting": f"{counted(found.pending, 'message')} to be embedded",
        **{each.check: each.found if each.ok else f"problem: {each.found}" for each in connection},
    }
    for label, value in lines.items():
        click.echo(f"{label:<10}{visible(str(value))}")
    _print_others(found)


def _print_others(found: "Status") -> None:
    others = [each for each in found.projects if each.project != found.project]
    if not others:
        return
    click.echo()
    most = sorted(others, key=lambda each: -each.events)[:SHOWN_PROJECTS]
    rows = [(each.project, f"{each.threads:,}", f"{each.events:,}") for each in most]
    print_table(("other projects", "threads", "messages"), rows)
    if len(others) > len(most):
        click.echo(f"and {len(others) - len(most):,} more, all of them with --json")


def _described(context: Context, found: "Status", model: Model) -> dict[str, object]:
    """Return what the tool answers, and what only the user of this machine has to know."""
    from ai_smartness.entrypoints.tools.shapes import status_shape  # noqa: PLC0415

    return {
        **status_shape(found),
        "home": context.places.home,
        "file": context.places.database,
        "bytes": context.places.database.stat().st_size,
        "embedder": {"name": model.name, "state": model.state},
        "projects": [
            {"project": each.project, "threads": each.threads, "messages": each.events}
            for each in found.projects
        ],
    }


def _model(context: Context, found: "Status") -> Model:
    name = context.settings.embedder.model
    if found.trouble:
        return Model(name, "broken", found.trouble)
    if context.lacking_model:
        return Model(name, "missing", f"not here yet: run `ais model pull {name}`")
    if found.space is None:
        return Model(name, "off", "search is by words alone")
    return Model(name, "ready", f"ready, as {found.space}")


def _connection(context: Context) -> list["Finding"]:
    from ai_smartness.entrypoints.cli.doctor_case import case_of, examined  # noqa: PLC0415
    from ai_smartness.entrypoints.cli.doctor_client import CLIENT_CHECKS  # noqa: PLC0415

    case = case_of(context, context.loaded)
    return [examined(name, CLIENT_CHECKS[name], case) for name in SHOWN_CHECKS]


def _size(file: Path) -> str:
    from rich.filesize import decimal  # noqa: PLC0415 - not for --help

    return decimal(file.stat().st_size)
