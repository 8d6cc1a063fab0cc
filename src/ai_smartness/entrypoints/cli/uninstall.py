"""`ais uninstall`: remove from the client's settings exactly what `ais init` added.

You are asked whether to keep the memory; it is kept unless you say otherwise.
"""

import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ai_smartness.clients.registry import CLIENTS, TOOL_CLIENTS, load_client
from ai_smartness.entrypoints.cli.cli_context import CliContext
from ai_smartness.entrypoints.cli.output import safe_text
from ai_smartness.model.errors import RefusedError
from ai_smartness.settings.paths import DATABASE_FILE

if TYPE_CHECKING:
    from ai_smartness.clients.client import ClientPlan

__all__ = ["uninstall"]

DATA_PATTERNS = (
    f"{DATABASE_FILE}*",
    "inbox",
    "run",
    "recalls",
    "briefs",
    "logs",
    "backups",
    "recall.log*",
    "installed.json",
    "environment.json",
)
"""Everything that we keep in a memory's home, except the settings, which are yours."""


@click.command(epilog="Example: ais uninstall --dry-run")
@click.option(
    "--client",
    "clients",
    multiple=True,
    metavar="NAME",
    type=click.Choice([*CLIENTS, *TOOL_CLIENTS]),
    help="Disconnect only this client and keep the memory; may be repeated.",
)
@click.option("--here", is_flag=True, help="Only this project's settings; keep the memory.")
@click.option("--delete-data", is_flag=True, help="Delete the memory too, without asking again.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--yes", "-y", is_flag=True, help="Ask nothing, and keep the memory.")
@click.pass_context
def uninstall(
    ctx: click.Context,
    *,
    clients: tuple[str, ...],
    here: bool,
    delete_data: bool,
    dry_run: bool,
    yes: bool,
) -> None:
    """This covers every file of the clients that `ais init` changed.

    A file that is still as `ais init` left it is restored byte for byte; from a file that was
    changed since, only our entries are removed. The memory is kept unless you say otherwise.
    """
    context = ctx.ensure_object(CliContext)
    if delete_data and (here or clients):
        msg = "give --delete-data alone: other projects and clients use the memory too."
        raise click.UsageError(msg, ctx)
    target = context.install_target()
    plans = [
        load_client(name).plan_uninstall(target, everywhere=not here)
        for name in dict.fromkeys(clients or (*CLIENTS, *TOOL_CLIENTS))
    ]
    refusals = [refusal for plan in plans for refusal in plan.refusals]
    for refusal in refusals:
        click.echo(f"warning: {safe_text(refusal)}", err=True)
    if dry_run:
        lines = [line for plan in plans for line in plan.diff_lines()]
        click.echo("\n".join(["dry run: nothing was changed.", *map(safe_text, lines)]))
    elif _is_agreed(plans, yes=yes or delete_data):
        for label, line in chain.from_iterable(plan.apply() for plan in plans):
            click.echo(f"{label:<8}{safe_text(line)}")
        if not here and not clients:
            _stop_and_delete(context, delete=delete_data or _is_data_unwanted(context, yes=yes))
    if refusals:
        ctx.exit(1)


def _is_agreed(plans: "list[ClientPlan]", *, yes: bool) -> bool:
    files = [file for plan in plans for file in plan.files]
    if not files:
        click.echo("hooks   not found in any known settings")
    if yes or not files:
        return True
    if not sys.stdin.isatty():
        msg = "cannot ask whether to remove the hooks: the input is not a terminal. Give --yes."
        raise RefusedError(msg)
    for file in files:
        click.echo(f"{file.label:<8}in {safe_text(str(file.path))}")
    return click.confirm("Remove them?", default=True)


def _is_data_unwanted(context: CliContext, *, yes: bool) -> bool:
    """Ask whether to delete the memory, too."""
    if yes or not sys.stdin.isatty() or not any(_data_paths(context.places.home)):
        return False
    question = f"Also delete the memory in {safe_text(str(context.places.home))} permanently?"
    return click.confirm(question, default=False)


def _stop_and_delete(context: CliContext, *, delete: bool) -> None:
    from ai_smartness.entrypoints.daemon.pause import stop_and_wait

    home = context.places.home
    stop_and_wait(home)
    if not delete:
        if any(_data_paths(home)):
            click.echo(f"memory  {safe_text(str(home))}, kept")
        return
    for path in list(_data_paths(home)):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    with suppress(OSError):
        home.rmdir()
    click.echo(f"memory  {safe_text(str(home))}, deleted")
    click.echo(f"models  {safe_text(str(context.places.cache / 'models'))}, kept")


def _data_paths(home: Path) -> Iterator[Path]:
    for pattern in DATA_PATTERNS:
        yield from home.glob(pattern)
