"""`ais share` and `ais unshare`: threads and statements for the team.

They are shared on the server, or with `--git` as files of the repository. A secret stops the
sharing: what others have read cannot be taken back.
"""

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ai_smartness.clients.shared_statements import (
    SharedPage,
    find_pages,
    page_path,
    shared_page,
    write_page,
)
from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context
from ai_smartness.entrypoints.cli.completion import statement_ids
from ai_smartness.entrypoints.cli.options import TEXT, change_options
from ai_smartness.entrypoints.cli.output import counted_noun, print_json, safe_text
from ai_smartness.entrypoints.cli.team import share_on_server, unshare_on_server
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.statement import ReviewState, Speaker, Statement, StatementKind
from ai_smartness.redact import redacted_text

if TYPE_CHECKING:
    from ai_smartness.memory import Memory

__all__ = ["share", "unshare"]

TEAM_KINDS = frozenset(
    {
        StatementKind.RULE,
        StatementKind.DECISION,
        StatementKind.ENVIRONMENT,
        StatementKind.COMMAND,
        StatementKind.ERROR_CURE,
    }
)
"""What concerns a team; preferences and open tasks are one's own, unless they are named."""

MOST_SHARED = 10_000
GIT_SECONDS = 5

ids_argument = click.argument(
    "ids", metavar="[ID...]", nargs=-1, type=TEXT, shell_complete=statement_ids
)


@click.command(epilog="Example: ais share s_1a2b3c4d")
@ids_argument
@click.option("--git", "with_git", is_flag=True, help="As files under .ai/memory, to be committed.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@change_options
@pass_context
def share(
    context: CliContext,
    ids: tuple[str, ...],
    *,
    with_git: bool,
    yes: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Share the threads and statements ID with the people of your server.

    You see first what they will be able to read; nothing else leaves your memory. Later messages
    of a thread stay private until you share it again.

    With --git, statements become files that your team reviews and imports. Without ID, all
    rules, decisions, commands and facts in force that you stated or confirmed are shared.
    """
    if not with_git:
        share_on_server(context, ids, is_confirmed=yes or as_json, dry_run=dry_run, as_json=as_json)
        return
    root = _repository(context)
    with context.open_described_memory() as memory:
        chosen = [memory.statement(id_) for id_ in ids] if ids else _team_statements(memory)
        author = _author(root)
        pages = [shared_page(one, author, memory.superseded_statements(one.id)) for one in chosen]
    _refuse_secrets(pages)
    written = {page.id for _, page in find_pages(root)}
    pages = [page for page in pages if page.id not in written]
    if not as_json:
        _print_pages(root, pages)
    if not dry_run and pages and (yes or as_json or click.confirm("Write these files?")):
        for page in pages:
            write_page(root, page)
        if not as_json:
            click.echo("Written. Commit them, and have your team run `ais import`.")
    if as_json:
        paths = [str(page_path(root, page).relative_to(root)) for page in pages]
        print_json({"files": paths, "author": author, "dry_run": dry_run})


@click.command(epilog="Example: ais unshare s_1a2b3c4d")
@click.argument("id_", metavar="ID", type=TEXT)
@change_options
@pass_context
def unshare(context: CliContext, id_: str, *, dry_run: bool, as_json: bool) -> None:
    """On a server, the copies of your teammates are deleted when they next connect.

    The file of a statement shared with --git is deleted; copies in git and in your team's
    memories stay.
    """
    from ai_smartness.wiring import is_on_server

    found = _pages(context, id_)
    if is_on_server(context.settings) and unshare_on_server(
        context, id_, has_page=bool(found), dry_run=dry_run, as_json=as_json
    ):
        return
    root = _repository(context)
    if len(found) != 1:
        count = f"{len(found)} shared statements begin" if found else "no shared statement begins"
        msg = f"{count} with {id_}. `ais share --git --dry-run` and .ai/memory name them."
        raise NotFoundError(msg)
    path, page = found[0]
    if not dry_run:
        path.unlink()
    if as_json:
        print_json({"file": str(path.relative_to(root)), "dry_run": dry_run})
        return
    done = "would be deleted" if dry_run else "deleted"
    click.echo(f"{done}: {safe_text(str(path.relative_to(root)))}  {safe_text(page.text)}")
    click.echo("What was committed stays in git's history.")


def _team_statements(memory: "Memory") -> list[Statement]:
    return [one for one in memory.statements(limit=MOST_SHARED) if _is_for_team(memory, one)]


def _is_for_team(memory: "Memory", statement: Statement) -> bool:
    is_confirmed = statement.review in (ReviewState.CONFIRMED, ReviewState.CORRECTED)
    is_own = statement.project == memory.project and statement.speaker is Speaker.USER
    return statement.kind in TEAM_KINDS and (is_confirmed or is_own)


def _repository(context: CliContext) -> Path:
    folder = context.project_folder
    if folder is None or not (folder.root / ".git").exists():
        msg = "this folder is in no git repository. Run `ais share --git` in one."
        raise RefusedError(msg)
    return folder.root


def _pages(context: CliContext, id_: str) -> list[tuple[Path, SharedPage]]:
    """Return the pages of this folder's repository whose ids begin so."""
    folder = context.project_folder
    pages = find_pages(folder.root) if folder is not None else ()
    return [(path, page) for path, page in pages if page.id.startswith(id_)]


def _author(root: Path) -> str:
    """Return the name that the user's commits have, or else the name of the account."""
    try:
        done = subprocess.run(
            ["git", "config", "--get", "user.name"],  # noqa: S607 - the user's own git
            cwd=root,
            capture_output=True,
            text=True,
            timeout=GIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return os.environ.get("USER", "")
    return done.stdout.strip() or os.environ.get("USER", "")


def _refuse_secrets(pages: list[SharedPage]) -> None:
    for page in pages:
        if redacted_text(page.text) != page.text or "[redacted:" in page.text:
            msg = (
                f"{page.id[:10]} has a secret in it, so nothing was written. Say it without, with "
                f"`ais statements correct {page.id[:10]}`, or share the others by their ids."
            )
            raise RefusedError(msg)


def _print_pages(root: Path, pages: list[SharedPage]) -> None:
    if not pages:
        click.echo("Nothing to share: every such statement has its file already.")
        return
    click.echo(f"{counted_noun(len(pages), 'statement')}, by {safe_text(pages[0].author)}:")
    for page in pages:
        name = page_path(root, page).relative_to(root)
        click.echo(f"  {page.kind.value:<12} {safe_text(page.text)}")
        click.echo(f"  {'':<12} {safe_text(str(name))}")
