"""`ais suggestions`: suggest how to tidy the memory, each with the command that does it."""

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context
from ai_smartness.entrypoints.cli.options import TEXT, json_option
from ai_smartness.entrypoints.cli.output import counted_noun, print_json, progress_bar, safe_text

if TYPE_CHECKING:
    from ai_smartness.model.suggestion import Health, RecallHint, Suggestions

__all__ = ["suggestions"]

COLUMNS = 80
INDENT = "  "
SHOWN_ENTRIES = 10
"""Of each section: nobody reads more at once, and acting on the first few changes the rest."""


@click.command(epilog="Example: ais suggestions working on authentication")
@click.argument("context_words", metavar="[CONTEXT]...", nargs=-1, type=TEXT)
@json_option
@pass_context
def suggestions(context: CliContext, context_words: tuple[str, ...], *, as_json: bool) -> None:
    """It also shows how full the memory is.

    With a CONTEXT, the subject of your work, it lists earlier threads about that too. Nothing is
    changed: each suggestion is printed with the command that carries it out.
    """
    subject = " ".join(context_words).strip() or None
    with context.open_described_memory() as memory, progress_bar("comparing the threads"):
        suggested = memory.suggestions(subject)
    if as_json:
        from ai_smartness.views.json import suggestions_json

        print_json(suggestions_json(suggested))
        return
    for heading, entries in _suggestion_sections(context, suggested).items():
        _print_section(heading, entries)
    _print_health(suggested.health)


def _suggestion_sections(
    context: CliContext, suggested: "Suggestions"
) -> dict[str, list[tuple[str, str]]]:
    """Return the suggestions by heading, each as a sentence and a command."""
    command = context.command_line
    return {
        "merge": [
            (
                f"{item.similarity:.2f} alike: {item.reason}",
                command("threads", "merge", item.thread_a, item.thread_b),
            )
            for item in suggested.merge_candidates
        ],
        "split": [
            (
                f"{item.reason} (split off: {', '.join(item.topics_to_split)})",
                command("threads", "split", item.thread_id),
            )
            for item in suggested.split_candidates
        ],
        "recall": [
            (f"{item.topic}: {_mention_text(item)}", command("recall", item.topic))
            for item in suggested.recall_hints
        ],
        "may no longer hold": [
            (
                f"{item.reason} ({item.newer} {item.relation.value} {item.older})",
                command("threads", "show", item.older),
            )
            for item in suggested.conflicts
        ],
        "forgotten pins": [
            (f"{item.title}: {item.reason}", command("threads", "archive", item.thread_id))
            for item in suggested.forgotten_pins
        ],
    }


def _mention_text(hint: "RecallHint") -> str:
    threads = counted_noun(hint.thread_count, "thread")
    return f"{threads}, last mentioned {hint.last_mentioned}"


def _print_section(heading: str, entries: list[tuple[str, str]]) -> None:
    if not entries:
        return
    click.echo(heading)
    for sentence, command in entries[:SHOWN_ENTRIES]:
        for line in _wrapped_lines(sentence):
            click.echo(line)
        # On a line of its own and never wrapped: it is there to be copied.
        click.echo(f"{INDENT * 2}{command}")
    if len(entries) > SHOWN_ENTRIES:
        click.echo(f"{INDENT}and {len(entries) - SHOWN_ENTRIES:,} more, all of them with --json")
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
    yield "used", used


def _wrapped_lines(text: str) -> list[str]:
    return textwrap.wrap(
        safe_text(" ".join(text.split())),
        COLUMNS - 1,
        initial_indent=INDENT,
        subsequent_indent=INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    )
