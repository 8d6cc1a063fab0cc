"""`ais team` and `ais dispute`: the people of a server, and what they share."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context
from ai_smartness.entrypoints.cli.options import TEXT, ListByDefaultGroup, json_option
from ai_smartness.entrypoints.cli.output import (
    counted_noun,
    one_line,
    print_json,
    print_text,
    safe_text,
)
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.text.display import short_date

if TYPE_CHECKING:
    from ai_smartness.model.shared_item import SharedDraft, SharedItem

__all__ = ["dispute", "share_on_server", "team", "unshare_on_server"]

TITLE_CHARACTERS = 100


@click.group(cls=ListByDefaultGroup, epilog="Example: ais team add ben")
def team() -> None:
    """Everybody's own messages are private; only what somebody shared is listed here."""


@team.command("list", epilog="Example: ais team --json")
@json_option
@pass_context
def list_all(context: CliContext, *, as_json: bool) -> None:
    """List the people of your server, and what they share in all projects."""
    with context.open_memory() as memory:
        members, items = memory.team_members(), memory.shared_items()
    if as_json:
        names = [member.name for member in members]
        print_json({"members": names, "shared": [_item_json(item) for item in items]})
        return
    click.echo(f"{counted_noun(len(members), 'member')}:")
    for member in members:
        count = sum(item.author == member.name for item in items)
        click.echo(f"  {safe_text(member.name)}  shares {count or 'nothing'}")
    for project in dict.fromkeys(item.project for item in items):
        click.echo(f"\n{safe_text(project)}")
        for item in items:
            if item.project == project:
                click.echo(f"  {safe_text(_item_line(item))}")


@team.command(epilog="Example: ais team add ben --sql")
@click.argument("name", metavar="NAME", type=TEXT)
@click.option("--sql", "as_sql", is_flag=True, help="Print the SQL for an administrator instead.")
@pass_context
def add(context: CliContext, name: str, *, as_sql: bool) -> None:
    """Add a person to the server, with a memory that no other role can read.

    You need the right to create roles and schemas; otherwise print the SQL for an administrator.
    """
    from ai_smartness.wiring import team_script

    if as_sql:
        click.echo(team_script(name), nl=False)
        return
    with context.open_memory() as memory:
        is_new = memory.add_team_member(name)
    if is_new:
        added = f"Added {name}. Set a password with `\\password {name}` in psql; then {name} runs"
    else:
        added = f"{name} is a member already; the memory and the password stay. {name} runs"
    print_text(added)
    click.echo(f"  ais init --store 'postgresql://{name}@HOST/DATABASE?sslmode=verify-full'")


@click.command(epilog="Example: ais dispute s_1a2b3c4d 'the limit is 20 now'")
@click.argument("id_", metavar="ID", type=TEXT)
@click.argument("reason", metavar="[REASON]", type=TEXT, default="")
@click.option("--withdraw", is_flag=True, help="Withdraw your dispute.")
@json_option
@pass_context
def dispute(context: CliContext, id_: str, reason: str, *, withdraw: bool, as_json: bool) -> None:
    """Dispute the thread or statement ID, or the number that `ais team` shows.

    Everybody sees it as disputed, and by whom; it stays until its author takes it back.
    """
    with context.open_memory() as memory:
        item = memory.dispute(id_, reason, withdraw=withdraw)
        memory.update_shared()
    if as_json:
        print_json(_item_json(item))
        return
    click.echo(safe_text(_item_line(item)))


def share_on_server(
    context: CliContext,
    ids: tuple[str, ...],
    *,
    is_confirmed: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Share threads and statements with the people of the server, after a preview."""
    if not ids:
        msg = (
            "say what to share: the id of a thread or a statement, as `ais threads` and "
            "`ais statements` list them. `ais share --git` writes all statements as files."
        )
        raise RefusedError(msg)
    with context.open_described_memory() as memory:
        drafts = [memory.share(id_, dry_run=True) for id_ in ids]
        if not as_json:
            for draft in drafts:
                _print_draft(draft)
        is_done = not dry_run and (is_confirmed or click.confirm("Share this with your team?"))
        if is_done:
            for draft in drafts:
                memory.share(draft.id)
    if as_json:
        print_json({"shared": [_draft_json(draft) for draft in drafts], "dry_run": dry_run})
    elif is_done:
        click.echo("Shared. `ais unshare ID` takes it back.")
    else:
        click.echo("Nothing was shared.")


def unshare_on_server(
    context: CliContext, id_: str, *, has_page: bool, dry_run: bool, as_json: bool
) -> bool:
    """Take back what was shared on the server; a page of that id may be meant instead."""
    with context.open_memory() as memory:
        try:
            item = memory.unshare(id_, dry_run=dry_run)
        except NotFoundError:
            if has_page:
                return False
            raise
    if as_json:
        print_json({**_item_json(item), "dry_run": dry_run})
        return True
    done = "would be taken back" if dry_run else "taken back"
    click.echo(f"{done}: {safe_text(_item_line(item))}")
    return True


def _print_draft(draft: "SharedDraft") -> None:
    click.echo(f"{draft.kind}: {safe_text(one_line(draft.title, TITLE_CHARACTERS))}")
    for message in draft.messages:
        click.echo(f"  {message.role}: {safe_text(' '.join(message.text.split()))}")
    if draft.left_out:
        click.echo(f"  (left out: {counted_noun(draft.left_out, 'message')} of tools and files)")


def _draft_json(draft: "SharedDraft") -> dict[str, object]:
    return {
        "id": draft.id,
        "project": draft.project,
        "kind": draft.kind,
        "title": draft.title,
        "messages": [{"role": one.role, "text": one.text} for one in draft.messages],
        "left_out": draft.left_out,
    }


def _item_json(item: "SharedItem") -> dict[str, object]:
    return {
        "number": item.number,
        "id": item.id,
        "project": item.project,
        "kind": item.kind,
        "title": item.title,
        "messages": item.messages,
        "author": item.author,
        "machine": item.machine,
        "shared_at": item.shared_at.isoformat(),
        "disputed_by": list(item.disputed_by),
        "reasons": [one.reason for one in item.disputes if not one.is_withdrawn and one.reason],
    }


def _item_line(item: "SharedItem") -> str:
    date = short_date(item.shared_at, datetime.now(UTC))
    line = f"#{item.number}  {item.kind}: {one_line(item.title, TITLE_CHARACTERS)}"
    line += f" (shared by {item.author}, {date})"
    for one in item.disputes:
        if not one.is_withdrawn:
            line += f"; disputed by {one.author}" + (f": {one.reason}" if one.reason else "")
    return line
