"""What a shell completes beside commands and options: ids of threads, settings, models.

It is asked at every press of a key: where there is nothing to say, or something is wrong, it
says nothing. Opening the memory takes half a second, so threads are read from its file as it is.
"""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from ai_smartness.entrypoints.cli.context import Context, named
from ai_smartness.entrypoints.cli.output import visible
from ai_smartness.model.errors import AisError

__all__ = ["model_names", "setting_names", "thread_ids"]

MOST_THREADS = 100

RECENT = """
    SELECT threads.id, threads.title
    FROM threads JOIN projects ON projects.id = threads.project_id
    WHERE projects.name = ? AND substr(threads.id, 1, ?) = ?
    ORDER BY threads.last_active DESC, threads.id DESC
    LIMIT ?
"""


def thread_ids(
    ctx: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the id of a thread, with its title; those spoken of last come first."""
    from ai_smartness.settings import places  # noqa: PLC0415 - not for --help

    context = _context(ctx)
    try:
        database = places(context.home, None, context.environ).database
        found = _recent(context, database, incomplete)
    except (AisError, OSError, sqlite3.Error):
        return []
    return [CompletionItem(id_, help=_line(title or "no title yet")) for id_, title in found]


def _recent(context: Context, database: Path, start: str) -> list[tuple[str, str]]:
    # Only to be read: looking must not be what makes a memory.
    with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as file:
        known = [name for (name,) in file.execute("SELECT name FROM projects")]
        project = named(_project(context), known)
        return file.execute(RECENT, (project, len(start), start, MOST_THREADS)).fetchall()


def _project(context: Context) -> str:
    from ai_smartness.watch.project import project_at  # noqa: PLC0415 - not for --help

    given = context.project
    is_name = given is not None and not Path(given).is_dir()
    return given if is_name and given else project_at(given or ".").name


def setting_names(
    _ctx: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the name of a setting."""
    from ai_smartness.settings import SETTINGS  # noqa: PLC0415 - not for --help

    return _items(SETTINGS, incomplete)


def model_names(
    ctx: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the name of a model of the catalogue."""
    from ai_smartness.wiring import model_shelf  # noqa: PLC0415 - not for --help

    try:
        cards = model_shelf(_context(ctx).places).cards()
    except (AisError, OSError):
        return []
    return _items([card.name for card in cards], incomplete)


def _context(ctx: click.Context) -> Context:
    """Take the options before the command as they were typed: nothing has run yet."""
    given = ctx.find_root().params
    return Context(home=given.get("home"), project=given.get("project"))


def _items(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def _line(title: str) -> str:
    # The scripts of the shells take one line for one thing.
    return visible(" ".join(title.split()))
