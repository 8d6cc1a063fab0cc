"""`ais threads split`: split a thread that came to be about several subjects.

Without groups it changes nothing: it lists the messages, proposes groups, and prints the command
that splits the thread that way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.cli_context import CliContext, pass_context
from ai_smartness.entrypoints.cli.completion import thread_argument
from ai_smartness.entrypoints.cli.options import TEXT, change_options
from ai_smartness.entrypoints.cli.output import counted_noun, print_json, shown_id, shown_thread_id
from ai_smartness.entrypoints.cli.split_dialogue import (
    initial_draft,
    print_draft,
    refuse_without_terminal,
    settled_draft,
)
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
    """The thread to split and how to lock the parts; the groups are given separately."""

    thread_id: str
    lock: SplitLock
    session: str | None
    dry_run: bool

    def run_split(self, memory: "Memory", parts: Sequence[SplitPart]) -> "Outcome":
        """Split the thread into these groups."""
        return memory.split(
            self.thread_id, parts, lock=self.lock, session=self.session, dry_run=self.dry_run
        )


def _read_parts(
    _ctx: click.Context, _parameter: click.Parameter, texts: tuple[str, ...]
) -> tuple[SplitPart, ...]:
    """Read groups; a title may contain a `=` itself."""
    parts = []
    for text in texts:
        title, separator, ids = text.rpartition("=")
        if not separator:
            msg = f"{text!r} has no `=`. Write a group as 'TITLE=ID,ID'."
            raise click.BadParameter(msg)
        parts.append(SplitPart(title, _listed_ids(ids)))
    return tuple(parts)


@click.command(
    epilog="Example: ais threads split thread_20260302 --part 'Invoices=msg_1,msg_2' --lock force"
)
@thread_argument
@click.option(
    "--part",
    "parts",
    metavar="TITLE=ID,ID…",
    multiple=True,
    type=TEXT,
    callback=_read_parts,
    help="A group of messages and its title; once for each group.",
)
@click.option("--title", "titles", multiple=True, type=TEXT, help="Its title, with --messages.")
@click.option(
    "--messages",
    "groups",
    metavar="ID,ID…",
    multiple=True,
    type=TEXT,
    help="The messages of a group.",
)
@click.option("--accept", is_flag=True, help="Accept the proposal as it is.")
@click.option("--interactive", is_flag=True, help="Edit the proposed groups in the terminal.")
@click.option(
    "--lock",
    type=click.Choice([lock.value for lock in SplitLock]),
    default=SplitLock.COMPACTION.value,
    help="What unlocks them for a merge (compaction).",
)
@click.option("--session", type=TEXT, help="Its compaction unlocks them (the latest one).")
@change_options
@pass_context
def split(
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
    """Split groups of messages off the thread ID, each into a thread of its own.

    Without groups, nothing is changed: the messages are listed, and groups are proposed.
    Messages in no group stay where they are.
    """
    _refuse_two_ways(
        {
            "--part": bool(parts),
            "--title with --messages": bool(titles or groups),
            "--accept": accept,
            "--interactive": interactive,
        }
    )
    with context.open_described_memory() as memory:
        request = SplitRequest(
            thread_id=thread_id,
            lock=SplitLock(lock),
            session=None if session is None else memory.session_id(session),
            dry_run=dry_run,
        )
        if groups_typed := parts or _paired_parts(request.thread_id, titles, groups):
            outcome = request.run_split(memory, groups_typed)
        elif accept:
            proposal = memory.propose_split(request.thread_id)
            outcome = request.run_split(memory, _accepted_parts(proposal))
        elif interactive:
            outcome = _split_interactively(memory, request)
        else:
            proposal = memory.propose_split(request.thread_id)
            _print_proposal(context, proposal, request, as_json=as_json)
            return
    context.print_outcome(outcome, dry_run=dry_run, as_json=as_json)


def _split_interactively(memory: "Memory", request: SplitRequest) -> "Outcome":
    refuse_without_terminal(request.thread_id)
    proposal = memory.propose_split(request.thread_id)
    rehearsal = replace(request, dry_run=True)
    draft = settled_draft(
        proposal,
        initial_draft([event.id for event in proposal.messages], proposal.parts, request.lock),
        lambda draft: rehearsal.run_split(memory, draft.parts),
    )
    if draft is None:
        click.echo("Nothing was changed.", err=True)
        raise click.exceptions.Exit(1)
    return replace(request, lock=draft.lock).run_split(memory, draft.parts)


def _accepted_parts(proposal: "SplitProposal") -> tuple[SplitPart, ...]:
    if not proposal.parts:
        msg = (
            f"cannot accept a proposal for {proposal.thread.id}: it seems to be about one subject. "
            "Name the groups with --part 'TITLE=ID,ID'."
        )
        raise RefusedError(msg)
    return proposal.parts


def _print_proposal(
    context: CliContext, proposal: "SplitProposal", request: SplitRequest, *, as_json: bool
) -> None:
    """Print the messages and the proposed groups, and the command that splits them that way."""
    start = ["threads", "split", shown_thread_id(proposal.thread.id)]
    lock = ["--lock", request.lock.value]
    session = [] if request.session is None else ["--session", request.session]
    parts = [f"{part.title}={','.join(map(shown_id, part.messages))}" for part in proposal.parts]
    options = [word for part in parts or ["TITLE=ID,ID"] for word in ("--part", part)]
    project = proposal.thread.project
    command = context.command_line(*start, *options, *lock, *session, project=project)
    if as_json:
        from ai_smartness.views.json import proposal_json

        # Spelled as a command: the shared JSON has it as the tool call of an agent.
        print_json({**proposal_json(proposal), "command": command if parts else None})
        return
    ids = [event.id for event in proposal.messages]
    print_draft(proposal, initial_draft(ids, proposal.parts, request.lock))
    if parts:
        click.echo("\nNothing was changed. To split it as proposed:")
    else:
        click.echo("\nIt seems to be about one subject. To split it anyway:")
    click.echo(f"  {command}")
    interactive = context.command_line(*start, "--interactive", project=project)
    click.echo(f"To edit the groups in the terminal:\n  {interactive}")


def _refuse_two_ways(ways: Mapping[str, bool]) -> None:
    used = [way for way, is_used in ways.items() if is_used]
    if len(used) > 1:
        msg = f"{' and '.join(used)} are several ways to name the groups. Use one of them."
        raise click.UsageError(msg)


def _paired_parts(
    thread_id: str, titles: Sequence[str], groups: Sequence[str]
) -> tuple[SplitPart, ...]:
    """Return each group with the title in the same place."""
    if len(titles) != len(groups):
        msg = (
            f"cannot split {thread_id}: {counted_noun(len(titles), 'title')} for "
            f"{counted_noun(len(groups), 'group')} of messages. Give a --title with each "
            "--messages, or both in one as --part 'TITLE=ID,ID'."
        )
        raise RefusedError(msg)
    return tuple(
        SplitPart(title, _listed_ids(group)) for title, group in zip(titles, groups, strict=True)
    )


def _listed_ids(listed: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in listed.split(",") if name.strip())
