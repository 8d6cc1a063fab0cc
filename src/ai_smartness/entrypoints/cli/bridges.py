"""`ais bridges`: list, add, remove and follow the links between threads."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context, prints_outcome
from ai_smartness.entrypoints.cli.completion import thread_ids
from ai_smartness.entrypoints.cli.options import (
    TEXT,
    ListByDefaultGroup,
    change_options,
    json_option,
)
from ai_smartness.entrypoints.cli.output import print_json, print_text, shown_id
from ai_smartness.entrypoints.cli.pager import paged
from ai_smartness.entrypoints.cli.thread_names import ThreadNames
from ai_smartness.entrypoints.cli.thread_page import linked_names, print_thread_page, thread_page
from ai_smartness.model.bridge import Bridge, BridgeDraft, Relation
from ai_smartness.model.errors import RefusedError

if TYPE_CHECKING:
    from ai_smartness.memory import Memory
    from ai_smartness.model.journal import Outcome

__all__ = ["bridges"]

CONFLICT_RELATIONS = (Relation.REPLACES, Relation.UPDATES, Relation.CONTRADICTS)
"""These say that the older thread may no longer hold, and stand out."""


class ThreadOrCommandGroup(ListByDefaultGroup):
    """A group that lists the bridges of a thread when a thread is named instead of a command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments, as those of `list` where the first is no subcommand."""
        words = [word for word in args if not word.startswith("-")]
        # A single word: with more of them it is a mistyped subcommand.
        if len(words) == 1 and args[:1] == words and words[0] not in self.commands:
            args = ["list", *args]
        return super().parse_args(ctx, args)


@click.group(cls=ThreadOrCommandGroup, epilog="Example: ais bridges thread_20260302")
def bridges() -> None:
    """Without a subcommand, list the bridges of the project, or of the named thread."""


@bridges.command("list", epilog="Example: ais bridges list thread_20260302")
@click.argument(
    "thread_id", metavar="[THREAD]", required=False, type=TEXT, shell_complete=thread_ids
)
@json_option
@pass_context
@paged
def list_all(context: CliContext, thread_id: str | None, *, as_json: bool) -> None:
    """List the bridges of the project, or of THREAD, with their current weights."""
    with context.open_described_memory() as memory:
        listed = memory.bridges(thread_id)
        names = ThreadNames(memory, memory.threads())
    if as_json:
        print_json(listed)
    elif listed:
        _print_bridges(listed, names)
    else:
        where = thread_id or f"the project {context.project_name}"
        print_text(f"There are no bridges in {where}. `ais bridges add` makes one.")


@bridges.command(epilog="Example: ais bridges add thread_20260302 depends thread_20260409")
@click.argument("source", type=TEXT, shell_complete=thread_ids)
@click.argument("relation", type=click.Choice([relation.value for relation in Relation]))
@click.argument("target", type=TEXT, shell_complete=thread_ids)
@click.option("--weight", type=float, default=0.5, help="Its strength, above 0, up to 1 (0.5).")
@click.option("--reason", type=TEXT, default="", help="Why they belong together.")
@prints_outcome
def add(
    memory: "Memory",
    source: str,
    relation: str,
    target: str,
    weight: float,
    reason: str,
    *,
    dry_run: bool,
) -> "Outcome":
    """Add a bridge from the thread SOURCE to the thread TARGET."""
    draft = BridgeDraft(
        source=source, target=target, relation=Relation(relation), weight=weight, reason=reason
    )
    return memory.link(draft, dry_run=dry_run)


@bridges.command(epilog="Example: ais bridges remove bridge_4f1c")
@click.argument("bridge_id", metavar="ID", type=TEXT)
@prints_outcome
def remove(memory: "Memory", bridge_id: str, *, dry_run: bool) -> "Outcome":
    """Remove the bridge ID; it is not detected again."""
    return memory.unlink(bridge_id, dry_run=dry_run)


@bridges.command(epilog="Example: ais bridges follow bridge_4f1c --from thread_20260409")
@click.argument("bridge_id", metavar="ID", type=TEXT)
@click.option(
    "--from", "start", metavar="THREAD", type=TEXT, help="The end to come from (the source)."
)
@change_options
@pass_context
def follow(
    context: CliContext, bridge_id: str, start: str | None, *, dry_run: bool, as_json: bool
) -> None:
    """Follow the bridge ID, which makes it heavier, and show the thread at its other end."""
    with context.open_described_memory() as memory:
        end = _other_end(memory, bridge_id, start)
        outcome = memory.follow(bridge_id, dry_run=dry_run)
        page = thread_page(memory, end)
        names = linked_names(memory, page)
    if as_json:
        from ai_smartness.views.json import outcome_json

        print_json({**outcome_json(outcome, dry_run=dry_run), "page": page})
        return
    context.print_outcome(outcome, dry_run=dry_run)
    click.echo()
    print_thread_page(page, names, full=False, why=False)


def _other_end(memory: "Memory", bridge_id: str, start: str | None) -> str:
    """Name the thread that a bridge leads to, from its source or from the named end."""
    bridge = memory.follow(bridge_id, dry_run=True).change.bridges[0]
    source, target = bridge.thread_ids
    origin = source if start is None else memory.thread(start).id
    if origin not in bridge.thread_ids:
        msg = f"{bridge.id} does not start at {origin}: it links {source} and {target}. Name one."
        raise RefusedError(msg)
    return source if origin == target else target


def _print_bridges(listed: Sequence[Bridge], names: ThreadNames) -> None:
    """Print each bridge with the titles of both threads, then its reason, id and weight."""
    for place, item in enumerate(listed):
        if place:
            click.echo()
        style = "yellow" if item.relation in CONFLICT_RELATIONS else "bold"
        ends = f"{item.relation}: {names.name(item.source)} → {names.name(item.target)}"
        print_text(ends, hang=2, style=style)
        if item.reason:
            print_text(f"  {item.reason}")
        print_text(f"  {shown_id(item.id)}, weight {item.weight:.2f}", style="dim")
