"""`ais suggestions`: what could be done for the memory, and by which command."""

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.config import as_json
from ai_smartness.entrypoints.cli.context import Context, pass_context, readable
from ai_smartness.entrypoints.cli.counted import counted
from ai_smartness.entrypoints.cli.described import described
from ai_smartness.entrypoints.cli.outcome import command
from ai_smartness.entrypoints.cli.output import print_json, progress, visible

if TYPE_CHECKING:
    from ai_smartness.model.suggestion import Health, RecallHint, Suggestions

__all__ = ["suggestions"]

COLUMNS = 80
INDENT = "  "
SHOWN = 10
"""Of each sort: nobody reads more at once, and after the first few there are others."""


@click.command(epilog="Example: ais suggestions working on authentication")
@click.argument("context_words", metavar="[CONTEXT]...", nargs=-1)
@as_json
@pass_context
def suggestions(context: Context, context_words: tuple[str, ...], *, as_json: bool) -> None:
    """Say what could be merged, split, recalled or put away, and how full the memory is.

    Given a CONTEXT, what you are about to work on, it also says what was said of that before.
    Nothing is changed: each suggestion is printed with the command that does it.
    """
    about = readable(" ".join(context_words)).strip() or None
    with described(context) as memory, progress("looking through the threads"):
        found = memory.suggestions(about)
    if as_json:
        from ai_smartness.entrypoints.tools.shapes import suggestions_shape  # noqa: PLC0415

        print_json(suggestions_shape(found))
        return
    for heading, entries in _sections(context, found).items():
        _print_section(heading, entries)
    _print_health(found.health)


def _sections(context: Context, found: "Suggestions") -> dict[str, list[tuple[str, str]]]:
    """Write every suggestion as what is said of it and the command that does it."""
    return {
        "merge": [
            (
                f"{each.similarity:.2f} alike: {each.reason}",
                command(context, "threads", "merge", each.thread_a, each.thread_b),
            )
            for each in found.merge_candidates
        ],
        "split": [
            (
                f"{each.reason} (split off: {', '.join(each.topics_to_split)})",
                command(context, "threads", "split", each.thread_id),
            )
            for each in found.split_candidates
        ],
        "recall": [
            (_mentioned(each), command(context, "recall", each.topic))
            for each in found.recall_hints
        ],
        "may no longer hold": [
            (
                f"{each.reason} ({each.newer} {each.relation.value} {each.older})",
                command(context, "threads", "show", each.older),
            )
            for each in found.conflicts
        ],
        "forgotten pins": [
            (f"{each.title}: {each.reason}", command(context, "threads", "archive", each.thread_id))
            for each in found.forgotten_pins
        ],
    }


def _mentioned(hint: "RecallHint") -> str:
    threads = counted(hint.thread_count, "thread")
    return f"{hint.topic}: {threads}, last mentioned {hint.last_mentioned}"


def _print_section(heading: str, entries: list[tuple[str, str]]) -> None:
    if not entries:
        return
    click.echo(heading)
    for said, does in entries[:SHOWN]:
        for line in _wrapped(said):
            click.echo(line)
        # On a line of its own and never wrapped: it is there to be copied.
        click.echo(f"{INDENT * 2}{does}")
    if len(entries) > SHOWN:
        click.echo(f"{INDENT}and {len(entries) - SHOWN:,} more, all of them with --json")
    click.echo()


def _print_health(health: "Health") -> None:
    click.echo("health")
    for label, value in _measures(health):
        click.echo(f"{INDENT}{label:<18}{value}")
    for line in _wrapped(health.recommendation):
        click.echo(line)


def _measures(health: "Health") -> Iterator[tuple[str, str]]:
    yield "active threads", f"{health.active_threads:,} of {health.allowed_threads:,}"
    yield "context pressure", f"{health.context_pressure:.2f}"
    yield "tokens injected", f"{health.tokens_injected:,} of {health.token_budget:,} a prompt"
    used = "nothing was shown yet" if health.hit_rate is None else f"{health.hit_rate:.0%}"
    yield "of use", used


def _wrapped(said: str) -> list[str]:
    return textwrap.wrap(
        visible(" ".join(said.split())),
        COLUMNS - 1,
        initial_indent=INDENT,
        subsequent_indent=INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    )
