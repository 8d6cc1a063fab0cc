"""`ais recall`, `ais why` and `ais handoff`: what an agent reads from the memory.

Recall answers a question with lines of threads. Why lists what was injected into the latest
turns, and what was left out. A handoff says where a session left off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context
from ai_smartness.entrypoints.cli.options import TEXT, json_option
from ai_smartness.entrypoints.cli.output import print_json, print_text, safe_text
from ai_smartness.entrypoints.cli.pager import paged
from ai_smartness.entrypoints.cli.thread_names import ThreadNames

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ai_smartness.model.handoff import Handoff
    from ai_smartness.model.session import LedgerPage

__all__ = ["handoff", "recall", "why"]


@click.command(epilog="Example: ais recall solana validators")
@click.argument("query", nargs=-1, required=True, type=TEXT)
@click.option(
    "--limit", type=click.IntRange(1, 50), default=12, help="Maximum number of threads (12)."
)
@click.option("--all", "is_whole", is_flag=True, help="Show weaker lines too.")
@json_option
@pass_context
@paged
def recall(
    context: CliContext, query: tuple[str, ...], limit: int, *, is_whole: bool, as_json: bool
) -> None:
    """Show the lines that answer QUERY, by thread. If none matches well, show the nearest.

    The id of a thread, or the start of one, gives that thread. Nothing is changed: an old thread
    that you read does not become a recent one for the agent.
    """
    question = " ".join(query).strip()
    if not question:
        msg = "Say what to recall."
        raise click.UsageError(msg)
    with context.open_memory() as memory:
        result = memory.recall(question, limit, bring_back=False)
    if as_json:
        from ai_smartness.views.json import recalled_json

        print_json(recalled_json(result))
    else:
        from ai_smartness.views.recall import recall_page_for_people

        page = recall_page_for_people(result, is_whole=is_whole)
        heading, _, answer = page.partition("\n")
        print_text(heading, style="bold")
        print_text("\n".join(answer.splitlines()))


@click.command(epilog="Example: ais why --limit 3")
@click.argument("session", required=False, type=TEXT)
@click.option("--limit", type=click.IntRange(1, 100), default=5, help="How many turns (5).")
@click.option("--all", "is_whole", is_flag=True, help="Show everything that was left out.")
@json_option
@pass_context
@paged
def why(
    context: CliContext, session: str | None, limit: int, *, is_whole: bool, as_json: bool
) -> None:
    """Show the prompt, the lines shown and what was left out, of SESSION or of all.

    Each line comes with its thread, its date and the numbers by which it was chosen. Relevance
    goes from 0 to 1 and says how well a message answers the prompt.
    """
    with context.open_memory() as memory:
        pages = memory.why(session, limit)
        shown = (entry.thread_id for page in pages for entry in page.shown)
        titles = {} if as_json else memory.titles(shown)
    if as_json:
        print_json(pages)
        return
    for page in pages:
        _print_ledger_page(page, titles, is_whole=is_whole)
    if not pages:
        where = f"session {session}" if session else "any session"
        where = f"{where} of the project {context.project_name}"
        print_text(f"No prompt has been answered in {where} yet.")


def _print_ledger_page(page: LedgerPage, titles: Mapping[str, str], *, is_whole: bool) -> None:
    from ai_smartness.views.ledger import ledger_page_lines

    head, *others = ledger_page_lines(page, titles, is_whole=is_whole)
    print_text(head, style="bold")
    for line in others:
        print_text(line, hang=2, style=_ledger_style(line))
    click.echo()


def _ledger_style(line: str) -> str:
    """Make the shown lines stand out, and the numbers behind a choice step back."""
    if line.startswith("  shown:"):
        return "green"
    return "dim" if line.startswith(("  left out:", "      ")) else ""


@click.command(epilog="Example: ais handoff --json")
@click.option("--session", metavar="ID", type=TEXT, help="This session (the latest one).")
@json_option
@pass_context
@paged
def handoff(context: CliContext, session: str | None, *, as_json: bool) -> None:
    """It lists the goal, decisions, open tasks, files, commands and last messages.

    An agent gets it automatically after its context was compacted, and in short when the next
    session begins. `ais recall ID` shows each of the named threads.
    """
    with context.open_memory() as memory:
        state = memory.stood(session)
        names = ThreadNames(memory)
        threads = [names.name(thread.id) for thread in state.threads] if state else []
    if as_json:
        listed = [{"id": item.id, "title": item.title} for item in state.threads] if state else []
        print_json(
            state
            and {
                "session": state.session,
                "began": state.began,
                "ended": state.ended,
                "messages": state.messages,
                "text": state.text,
                "threads": listed,
            }
        )
    elif state is None:
        click.echo(f"Nothing was said in the project {safe_text(context.project_name)} yet.")
    else:
        _print_handoff(state, threads)


def _print_handoff(state: Handoff, threads: Sequence[str]) -> None:
    """Print a handoff with its threads by name: its own last lines are for an agent."""
    lines = state.text.splitlines()
    for line in lines[: len(lines) - len(state.threads) - 1]:
        print_text(line, hang=2)
    print_text("On these threads; `ais recall ID` shows one:")
    for name in threads:
        print_text(f"- {name}")
