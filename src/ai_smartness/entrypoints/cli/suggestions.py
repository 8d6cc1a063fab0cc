"""`ais suggestions`: suggest how to tidy the memory, each with the command that does it."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context
from ai_smartness.entrypoints.cli.options import TEXT, json_option
from ai_smartness.entrypoints.cli.output import counted_noun, print_json, print_text, progress_bar
from ai_smartness.entrypoints.cli.pager import paged
from ai_smartness.entrypoints.cli.thread_names import ThreadNames
from ai_smartness.model.short_ids import short_id

if TYPE_CHECKING:
    from ai_smartness.memory import Memory
    from ai_smartness.model.statement import Statement
    from ai_smartness.model.suggestion import Conflict, Health, RecallHint, Suggestions

__all__ = ["suggestions"]

INDENT = "  "
SHOWN_ENTRIES = 10
"""Of each section: nobody reads more at once, and acting on the first few changes the rest."""
QUOTED_CHARACTERS = 40  # of a statement; the reason for a conflict quotes at least its start

PRESSURE_TEXT = (
    "Recent use, also called context pressure, is the weight of all active threads, divided by "
    "10. It is high when much was said lately, and asks for nothing: unused threads lose weight "
    "by themselves. `ais compact --dry-run` shows what a clean-up would change."
)


class SuggestionEntry(NamedTuple):
    """A suggestion as it is printed: a sentence, its command, and commands on a condition."""

    sentence: str
    command: str
    conditional: Mapping[str, Sequence[str]] = MappingProxyType({})


@click.command(epilog="Example: ais suggestions working on authentication")
@click.argument("context_words", metavar="[CONTEXT]...", nargs=-1, type=TEXT)
@json_option
@pass_context
@paged
def suggestions(context: CliContext, context_words: tuple[str, ...], *, as_json: bool) -> None:
    """It also shows how full the memory is.

    With a CONTEXT, the subject of your work, it lists earlier threads about that too. Nothing is
    changed: each suggestion is printed with the command that carries it out.
    """
    subject = " ".join(context_words).strip() or None
    with context.open_described_memory() as memory, progress_bar("comparing the threads"):
        suggested = memory.suggestions(subject)
        names = ThreadNames(memory)
        sections = {} if as_json else _suggestion_sections(context, memory, suggested, names)
    if as_json:
        from ai_smartness.views.json import suggestions_json

        print_json(suggestions_json(suggested))
        return
    for heading, entries in sections.items():
        _print_section(heading, entries)
    _print_health(suggested.health)


def _suggestion_sections(
    context: CliContext, memory: "Memory", suggested: "Suggestions", names: ThreadNames
) -> dict[str, list[SuggestionEntry]]:
    """Return the suggestions by heading."""
    command, short = context.command_line, names.short_id
    return {
        "merge": [
            SuggestionEntry(
                f"{names.name(item.thread_a)} and {names.name(item.thread_b)}, "
                f"{item.similarity:.2f} alike: {item.reason}",
                command("threads", "merge", short(item.thread_a), short(item.thread_b)),
                {
                    "if they are two subjects": [
                        command("threads", "keep-apart", short(item.thread_a), short(item.thread_b))
                    ]
                },
            )
            for item in suggested.merge_candidates
        ],
        "split": [
            SuggestionEntry(
                f"{names.name(item.thread_id)}: {item.reason} "
                f"(split off: {', '.join(item.topics_to_split)})",
                command("threads", "split", short(item.thread_id)),
                {"if it is one subject": [command("threads", "keep-whole", short(item.thread_id))]},
            )
            for item in suggested.split_candidates
        ],
        "recall": [
            SuggestionEntry(f"{item.topic}: {_mention_text(item)}", command("recall", item.topic))
            for item in suggested.recall_hints
        ],
        "may no longer hold": _conflict_entries(context, memory, suggested.conflicts, names),
        "forgotten pins": [
            SuggestionEntry(
                f"{names.name(item.thread_id)}: {item.reason}",
                command("threads", "archive", short(item.thread_id)),
            )
            for item in suggested.forgotten_pins
        ],
    }


def _conflict_entries(
    context: CliContext, memory: "Memory", conflicts: Sequence["Conflict"], names: ThreadNames
) -> list[SuggestionEntry]:
    """Return the conflicts, each with the commands that settle it."""
    from ai_smartness.views.suggestions import conflict_bridges

    statements = memory.statements() if conflicts else []
    return [
        SuggestionEntry(
            f"{item.reason} ({names.name(item.newer)} {item.relation.value} "
            f"{names.name(item.older)})",
            context.command_line("threads", "show", names.short_id(item.older)),
            {
                "if it no longer holds": [
                    *(
                        context.command_line("statements", "reject", statement.short_id)
                        for statement in statements
                        if _is_quoted(statement, item)
                    ),
                    context.command_line("threads", "archive", names.short_id(item.older)),
                ],
                "if both hold": [
                    context.command_line("bridges", "remove", short_id(bridge.id))
                    for bridge in conflict_bridges(
                        memory.bridges(item.older), item.older, item.newer
                    )
                ],
            },
        )
        for item in conflicts
    ]


def _is_quoted(statement: "Statement", conflict: "Conflict") -> bool:
    """Say whether the reason for a conflict quotes this statement of the older thread."""
    start = " ".join(statement.text.split())[:QUOTED_CHARACTERS]
    return statement.thread_id == conflict.older and start in conflict.reason


def _mention_text(hint: "RecallHint") -> str:
    threads = counted_noun(hint.thread_count, "thread")
    return f"{threads}, last mentioned {hint.last_mentioned}"


def _print_section(heading: str, entries: list[SuggestionEntry]) -> None:
    if not entries:
        return
    click.echo(click.style(heading, bold=True))
    for place, entry in enumerate(entries[:SHOWN_ENTRIES]):
        if place:
            click.echo()
        print_text(f"{INDENT}{entry.sentence}")
        _print_commands([entry.command])
        for condition, commands in entry.conditional.items():
            if commands:
                click.echo(f"{INDENT}{condition}:")
                _print_commands(commands)
    if len(entries) > SHOWN_ENTRIES:
        click.echo(f"{INDENT}and {len(entries) - SHOWN_ENTRIES:,} more, all of them with --json")
    click.echo()


def _print_commands(commands: Sequence[str]) -> None:
    for command in commands:
        # On a line of its own and never wrapped: it is there to be copied.
        click.echo(click.style(f"{INDENT * 2}{command}", fg="cyan"))


def _print_health(health: "Health") -> None:
    click.echo(click.style("health", bold=True))
    for label, value in _health_measures(health):
        click.echo(f"{INDENT}{label:<18}{value}")
    explanation = PRESSURE_TEXT if health.is_pressure_high else ""
    for text in (health.recommendation, explanation):
        if text:
            print_text(f"{INDENT}{text}")


def _health_measures(health: "Health") -> Iterator[tuple[str, str]]:
    yield "active threads", f"{health.active_threads:,} of {health.allowed_threads:,}"
    yield "recent use", f"{health.context_pressure:.2f} of 1"
    yield "tokens injected", f"{health.tokens_injected:,} of {health.token_budget:,} a prompt"
    used = "nothing was shown yet" if health.hit_rate is None else f"{health.hit_rate:.0%}"
    yield "used", used
