"""`ais compact`, `ais threads condense` and `ais threads restore`: keep the memory small.

Compaction merges and archives threads, by one plan that is shown first or carried out at once.
Condensing replaces the long messages of one thread by short ones, and can be taken back.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, cast

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context, prints_outcome
from ai_smartness.entrypoints.cli.completion import thread_argument
from ai_smartness.entrypoints.cli.options import TEXT, change_options
from ai_smartness.entrypoints.cli.output import (
    print_json,
    print_table,
    print_text,
    progress_bar,
)
from ai_smartness.model.compaction import (
    ArchiveStep,
    Compaction,
    CompactionStep,
    CompactionStrategy,
    MergeStep,
    SuspendStep,
)

if TYPE_CHECKING:
    from ai_smartness.memory import Memory
    from ai_smartness.model.condensation import CondenseOutcome
    from ai_smartness.model.event import Event
    from ai_smartness.model.journal import Outcome

__all__ = ["CONDENSE_COMMANDS", "compact", "compaction_line"]

MOST_ROWS = 48  # threads of a plan that are printed: more than somebody reads
SCOPES = ("incremental", "full", "hybrid")


@click.command(epilog="Example: ais compact --strategy gentle --dry-run")
@click.option(
    "--strategy",
    type=click.Choice([strategy.value for strategy in CompactionStrategy]),
    default=CompactionStrategy.NORMAL.value,
    help="How much to tidy at once (normal).",
)
@change_options
@pass_context
def compact(context: CliContext, strategy: str, *, dry_run: bool, as_json: bool) -> None:
    """Pins stay as they are. Focused and locked threads are never absorbed or archived.

    Everything is one change, which `ais undo` reverts. --dry-run only shows the plan.
    """
    with context.open_described_memory() as memory:
        with progress_bar("comparing the threads") as progress:
            plan = CompactionStrategy(strategy)
            done = memory.compact(plan, dry_run=dry_run, progress=progress)
        titles = {thread.id: thread.title for thread in memory.threads()}
    if as_json:
        from ai_smartness.views.json import compaction_json

        print_json(compaction_json(done))
    elif not done.outcome.change:
        print_text(done.outcome.said)
    elif dry_run and not done.steps:
        print_text(f"dry run: there is nothing to do. {done.outcome.said}")
    elif dry_run:
        click.echo("dry run: nothing was changed. It would say:")
        print_text(f"{done.outcome.said}\n")
        _print_plan(done, titles)
        click.echo(f"carry it out with: {context.command_line('compact', '--strategy', strategy)}")
    else:
        _print_plan(done, titles)
        context.print_outcome(done.outcome)


def _print_plan(done: Compaction, titles: Mapping[str, str]) -> None:
    if done.steps:
        rows = [row for step in done.steps for row in _step_rows(step, titles)]
        print_table(("", "thread", "why"), rows[:MOST_ROWS])
        if len(rows) > MOST_ROWS:
            click.echo(f"… and {len(rows) - MOST_ROWS:,} more; --json lists all.")
    else:
        click.echo("There is nothing to merge or archive.")
    click.echo()
    before, after = done.before, done.after
    print_table(
        ("", "before", "after"),
        [
            ("active threads", f"{before.active_threads:,}", f"{after.active_threads:,}"),
            ("total weight", f"{before.total_weight:.1f}", f"{after.total_weight:.1f}"),
        ],
    )
    click.echo(f"Weights drop to {done.weight_decay:.0%}; pins keep theirs.")


def _step_rows(step: CompactionStep, titles: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    match step:
        case MergeStep((survivor, *absorbed), similarity):
            yield "merge", _thread_label(survivor, titles), f"{similarity:.2f} alike"
            for thread_id in absorbed:
                yield "  from", _thread_label(thread_id, titles), ""
        case ArchiveStep(thread_id, reason):
            yield "archive", _thread_label(thread_id, titles), reason.value
        case SuspendStep(thread_id):
            yield "suspend", _thread_label(thread_id, titles), "too light"


def _thread_label(thread_id: str, titles: Mapping[str, str]) -> str:
    """Return the id, which is copied, on one line and the title on the next."""
    return f"{thread_id}\n{titles[thread_id]}" if titles.get(thread_id) else thread_id


def _read_parameters(
    _ctx: click.Context, _parameter: click.Parameter, texts: tuple[str, ...]
) -> dict[str, object]:
    """Read the parameters of a condenser, each NAME=VALUE, as numbers, booleans or text."""
    return dict(_read_parameter(text) for text in texts)


def _read_parameter(text: str) -> tuple[str, object]:
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        msg = f"{text!r} is not NAME=VALUE, like files=3."
        raise click.BadParameter(msg)
    if value.lower() in ("true", "false"):
        return name, value.lower() == "true"
    return name, int(value) if value.isdecimal() else value


@click.command(epilog="Example: ais threads condense thread_20260302 --with digest --target 2000")
@thread_argument
@click.option(
    "--with",
    "how",
    metavar="CONDENSER",
    type=TEXT,
    help="The condenser to use (setting condense.default).",
)
@click.option("--scope", type=click.Choice(SCOPES), default="incremental", show_default=True)
@click.option(
    "--target", type=click.IntRange(min=1), help="Target size of the working view, in tokens."
)
@click.option(
    "--set",
    "more",
    metavar="NAME=VALUE",
    multiple=True,
    callback=_read_parameters,
    help="A parameter of the condenser.",
)
@change_options
@pass_context
def condense(context: CliContext, /, thread_id: str, **options: object) -> None:
    """Condense the thread ID: replace its older messages with a shorter version.

    The messages are kept, and `ais threads show ID --full` shows them; an agent sees the short
    ones. The scope `incremental` condenses the messages since the last time, `hybrid` also the
    earlier condensed ones, `full` all original messages again.
    """
    dry_run, target = bool(options["dry_run"]), options["target"]
    with context.open_described_memory() as memory, progress_bar("condensing"):
        outcome = memory.condense(
            thread_id,
            str(options["how"]) if options["how"] else None,
            scope=str(options["scope"]),
            target=target if isinstance(target, int) else None,
            dry_run=dry_run,
            **cast("dict[str, object]", options["more"]),
        )
    if options["as_json"]:
        from ai_smartness.views.json import outcome_json

        compaction = _compaction_json(outcome)
        print_json({**outcome_json(outcome, dry_run=dry_run), "compaction": compaction})
    else:
        context.print_outcome(outcome, dry_run=dry_run)


@click.command(epilog="Example: ais threads restore thread_20260302 --before comp_7f2a")
@thread_argument
@click.option(
    "--before", metavar="COMPACTION", required=True, type=TEXT, help="The id of a compaction."
)
@prints_outcome
def restore(memory: "Memory", thread_id: str, before: str, *, dry_run: bool) -> "Outcome":
    """Restore the thread ID to its state before a compaction.

    That compaction and later ones are set aside, not deleted. `ais threads show` lists them.
    """
    return memory.restore(thread_id, before=before, dry_run=dry_run)


CONDENSE_COMMANDS = (condense, restore)


def compaction_line(event: "Event", *, set_aside: bool) -> str:
    """Summarize a compaction event on one line."""
    from ai_smartness.model.condensation import condensation_of

    made = condensation_of(event)
    aside = " (set aside)" if set_aside else ""
    return (
        f"[condensed with {made.condenser}, {made.scope}: {made.originals:,} messages replaced by "
        f"{len(made.replacements)}, about {made.tokens_before:,} tokens by "
        f"{made.tokens_after:,}]{aside}"
    )


def _compaction_json(outcome: "CondenseOutcome") -> dict[str, object]:
    made = outcome.compaction
    return {
        "id": made.id,
        "condenser": made.condenser,
        "version": made.version,
        "scope": made.scope,
        "parameters": made.parameters,
        "messages": made.originals,
        "tokens_before": made.tokens_before,
        "tokens_after": made.tokens_after,
        "replacements": made.replacements,
    }
