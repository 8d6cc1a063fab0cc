"""`ais suggestions`: what could be done for the memory, and by which command."""

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.cli_context import (
    CliContext,
    open_described_memory,
    pass_context,
    valid_text,
)
from ai_smartness.entrypoints.cli.options import json_option
from ai_smartness.entrypoints.cli.output import (
    command_line,
    counted_noun,
    print_json,
    progress_bar,
    safe_text,
)

if TYPE_CHECKING:
    from ai_smartness.model.suggestion import Health, RecallHint, Suggestions

__all__ = ["suggestions"]

COLUMNS = 80
INDENT = "  "
SHOWN = 10
"""Of each sort: nobody reads more at once, and after the first few there are others."""


@click.command(epilog="Example: ais suggestions working on authentication")
@click.argument("context_words", metavar="[CONTEXT]...", nargs=-1)
@json_option
@pass_context
def suggestions(context: CliContext, context_words: tuple[str, ...], *, as_json: bool) -> None:
    """Say what could be merged, split, recalled or put away, and how full the memory is.

    Given a CONTEXT, what you are about to work on, it also says what was said of that before.
    Nothing is changed: each suggestion is printed with the command that does it.
    """
    about = valid_text(" ".join(context_words)).strip() or None
    with open_described_memory(context) as memory, progress_bar("looking through the threads"):
        found = memory.suggestions(about)
    if as_json:
        from ai_smartness.views.json import suggestions_json

        print_json(suggestions_json(found))
        return
    for heading, entries in _suggestion_sections(context, found).items():
        _print_section(heading, entries)
    _print_health(found.health)


def _suggestion_sections(
    context: CliContext,
    found: "Suggestions",
) -> dict[str, list[tuple[str, str]]]:
    """Write every suggestion as what is said of it and the command that does it."""
    return {
        "merge": [
            (
                f"{each.similarity:.2f} alike: {each.reason}",
                command_line(context, "threads", "merge", each.thread_a, each.thread_b),
            )
            for each in found.merge_candidates
        ],
        "split": [
            (
                f"{each.reason} (split off: {', '.join(each.topics_to_split)})",
                command_line(context, "threads", "split", each.thread_id),
            )
            for each in found.split_candidates
        ],
        "recall": [
            (_mention_text(each), command_line(context, "recall", each.topic))
            for each in found.recall_hints
        ],
        "may no longer hold": [
            (
                f"{each.reason} ({each.newer} {each.relation.value} {each.older})",
                command_line(context, "threads", "show", each.older),
            )
            for each in found.conflicts
        ],
        "forgotten pins": [
            (
                f"{each.title}: {each.reason}",
                command_line(context, "threads", "archive", each.thread_id),
            )
            for each in found.forgotten_pins
        ],
    }


def _mention_text(hint: "RecallHint") -> str:
    threads = counted_noun(hint.thread_count, "thread")
    return f"{hint.topic}: {threads}, last mentioned {hint.last_mentioned}"


def _print_section(heading: str, entries: list[tuple[str, str]]) -> None:
    if not entries:
        return
    click.echo(heading)
    for said, does in entries[:SHOWN]:
        for line in _wrapped_lines(said):
            click.echo(line)
        # On a line of its own and never wrapped: it is there to be copied.
        click.echo(f"{INDENT * 2}{does}")
    if len(entries) > SHOWN:
        click.echo(f"{INDENT}and {len(entries) - SHOWN:,} more, all of them with --json")
    click.echo()


def _print_health(health: "Health") -> None:
    click.echo("health")
    for label, value in _health_measures(health):
        click.echo(f"{INDENT}{label:<18}{value}")
    for line in _wrapped_lines(health.recommendation):
        click.echo(line)


def _health_measures(health: "Health") -> Iterator[tuple[str, str]]:
    yield "active threads", f"{health.active_threads:,} of {health.allowed_threads:,}"
    yield "context pressure", f"{health.context_pressure:.2f}"
    yield "tokens injected", f"{health.tokens_injected:,} of {health.token_budget:,} a prompt"
    used = "nothing was shown yet" if health.hit_rate is None else f"{health.hit_rate:.0%}"
    yield "of use", used


def _wrapped_lines(said: str) -> list[str]:
    return textwrap.wrap(
        safe_text(" ".join(said.split())),
        COLUMNS - 1,
        initial_indent=INDENT,
        subsequent_indent=INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    )
