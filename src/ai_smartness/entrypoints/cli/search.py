"""`ais search`: find the messages that answer a question.

It never keeps a person waiting for a large backlog: messages that are not embedded yet are found
by keyword, and it says so.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.cli_context import (
    CliContext,
    optional_text,
    pass_context,
    valid_text,
)
from ai_smartness.entrypoints.cli.options import json_option, read_time
from ai_smartness.entrypoints.cli.output import (
    counted_noun,
    formatted_time,
    print_json,
    progress_bar,
    rich_console,
    safe_text,
)
from ai_smartness.text.identifiers import search_subwords

if TYPE_CHECKING:
    from ai_smartness.memory import Memory
    from ai_smartness.model.search import Hit

__all__ = ["matching_excerpt", "search"]

MAX_BACKLOG_MESSAGES = 200
"""A few seconds of embedding at most: a person waits that long for a better answer."""

EXCERPT_CHARACTERS = 300
LEAD_CHARACTERS = 60
"""The part of an excerpt before the first matching word."""

MIN_WORDS_TO_CUT = 10
MAX_WORD_MATCHES = 1_000
INDENT = "    "


@click.command(epilog="Example: ais search why did we drop JWT --before 2026-03-01")
@click.argument("query", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 1000), default=10, help="At most (10).")
@click.option(
    "--before", metavar="TIME", callback=read_time, help="Only messages before it, in ISO 8601."
)
@click.option("--session", help="Only messages of this session.")
@click.option("--words", is_flag=True, help="By keyword only, without the model.")
@click.option("--why", is_flag=True, help="Say how each message was found.")
@json_option
@pass_context
def search(  # noqa: PLR0913 - one for each option
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
    question = valid_text(" ".join(query)).strip()
    if not question:
        msg = "Say what to search for."
        raise click.UsageError(msg)
    with context.open_memory() as memory:
        words_only = words or not _prepare_vectors(context, memory)
        hits = memory.search(
            question, limit, before, optional_text(session), wait=False, words_only=words_only
        )
    if as_json:
        print_json(hits)
        return
    for place, hit in enumerate(hits, 1):
        _print_hit(place, hit, question, why=why)
    if not hits:
        click.echo(f"nothing found in the project {safe_text(context.project_name)}", err=True)


def _prepare_vectors(context: CliContext, memory: "Memory") -> bool:
    """Embed a small backlog, or say why some messages cannot be found by meaning."""
    status, model = memory.status(), context.missing_model
    if status.trouble:
        _print_note(f"{status.trouble} Until then search is by keyword only.")
    elif model:
        _print_note(
            f"the model {model} is missing, so search is by keyword only. "
            f"`ais model pull {model}` downloads it."
        )
    elif status.pending > MAX_BACKLOG_MESSAGES:
        _print_note(
            f"{counted_noun(status.pending, 'message')} not embedded yet, and found by keyword "
            "only. `ais reindex --missing` embeds them."
        )
    else:
        with progress_bar("embedding") as progress:
            memory.embed(progress=progress)
    return not status.trouble


def _print_note(note: str) -> None:
    click.echo(f"note: {safe_text(note)}", err=True)


def _print_hit(place: int, hit: "Hit", question: str, *, why: bool) -> None:
    from rich.text import Text

    screen = rich_console()
    if place > 1:
        screen.print()
    head = f"{place}. {hit.id}  {formatted_time(hit.at)}  {hit.role}"
    screen.print(Text(safe_text(head), "bold"), soft_wrap=True)
    where = f"session {hit.session}  {hit.thread_id}" if hit.session else hit.thread_id
    screen.print(Text(safe_text(f"{INDENT}{where}"), "dim"), soft_wrap=True)
    if why:
        screen.print(Text(f"{INDENT}{hit.score:.2f}: {hit.why}", "dim"), soft_wrap=True)
    excerpt = Text(safe_text(matching_excerpt(hit.text, question)))
    for line in excerpt.wrap(screen, screen.width - len(INDENT)):
        screen.print(Text(INDENT).append_text(line))


def matching_excerpt(text: str, question: str, size: int = EXCERPT_CHARACTERS) -> str:
    """Return the stretch of a text where most of the question's words are, on one line."""
    start = 0 if len(text) <= size else _excerpt_start(text, question, size)
    words = text[start : start + size].split()
    # A word that is cut in two says nothing, unless it is all there is.
    before = start > 0 and not text[start - 1].isspace() and len(words) > MIN_WORDS_TO_CUT
    after = start + size < len(text) and len(words) > MIN_WORDS_TO_CUT
    stretch = " ".join(words[int(before) : len(words) - int(after)])
    return f"{'…' * (start > 0)}{stretch}{'…' * (start + size < len(text))}"


def _excerpt_start(text: str, question: str, size: int) -> int:
    places = sorted(
        (found.start(), number)
        for number, word in enumerate(_query_stems(question))
        for found in islice(re.finditer(re.escape(word), text, re.IGNORECASE), MAX_WORD_MATCHES)
    )
    if not places:
        return 0
    starts = [at for at, _ in places]
    room = size - LEAD_CHARACTERS

    def word_count_from(index: int) -> int:
        end = bisect_right(starts, starts[index] + room)
        return len({number for _, number in places[index:end]})

    best = max(range(len(places)), key=lambda index: (word_count_from(index), -index))
    return max(0, min(starts[best] - LEAD_CHARACTERS, len(text) - size))


def _query_stems(question: str) -> Sequence[str]:
    """Return what to look for: the longer words, without the endings that full text ignores too."""
    words = [*re.findall(r"[^\W_]+", question), *search_subwords(question).split()]
    telling = [word for word in words if len(word) > 3] or words  # noqa: PLR2004 - "the", "why", "did"
    return list(dict.fromkeys(word[: max(4, len(word) - 3)].lower() for word in telling))
