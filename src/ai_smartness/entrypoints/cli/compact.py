"""`ais compact`: keep the memory small, by one plan that is shown first or carried out at once."""

from collections.abc import Iterator, Mapping

import click

from ai_smartness.entrypoints.cli.context import Context, pass_context
from ai_smartness.entrypoints.cli.described import described
from ai_smartness.entrypoints.cli.outcome import changing, command, print_outcome
from ai_smartness.entrypoints.cli.output import print_json, print_table, progress, visible
from ai_smartness.model.compaction import Archived, Compaction, Merged, Step, Strategy

__all__ = ["compact"]


@click.command(epilog="Example: ais compact --strategy gentle --dry-run")
@click.option(
    "--strategy",
    type=click.Choice([each.value for each in Strategy]),
    default=Strategy.NORMAL.value,
    help="How much is tidied away at once (normal).",
)
@changing
@pass_context
def compact(context: Context, strategy: str, *, dry_run: bool, as_json: bool) -> None:
    """Merge threads that are about one subject, and put away what is old or too much.

    Pins, what is in focus and what a split locked stay as they are. It is one change:
    `ais undo` takes all of it back. With --dry-run the plan is shown and nothing is done.
    """
    with described(context) as memory:
        with progress("comparing the threads") as told:
            done = memory.compact(Strategy(strategy), dry_run=dry_run, progress=told)
        titles = {each.id: each.title for each in memory.threads()}
    if as_json:
        from ai_smartness.entrypoints.tools.shapes import compaction_shape  # noqa: PLC0415

        print_json(compaction_shape(done))
    elif not done.outcome.change:
        click.echo(visible(done.outcome.said))
    elif dry_run:
        click.echo("dry run: nothing was changed. It would say:")
        click.echo(f"{visible(done.outcome.said)}\n")
        _print_plan(done, titles)
        click.echo(f"carry it out with: {command(context, 'compact', '--strategy', strategy)}")
    else:
        _print_plan(done, titles)
        print_outcome(context, done.outcome, dry_run=False, as_json=False)


def _print_plan(done: Compaction, titles: Mapping[str, str]) -> None:
    if done.steps:
        rows = [row for step in done.steps for row in _rows(step, titles)]
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


def _rows(step: Step, titles: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    match step:
        case Merged((survivor, *absorbed), similarity):
            yield "merge", _named(survivor, titles), f"{similarity:.2f} alike"
            for each in absorbed:
                yield "  from", _named(each, titles), ""
        case Archived(thread, because):
            yield "archive", _named(thread, titles), because.value


def _named(thread_id: str, titles: Mapping[str, str]) -> str:
    """Write the id, which is copied, on one line and what it is called on the next."""
    return f"{thread_id}\n{titles[thread_id]}" if titles.get(thread_id) else thread_id
