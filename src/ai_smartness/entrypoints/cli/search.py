"""`ais search`: find the messages that answer a question.

It never keeps a person waiting for a large backlog: messages that are not embedded yet are found
by keyword, and it says so.
"""

import re
import sys
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context
from ai_smartness.entrypoints.cli.options import TEXT, json_option, read_time
from ai_smartness.entrypoints.cli.output import (
    counted_noun,
    formatted_time,
    print_json,
    print_note,
    print_text,
    progress_bar,
    safe_text,
    shown_id,
)
from ai_smartness.entrypoints.cli.pager import paged
from ai_smartness.entrypoints.cli.thread_names import ThreadNames
from ai_smartness.model.status import MAX_BACKLOG_MESSAGES
from ai_smartness.text.display import matching_excerpt
from ai_smartness.text.keywords import search_subwords

if TYPE_CHECKING:
    from ai_smartness.memory import Memory
    from ai_smartness.model.search import Hit

__all__ = ["query_stems", "search"]

EXCERPT_CHARACTERS = 300

INDENT = "    "


@click.command(epilog="Example: ais search why did we drop JWT --before 2026-03-01")
@click.argument("query", nargs=-1, required=True, type=TEXT)
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=10, help="Maximum number of messages (10)."
)
@click.option(
    "--before",
    metavar="TIME",
    callback=read_time,
    help="Only messages before this time (ISO 8601).",
)
@click.option("--session", type=TEXT, help="Only messages of this session.")
@click.option("--words", is_flag=True, help="By keyword only, without the model.")
@click.option("--why", is_flag=True, help="Say how each message was found.")
@json_option
@pass_context
@paged
def search(
    context: CliContext,
    query: tuple[str, ...],
    limit: int,
    before: datetime | None,
    session: str | None,
    *,
    words: bool,
    why: bool,
    as_json: bool,
) -> None:
    """The messages that answer QUERY best come first."""
    question = " ".join(query).strip()
    if not question:
        msg = "Say what to search for."
        raise click.UsageError(msg)
    with context.open_memory() as memory:
        words_only = words or not _prepare_vectors(context, memory)
        whole = None if session is None else memory.session_id(session)
        hits = memory.search(question, limit, before, whole, wait=False, words_only=words_only)
        names = {} if as_json else _thread_names(memory, hits)
    if as_json:
        print_json(hits)
        return
    for place, hit in enumerate(hits, 1):
        if place > 1:
            click.echo()
        _print_hit(f"{place}. {names[hit.thread_id]}", hit, question, why=why)
    if not hits:
        click.echo(f"nothing found in the project {safe_text(context.project_name)}", err=True)


def _prepare_vectors(context: CliContext, memory: "Memory") -> bool:
    """Embed a small backlog, or say why some messages cannot be found by meaning."""
    status, model = memory.status(), context.missing_model
    if status.trouble:
        print_note(f"{status.trouble} Until then search is by keyword only.")
    elif model:
        print_note(
            f"the model {model} is missing, so search is by keyword only. "
            f"`ais model pull {model}` downloads it."
        )
    elif status.pending > MAX_BACKLOG_MESSAGES:
        print_note(
            f"{counted_noun(status.pending, 'message')} not embedded yet, and found by keyword "
            "only. `ais reindex --missing` embeds them."
        )
    else:
        with progress_bar("embedding") as progress:
            memory.embed(progress=progress)
    return not status.trouble


def _thread_names(memory: "Memory", hits: "Sequence[Hit]") -> dict[str, str]:
    names = ThreadNames(memory)
    return {hit.thread_id: names.name(hit.thread_id) for hit in hits}


def _print_hit(head: str, hit: "Hit", question: str, *, why: bool) -> None:
    print_text(head, hang=len(INDENT), style="bold")
    is_wanted = why or not sys.stdout.isatty()  # two long ids do not fit into a line
    session = f", session {hit.session}" if hit.session and is_wanted else ""
    said = (
        f"{hit.origin or hit.role}, {formatted_time(hit.at)}, message {shown_id(hit.id)}{session}"
    )
    print_text(f"{INDENT}{said}", style="dim")
    if why:
        print_text(f"{INDENT}{hit.score:.2f}: {hit.why}", style="dim")
    print_text(INDENT + matching_excerpt(hit.text, query_stems(question), EXCERPT_CHARACTERS))


def query_stems(question: str) -> list[str]:
    """Return the longer words of a question, without the endings that search ignores too."""
    words = [*re.findall(r"[^\W_]+", question), *search_subwords(question).split()]
    telling = [word for word in words if len(word) > 3] or words  # noqa: PLR2004 - "the", "why", "did"
    return list(dict.fromkeys(word[: max(4, len(word) - 3)].lower() for word in telling))
