"""`ais suggestions`: suggest how to tidy the memory, each with the command that does it."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context
from ai_smartness.entrypoints.cli.options import TEXT, json_option
from ai_smartness.entrypoints.cli.output import counted_noun, print_json, progress_bar, safe_text
from ai_smartness.model.bridge import Relation

if TYPE_CHECKING:
    from ai_smartness.memory import Memory
    from ai_smartness.model.statement import Statement
    from ai_smartness.model.suggestion import Conflict, Health, RecallHint, Suggestions

__all__ = ["suggestions"]

COLUMNS = 80
INDENT = "  "
SHOWN_ENTRIES = 10
"""Of each section: nobody reads more at once, and acting on the first few changes the rest."""
CONFLICT_RELATIONS = (Relation.REPLACES, Relation.UPDATES, Relation.CONTRADICTS)
QUOTED_CHARACTERS = 40  # of a statement; the reason for a conflict quotes at least its start

PRESSURE_TEXT = (
    "Context pressure is the weight of all active threads, divided by 10. Unused threads lose "
    "weight by themselves; `ais compact --dry-run` shows what a clean-up would change."
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
def suggestions(context: CliContext, context_words: tuple[str, ...], *, as_json: bool) -> None:
    """It also shows how full the memory is.

    With a CONTEXT, the subject of your work, it lists earlier threads about that too. Nothing is
    changed: each suggestion is printed with the command that carries it out.
    """
    subject = " ".join(context_words).strip() or None
    with context.open_described_memory() as memory, progress_bar("comparing the threads"):
        suggested = memory.suggestions(subject)
        conflicts = [] if as_json else _conflict_entries(context, memory, suggested.conflicts)
    if as_json:
        from ai_smartness.views.json import suggestions_json

        print_json(suggestions_json(suggested))
        return
    for heading, entries in _suggestion_sections(context, suggested, conflicts).items():
        _print_section(heading, entries)
    _print_health(suggested.health)


def _suggestion_sections(
    context: CliContext, suggested: "Suggestions", conflicts: list[SuggestionEntry]
) -> dict[str, list[SuggestionEntry]]:
    """Return the suggestions by heading."""
    command = context.command_line
    return {
        "merge": [
            SuggestionEntry(
                f"{item.similarity:.2f} alike: {item.reason}",
                command("threads", "merge", item.thread_a, item.thread_b),
            )
            for item in suggested.merge_candidates
        ],
        "split": [
            SuggestionEntry(
                f"{item.reason} (split off: {', '.join(item.topics_to_split)})",
                command("threads", "split", item.thread_id),
            )
            for item in suggested.split_candidates
        ],
        "recall": [
            SuggestionEntry(f"{item.topic}: {_mention_text(item)}", command("recall", item.topic))
            for item in suggested.recall_hints
        ],
        "may no longer hold": conflicts,
        "forgotten pins": [
            SuggestionEntry(
                f"{item.title}: {item.reason}", command("threads", "archive", item.thread_id)
            )
            for item in suggested.forgotten_pins
        ],
    }


def _conflict_entries(
    context: CliContext, memory: "Memory", conflicts: Sequence["Conflict"]
) -> list[SuggestionEntry]:
    """Return the conflicts, each with the commands that settle it."""
    statements = memory.statements() if conflicts else []
    return [
        SuggestionEntry(
            f"{item.reason} ({item.newer} {item.relation.value} {item.older})",
            context.command_line("threads", "show", item.older),
            {
                "if it no longer holds": [
                    *(
                        context.command_line("statements", "reject", statement.short_id)
                        for statement in statements
                        if _is_quoted(statement, item)
                    ),
                    context.command_line("threads", "archive", item.older),
                ],
                "if both hold": [
                    context.command_line("bridges", "remove", bridge_id)
                    for bridge_id in _conflict_bridges(memory, item)
                ],
            },
        )
        for item in conflicts
    ]


def _is_quoted(statement: "Statement", conflict: "Conflict") -> bool:
    """Say whether the reason for a conflict quotes this statement of the older thread."""
    start = " ".join(statement.text.split())[:QUOTED_CHARACTERS]
    return statement.thread_id == conflict.older and start in conflict.reason


def _conflict_bridges(memory: "Memory", conflict: "Conflict") -> list[str]:
    """Return the bridges by which the two threads are in conflict."""
    ends = {conflict.older, conflict.newer}
    return [
        bridge.id
        for bridge in memory.bridges(conflict.older)
        if {bridge.source, bridge.target} == ends and bridge.relation in CONFLICT_RELATIONS
    ]


def _mention_text(hint: "RecallHint") -> str:
    threads = counted_noun(hint.thread_count, "thread")
    return f"{threads}, last mentioned {hint.last_mentioned}"


def _print_section(heading: str, entries: list[SuggestionEntry]) -> None:
    if not entries:
        return
    click.echo(heading)
    for entry in entries[:SHOWN_ENTRIES]:
        for line in _wrapped_lines(entry.sentence):
            click.echo(line)
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
        click.echo(f"{INDENT * 2}{command}")


def _print_health(health: "Health") -> None:
    click.echo("health")
    for label, value in _health_measures(health):
        click.echo(f"{INDENT}{label:<18}{value}")
    explanation = PRESSURE_TEXT if health.is_pressure_high else ""
    for line in (*_wrapped_lines(health.recommendation), *_wrapped_lines(explanation)):
        click.echo(line)


def _health_measures(health: "Health") -> Iterator[tuple[str, str]]:
    yield "active threads", f"{health.active_threads:,} of {health.allowed_threads:,}"
    high = ", high" if health.is_pressure_high else ""
    yield "context pressure", f"{health.context_pressure:.2f} of 1{high}"
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
