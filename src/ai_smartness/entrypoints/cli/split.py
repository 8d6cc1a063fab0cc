"""`ais threads split`: take a thread apart that came to be about several subjects.

Without groups it changes nothing: it lists the messages, proposes groups, and
prints the command that splits the thread that way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.cli_context import (
    CliContext,
    open_described_memory,
    pass_context,
    valid_text,
)
from ai_smartness.entrypoints.cli.completion import thread_ids
from ai_smartness.entrypoints.cli.output import (
    change_options,
    command_line,
    print_json,
    print_outcome,
)
from ai_smartness.entrypoints.cli.split_dialogue import (
    initial_draft,
    print_draft,
    refuse_without_terminal,
    settled_draft,
)
from ai_smartness.entrypoints.cli.status import counted_noun
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.split import SplitPart
from ai_smartness.model.thread import SplitLock

if TYPE_CHECKING:
    from ai_smartness.memory import Memory
    from ai_smartness.model.journal import Outcome
    from ai_smartness.model.split import SplitProposal

__all__ = ["split"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitRequest:
    """The thread to be split and how it is locked, apart from which groups it falls into."""

    thread_id: str
    lock: SplitLock
    session: str | None
    dry_run: bool

    def run_split(self, memory: "Memory", parts: Sequence[SplitPart]) -> "Outcome":
        """Split the thread into these groups."""
        return memory.split(
            self.thread_id,
            parts,
            lock=self.lock,
            session=self.session,
            dry_run=self.dry_run,
        )


def _read_parts(
    _ctx: click.Context,
    _parameter: click.Parameter,
    given: tuple[str, ...],
) -> tuple[SplitPart, ...]:
    """Read groups; a title may hold a `=` itself."""
    parts = []
    for each in given:
        title, separator, ids = valid_text(each).rpartition("=")
        if not separator:
            msg = f"{each!r} has no `=`. Write a group as 'TITLE=ID,ID'."
            raise click.BadParameter(msg)
        parts.append(SplitPart(title, _listed_ids(ids)))
    return tuple(parts)


@click.command(
    epilog="Example: ais threads split thread_20260302 --part 'Invoices=msg_1,msg_2' --lock force",
)
@click.argument("thread_id", metavar="ID", shell_complete=thread_ids)
@click.option(
    "--part",
    "parts",
    metavar="TITLE=ID,ID…",
    multiple=True,
    callback=_read_parts,
    help="A group of messages and its title; once for each group.",
)
@click.option("--title", "titles", multiple=True, help="The title of a group, with --messages.")
@click.option(
    "--messages",
    "groups",
    metavar="ID,ID…",
    multiple=True,
    help="The messages of a group.",
)
@click.option("--accept", is_flag=True, help="Take the proposal as it is.")
@click.option("--interactive", is_flag=True, help="Make up the groups here, from the proposal on.")
@click.option(
    "--lock",
    type=click.Choice([each.value for each in SplitLock]),
    default=SplitLock.COMPACTION.value,
    help="What lets them be merged again (compaction).",
)
@click.option("--session", help="The session whose compaction unlocks them (the latest one).")
@change_options
@pass_context
def split(  # noqa: PLR0913 - one for each option
    context: CliContext,
    thread_id: str,
    *,
    parts: tuple[SplitPart, ...],
    titles: tuple[str, ...],
    groups: tuple[str, ...],
    lock: str,
    session: str | None,
    accept: bool,
    interactive: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Put groups of the messages of the thread ID on threads of their own.

    Without groups, nothing is changed: list its messages, and propose groups.
    Messages that are in no group stay where they are.
    """
    _refuse_two_ways(
        {
            "--part": bool(parts),
            "--title with --messages": bool(titles or groups),
            "--accept": accept,
            "--interactive": interactive,
        },
    )
    wish = SplitRequest(
        thread_id=valid_text(thread_id),
        lock=SplitLock(lock),
        session=None if session is None else valid_text(session),
        dry_run=dry_run,
    )
    with open_described_memory(context) as memory:
        if named := parts or _paired_parts(wish.thread_id, titles, groups):
            outcome = wish.run_split(memory, named)
        elif accept:
            outcome = wish.run_split(memory, _accepted_parts(memory.propose_split(wish.thread_id)))
        elif interactive:
            outcome = _split_interactively(memory, wish)
        else:
            _print_proposal(context, memory.propose_split(wish.thread_id), wish, as_json=as_json)
            return
    print_outcome(context, outcome, dry_run=dry_run, as_json=as_json)


