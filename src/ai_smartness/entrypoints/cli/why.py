"""`ais why`: what was shown to an agent, what was left out, and the numbers behind it."""

import click

from ai_smartness.entrypoints.cli.config import as_json
from ai_smartness.entrypoints.cli.context import Context, pass_context, readable
from ai_smartness.entrypoints.cli.output import print_json, visible
from ai_smartness.model.session import LedgerEntry, LedgerPage, Skipped

__all__ = ["why"]


@click.command(epilog="Example: ais why --limit 3")
@click.argument("session", required=False)
@click.option("--limit", type=click.IntRange(1, 100), default=5, help="How many turns (5).")
@as_json
@pass_context
def why(context: Context, session: str | None, limit: int, *, as_json: bool) -> None:
    """Say of the latest turns, of SESSION or of all, what was shown and what was not."""
    with context.memory() as memory:
        pages = memory.why(None if session is None else readable(session), limit)
    if as_json:
        print_json(pages)
        return
    for page in pages:
        _print_page(page)
    if not pages:
        whom = f"session {visible(readable(session))}" if session else "any session"
        click.echo(f"Nothing was asked for {whom} of the project {visible(context.name)} yet.")


def _print_page(page: LedgerPage) -> None:
    head = f"turn {page.turn} of session {visible(page.session)}, epoch {page.epoch}"
    click.echo(click.style(head, bold=True))
    click.echo(f"  {page.at:%Y-%m-%d %H:%M:%S} UTC, took {page.took_ms:.0f} ms")
    if not page.shown:
        click.echo("  nothing was shown")
    for entry in page.shown:
        click.echo(_shown(entry))
    for skipped in page.skipped:
        click.echo(_left_out(skipped))
    click.echo()


def _shown(entry: LedgerEntry) -> str:
    used = ", used" if entry.used else ""
    return f"  + {entry.thread_id}  {entry.tokens} tokens{used}  {visible(entry.why)}"


def _left_out(skipped: Skipped) -> str:
    return f"  - {skipped.thread_id}  {visible(skipped.reason)}  {visible(skipped.title)}"
