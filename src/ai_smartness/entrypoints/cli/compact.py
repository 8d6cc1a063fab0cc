"""`ais compact`: keep the memory small, by one plan that is shown first or carried out at once.

`ais threads condense` and `ais threads restore`: say a long thread in few words, or not.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, cast

import click

from ai_smartness.entrypoints.cli.cli_context import (
    CliContext,
    open_described_memory,
    pass_context,
    valid_text,
)
from ai_smartness.entrypoints.cli.completion import thread_ids
from ai_smartness.entrypoints.cli.options import read_moment
from ai_smartness.entrypoints.cli.output import (
    change_options,
    command_line,
    print_json,
    print_outcome,
    print_table,
    printed_outcome,
    progress_bar,
    safe_text,
)
from ai_smartness.model.compaction import (
    ArchiveStep,
    Compaction,
    CompactionStep,
    CompactionStrategy,
    MergeStep,
)

if TYPE_CHECKING:
    from ai_smartness.model.condensation import CondenseOutcome
    from ai_smartness.model.event import Event


__all__ = ["CONDENSE_COMMANDS", "compact", "compaction_line", "read_point"]


@click.command(epilog="Example: ais compact --strategy gentle --dry-run")
@click.option(
    "--strategy",
    type=click.Choice([each.value for each in CompactionStrategy]),
    default=CompactionStrategy.NORMAL.value,
    help="How much is tidied away at once (normal).",
)
@change_options
@pass_context
def compact(context: CliContext, strategy: str, *, dry_run: bool, as_json: bool) -> None:
    """Merge threads that are about one subject, and put away what is old or too much.

    Pins, what is in focus and what a split locked stay as they are. It is one change:
    `ais undo` takes all of it back. With --dry-run the plan is shown and nothing is done.
    """
    with open_described_memory(context) as memory:
        with progress_bar("comparing the threads") as told:
            done = memory.compact(CompactionStrategy(strategy), dry_run=dry_run, progress=told)
        titles = {each.id: each.title for each in memory.threads()}
    if as_json:
        from ai_smartness.views.json import compaction_json

        print_json(compaction_json(done))
    elif not done.outcome.change:
        click.echo(safe_text(done.outcome.said))
    elif dry_run:
        click.echo("dry run: nothing was changed. It would say:")
        click.echo(f"{safe_text(done.outcome.said)}\n")
        _print_plan(done, titles)
        click.echo(f"carry it out with: {command_line(context, 'compact', '--strategy', strategy)}")
    else:
        _print_plan(done, titles)
        print_outcome(context, done.outcome, dry_run=False, as_json=False)


def _print_plan(done: Compaction, titles: Mapping[str, str]) -> None:
    if done.steps:
        rows = [row for step in done.steps for row in _step_rows(step, titles)]
        print_table(("", "thread", "why"), rows)
    else:
        click.echo("Nothing is to be merged or put away.")
    click.echo()
    before, after = done.before, done.after
    print_table(
        ("", "before", "after"),
        [
            ("active threads", f"{before.active_threads:,}", f"{after.active_threads:,}"),
            ("total weight", f"{before.total_weight:.1f}", f"{after.total_weight:.1f}"),
        ],
    )
    click.echo(f"Weights keep {done.weight_decay:.0%} of what they were; pins keep all.")


def _step_rows(step: CompactionStep, titles: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    match step:
        case MergeStep((survivor, *absorbed), similarity):
            yield "merge", _thread_label(survivor, titles), f"{similarity:.2f} alike"
            for each in absorbed:
                yield "  from", _thread_label(each, titles), ""
        case ArchiveStep(thread, because):
            yield "archive", _thread_label(thread, titles), because.value


def _thread_label(thread_id: str, titles: Mapping[str, str]) -> str:
    """Write the id, which is copied, on one line and what it is called on the next."""
    return f"{thread_id}\n{titles[thread_id]}" if titles.get(thread_id) else thread_id


SCOPES = ("incremental", "full", "hybrid")

MAX_COMPACTIONS = 9_999
"""A longer number is a date without its dashes."""


def _read_parameters(
    _ctx: click.Context,
    _parameter: click.Parameter,
    given: tuple[str, ...],
) -> dict[str, object]:
    """Read the parameters of a condenser, each NAME=VALUE; a number or yes and no are such."""
    return dict(_read_parameter(each) for each in given)


def _read_parameter(given: str) -> tuple[str, object]:
    name, is_given, text = given.partition("=")
    if not is_given or not name.isidentifier():
        msg = f"{given!r} is not NAME=VALUE, like files=3."
        raise click.BadParameter(msg)
    if text.lower() in ("true", "false"):
        return name, text.lower() == "true"
    return name, int(text) if text.isdecimal() else text


@click.command(epilog="Example: ais threads condense thread_20260302 --with digest --target 2000")
@click.argument("thread_id", metavar="ID", shell_complete=thread_ids)
@click.option("--with", "how", metavar="CONDENSER", help="How (the setting condense.default).")
@click.option("--scope", type=click.Choice(SCOPES), default="incremental", show_default=True)
@click.option("--target", type=click.IntRange(min=1), help="Tokens that its view may take.")
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
def condense(context: CliContext, /, thread_id: str, **given: object) -> None:
    """Say what grew long on the thread ID in few words.

    Its messages are kept, and shown with `ais threads show ID --full`; an agent sees what
    stands for them. The scope `incremental` condenses what came since the last time, `hybrid`
    also what was condensed before, `full` all that was ever said anew.
    """
    dry_run, as_json = bool(given["dry_run"]), bool(given["as_json"])
    with open_described_memory(context) as memory, progress_bar("condensing"):
        outcome = memory.condense(
            valid_text(thread_id),
            valid_text(str(given["how"])) if given["how"] else None,
            scope=str(given["scope"]),
            target=given["target"] if isinstance(given["target"], int) else None,
            dry_run=dry_run,
            **cast("dict[str, object]", given["more"]),
        )
    if as_json:
        print_json(
            {**printed_outcome(outcome, dry_run=dry_run), "compaction": _compaction_json(outcome)},
        )
    else:
        print_outcome(context, outcome, dry_run=dry_run, as_json=False)


@click.command(epilog="Example: ais threads restore thread_20260302 --before comp_7f2a")
@click.argument("thread_id", metavar="ID", shell_complete=thread_ids)
@click.option("--before", metavar="COMPACTION", required=True, help="The id of a compaction.")
@change_options
@pass_context
def restore(
    context: CliContext,
    thread_id: str,
    before: str,
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Show the thread ID again as it was before a compaction.

    That one and those after it are set aside, not deleted. `ais threads show` lists them.
    """
    with open_described_memory(context) as memory:
        outcome = memory.restore(valid_text(thread_id), before=valid_text(before), dry_run=dry_run)
    print_outcome(context, outcome, dry_run=dry_run, as_json=as_json)


CONDENSE_COMMANDS = (condense, restore)


def read_point(
    ctx: click.Context,
    parameter: click.Parameter,
    text: str | None,
) -> datetime | int | None:
    """Read a moment, or a number of compactions."""
    if text is not None and text.isdecimal() and int(text) <= MAX_COMPACTIONS:
        return int(text)
    return read_moment(ctx, parameter, text)


def compaction_line(event: "Event", *, set_aside: bool) -> str:
    """Write on one line what a compaction stands for."""
    from ai_smartness.model.condensation import condensation_of

    made = condensation_of(event)
    aside = " (set aside)" if set_aside else ""
    return (
        f"[condensed with {made.condenser}, {made.scope}: {made.originals:,} messages stand as "
        f"{len(made.replacements)}, about {made.tokens_before:,} tokens as "
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
