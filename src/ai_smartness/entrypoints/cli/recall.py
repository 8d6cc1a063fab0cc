"""`ais recall`: the threads that answer a question, as an agent reads them.

`ais why`: what was shown to an agent, what was left out, and the numbers behind it.

`ais handoff`: where a session stood, as an agent that goes on with it reads it.
"""

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context, valid_text
from ai_smartness.entrypoints.cli.options import json_option
from ai_smartness.entrypoints.cli.output import print_json, safe_text
from ai_smartness.model.session import LedgerEntry, LedgerPage, SkippedThread
from ai_smartness.text.markers import MEMORY_CLOSE, MEMORY_OPEN

__all__ = ["handoff", "recall", "why"]


MEMORY_MARKERS = (MEMORY_OPEN, MEMORY_CLOSE)
"""What keeps an agent's reading of it from being kept anew; a person need not see that."""


@click.command(epilog="Example: ais recall solana validators")
@click.argument("query", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 50), default=5, help="How many threads (5).")
@json_option
@pass_context
def recall(context: CliContext, query: tuple[str, ...], limit: int, *, as_json: bool) -> None:
    """Answer QUERY with threads: what they are about, what matched, what they link to.

    The id of a thread, or the start of one, gives that thread. A suspended
    thread that answers well is active again; `ais undo` takes that back.
    """
    question = valid_text(" ".join(query)).strip()
    if not question:
        msg = "Say what to recall."
        raise click.UsageError(msg)
    with context.open_memory() as memory:
        found = memory.recall(question, limit)
    if as_json:
        from ai_smartness.views.json import recalled_json

        print_json(recalled_json(found))
    else:
        lines = [line for line in found.text.splitlines() if not line.startswith(MEMORY_MARKERS)]
        click.echo("\n".join(safe_text(line) for line in lines))


@click.command(epilog="Example: ais why --limit 3")
@click.argument("session", required=False)
@click.option("--limit", type=click.IntRange(1, 100), default=5, help="How many turns (5).")
@json_option
@pass_context
def why(context: CliContext, session: str | None, limit: int, *, as_json: bool) -> None:
    """Say of the latest turns, of SESSION or of all, what was shown and what was not."""
    with context.open_memory() as memory:
        pages = memory.why(None if session is None else valid_text(session), limit)
    if as_json:
        print_json(pages)
        return
    for page in pages:
        _print_ledger_page(page)
    if not pages:
        whom = f"session {safe_text(valid_text(session))}" if session else "any session"
        click.echo(
            f"Nothing was asked for {whom} of the project {safe_text(context.project_name)} yet.",
        )


def _print_ledger_page(page: LedgerPage) -> None:
    head = f"turn {page.turn} of session {safe_text(page.session)}, epoch {page.epoch}"
    click.echo(click.style(head, bold=True))
    click.echo(f"  {page.at:%Y-%m-%d %H:%M:%S} UTC, took {page.took_ms:.0f} ms")
    if not page.shown:
        click.echo("  nothing was shown")
    for entry in page.shown:
        click.echo(_shown_line(entry))
    for skipped in page.skipped:
        click.echo(_skipped_line(skipped))
    click.echo()


def _shown_line(entry: LedgerEntry) -> str:
    used = ", used" if entry.used else ""
    return f"  + {entry.thread_id}  {entry.tokens} tokens{used}  {safe_text(entry.why)}"


def _skipped_line(skipped: SkippedThread) -> str:
    return f"  - {skipped.thread_id}  {safe_text(skipped.reason)}  {safe_text(skipped.title)}"


@click.command(epilog="Example: ais handoff --json")
@click.option("--session", metavar="ID", help="Of this session (the one that spoke last).")
@json_option
@pass_context
def handoff(context: CliContext, session: str | None, *, as_json: bool) -> None:
    """Say where a session stood: goal, decisions, open tasks, files, commands, last words.

    An agent is told this by itself after its context was compacted, and in short
    when the next session begins. `ais recall ID` gives each of the threads named.
    """
    wanted = None if session is None else valid_text(session)
    with context.open_memory() as memory:
        found = memory.stood(wanted)
    if found is None:
        if as_json:
            print_json(None)
        else:
            click.echo(f"Nothing was said in the project {safe_text(context.project_name)} yet.")
    elif as_json:
        print_json(
            {
                "session": found.session,
                "began": found.began,
                "ended": found.ended,
                "messages": found.messages,
                "text": found.text,
                "threads": [{"id": each.id, "title": each.title} for each in found.threads],
            },
        )
    else:
        click.echo("\n".join(safe_text(line) for line in found.text.splitlines()))
