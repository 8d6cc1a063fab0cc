"""`ais bridges`: list the links between threads, make one, take one away, follow one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.cli_context import (
    CliContext,
    ListByDefaultGroup,
    open_described_memory,
    pass_context,
    valid_text,
)
from ai_smartness.entrypoints.cli.completion import thread_ids
from ai_smartness.entrypoints.cli.options import json_option
from ai_smartness.entrypoints.cli.output import (
    change_options,
    print_json,
    print_outcome,
    print_table,
    printed_outcome,
    rich_console,
    safe_text,
)
from ai_smartness.entrypoints.cli.thread_page import print_thread_page, thread_page
from ai_smartness.model.bridge import Bridge, BridgeDraft, Relation
from ai_smartness.model.errors import RefusedError

if TYPE_CHECKING:
    from ai_smartness.memory import Memory

__all__ = ["bridges"]

WIDE_COLUMNS = 150
"""From here on a bridge and both its ends fit side by side."""


class ThreadOrCommandGroup(ListByDefaultGroup):
    """A group that lists what belongs to a thread when a thread is named in place of a command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments, as those of `list` where the first is no subcommand."""
        words = [each for each in args if not each.startswith("-")]
        # One word alone: with more of them it is a subcommand that was mistyped.
        if len(words) == 1 and args[:1] == words and words[0] not in self.commands:
            args = ["list", *args]
        return super().parse_args(ctx, args)


@click.group(cls=ThreadOrCommandGroup, epilog="Example: ais bridges thread_20260302")
def bridges() -> None:
    """List the links between threads, make one, take one away, follow one.

    Without a subcommand, list those of the project, or of the thread that is named.
    """


@bridges.command("list", epilog="Example: ais bridges list thread_20260302")
@click.argument("thread_id", metavar="[THREAD]", required=False, shell_complete=thread_ids)
@json_option
@pass_context
def list_all(context: CliContext, thread_id: str | None, *, as_json: bool) -> None:
    """List the bridges of the project, or of THREAD, with what they weigh now."""
    with open_described_memory(context) as memory:
        found = memory.bridges(None if thread_id is None else valid_text(thread_id))
    if as_json:
        print_json(found)
    elif found:
        _print_bridges(found)
    else:
        where = (
            f"the project {context.project_name}" if thread_id is None else valid_text(thread_id)
        )
        click.echo(f"There are no bridges in {safe_text(where)}. `ais bridges add` makes one.")


@bridges.command(epilog="Example: ais bridges add thread_20260302 depends thread_20260409")
@click.argument("source", shell_complete=thread_ids)
@click.argument("relation", type=click.Choice([each.value for each in Relation]))
@click.argument("target", shell_complete=thread_ids)
@click.option("--weight", type=float, default=0.5, help="How strong it is, over 0 and to 1 (0.5).")
@click.option("--reason", default="", help="Why they belong together.")
@change_options
@pass_context
def add(  # noqa: PLR0913 - one for each option
    context: CliContext,
    source: str,
    relation: str,
    target: str,
    weight: float,
    reason: str,
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Make a bridge: say what the thread SOURCE is to the thread TARGET."""
    wanted = BridgeDraft(
        source=valid_text(source),
        target=valid_text(target),
        relation=Relation(relation),
        weight=weight,
        reason=valid_text(reason),
    )
    with open_described_memory(context) as memory:
        outcome = memory.link(wanted, dry_run=dry_run)
    print_outcome(context, outcome, dry_run=dry_run, as_json=as_json)


@bridges.command(epilog="Example: ais bridges remove bridge_4f1c")
@click.argument("bridge_id", metavar="ID")
@change_options
@pass_context
def remove(context: CliContext, bridge_id: str, *, dry_run: bool, as_json: bool) -> None:
    """Take the bridge ID away; it is not found anew."""
    with open_described_memory(context) as memory:
        outcome = memory.unlink(valid_text(bridge_id), dry_run=dry_run)
    print_outcome(context, outcome, dry_run=dry_run, as_json=as_json)


@bridges.command(epilog="Example: ais bridges follow bridge_4f1c --from thread_20260409")
@click.argument("bridge_id", metavar="ID")
@click.option("--from", "start", metavar="THREAD", help="The end to come from (the source).")
@change_options
@pass_context
def follow(
    context: CliContext,
    bridge_id: str,
    start: str | None,
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Use the bridge ID, which makes it heavier, and show the thread at its other end."""
    with open_described_memory(context) as memory:
        bridge = valid_text(bridge_id)
        end = _other_end(memory, bridge, None if start is None else valid_text(start))
        outcome = memory.follow(bridge, dry_run=dry_run)
        page = thread_page(memory, end)
    if as_json:
        print_json({**printed_outcome(outcome, dry_run=dry_run), "page": page})
        return
    print_outcome(context, outcome, dry_run=dry_run, as_json=False)
    click.echo()
    print_thread_page(page, full=False, why=False)


def _other_end(memory: "Memory", bridge_id: str, start: str | None) -> str:
    """Name the thread that a bridge leads to, from its source or from the end that is named."""
    bridge = memory.follow(bridge_id, dry_run=True).change.bridges[0]
    source, target = bridge.thread_ids
    begun = source if start is None else memory.thread(start).id
    if begun not in bridge.thread_ids:
        msg = f"{bridge.id} does not begin at {begun}: it links {source} and {target}. Name one."
        raise RefusedError(msg)
    return source if begun == target else target


def _print_bridges(found: Sequence[Bridge]) -> None:
    if rich_console().width >= WIDE_COLUMNS:
        rows = [
            (each.id, each.source, each.relation, each.target, f"{each.weight:.2f}", each.reason)
            for each in found
        ]
        print_table(("id", "source", "relation", "target", "weight", "reason"), rows)
        return
    stacked = [
        (
            f"{each.id}\n{each.source}\n{each.target}",
            each.relation,
            f"{each.weight:.2f}",
            each.reason,
        )
        for each in found
    ]
    wide = max(len(line) for row in stacked for line in row[0].splitlines())
    print_table(("id, source and target", "relation", "weight", "reason"), stacked, widths=[wide])