def _split_interactively(memory: "Memory", wish: SplitRequest) -> "Outcome":
    refuse_without_terminal(wish.thread_id)
    proposal = memory.propose_split(wish.thread_id)
    tried = replace(wish, dry_run=True)
    draft = settled_draft(
        proposal,
        initial_draft([event.id for event in proposal.messages], proposal.parts, wish.lock),
        lambda draft: tried.run_split(memory, draft.parts),
    )
    if draft is None:
        click.echo("Nothing was changed.", err=True)
        raise click.exceptions.Exit(1)
    return replace(wish, lock=draft.lock).run_split(memory, draft.parts)


def _accepted_parts(proposal: "SplitProposal") -> tuple[SplitPart, ...]:
    if not proposal.parts:
        msg = (
            f"cannot accept a proposal for {proposal.thread.id}: it seems to be about one subject. "
            "Name the groups with --part 'TITLE=ID,ID'."
        )
        raise RefusedError(msg)
    return proposal.parts


def _print_proposal(
    context: CliContext,
    proposal: "SplitProposal",
    wish: SplitRequest,
    *,
    as_json: bool,
) -> None:
    """Print what there is to split, and the command that splits it as is proposed."""
    start = ["threads", "split", proposal.thread.id]
    lock = ["--lock", wish.lock.value]
    session = [] if wish.session is None else ["--session", wish.session]
    parts = [f"{part.title}={','.join(part.messages)}" for part in proposal.parts]
    named = [word for part in parts or ["TITLE=ID,ID"] for word in ("--part", part)]
    ready = command_line(context, *start, *named, *lock, *session, project=proposal.thread.project)
    if as_json:
        from ai_smartness.views.json import proposal_json

        # The command is spelled for whoever reads this: the shape has it as agents call it.
        print_json({**proposal_json(proposal), "command": ready if parts else None})
        return
    ids = [event.id for event in proposal.messages]
    print_draft(proposal, initial_draft(ids, proposal.parts, wish.lock))
    if parts:
        click.echo("\nNothing was changed. To split it as is proposed:")
    else:
        click.echo("\nIt seems to be about one subject. To split it all the same:")
    click.echo(f"  {ready}")
    asking = command_line(context, *start, "--interactive", project=proposal.thread.project)
    click.echo(f"To make up the groups here:\n  {asking}")


def _refuse_two_ways(ways: Mapping[str, bool]) -> None:
    used = [way for way, is_used in ways.items() if is_used]
    if len(used) > 1:
        msg = f"{' and '.join(used)} are several ways to name the groups. Use one of them."
        raise click.UsageError(msg)


def _paired_parts(
    thread_id: str,
    titles: Sequence[str],
    groups: Sequence[str],
) -> tuple[SplitPart, ...]:
    """Return the groups with their titles, each with the one in the same place."""
    if len(titles) != len(groups):
        msg = (
            f"cannot split {thread_id}: {counted_noun(len(titles), 'title')} for "
            f"{counted_noun(len(groups), 'group')} of messages. Give a --title with each --messages, "
            "or both in one as --part 'TITLE=ID,ID'."
        )
        raise RefusedError(msg)
    return tuple(
        SplitPart(valid_text(title), _listed_ids(valid_text(group)))
        for title, group in zip(titles, groups, strict=True)
    )


def _listed_ids(listed: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in listed.split(",") if each.strip())
