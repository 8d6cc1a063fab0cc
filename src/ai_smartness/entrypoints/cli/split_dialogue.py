"""`ais threads split --interactive`: the groups are made up in the terminal, from the proposal on.

The dialogue is on stderr, so that what was done can be piped on.
"""

import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.context import readable
from ai_smartness.entrypoints.cli.output import visible
from ai_smartness.entrypoints.cli.split_draft import Draft, redrafted
from ai_smartness.entrypoints.cli.split_screen import print_draft
from ai_smartness.model.errors import AisError, RefusedError

if TYPE_CHECKING:
    from ai_smartness.model.split import SplitProposal

__all__ = ["refuse_without_terminal", "settled"]

PROMPT = "split> "
LEAVING = frozenset({"quit", "q", "exit"})
EXPLAINED = """\
b 3-7,9       put messages 3 to 7 and 9 in group b (a new letter is a new group)
- 4           leave message 4 where it is
t b TITLE     give group b a title
l LOCK        lock what is split off: compaction, agent_release or force
done          split it that way, after you were asked once more
quit          change nothing
?             this list"""


def settled(
    proposal: "SplitProposal", draft: Draft, tried: Callable[[Draft], object]
) -> Draft | None:
    """Let a person change the draft until it is right; return nothing if they gave up.

    `tried` raises what stands in a split's way, so that it can be mended here.
    """
    with suppress(ImportError):
        # Only to be there: with it the arrow keys edit the line.
        import_module("readline")
    print_draft(proposal, draft, numbered=True)
    click.echo("Type ? for what can be typed.", err=True)
    while (line := _typed(PROMPT)) not in LEAVING:
        try:
            if line == "?":
                click.echo(EXPLAINED, err=True)
            elif line != "done":
                draft = redrafted(draft, line)
                print_draft(proposal, draft, numbered=True)
            elif _agreed(draft, tried):
                return draft
        except AisError as refused:
            # Caught here and not at the edge: who typed it is still there to mend it.
            click.echo(visible(str(refused)), err=True)
    return None


def refuse_without_terminal(thread_id: str) -> None:
    """Refuse to ask where nobody can answer."""
    if not sys.stdin.isatty():
        msg = (
            f"cannot ask how to split {thread_id}: the input is not a terminal. Name the groups "
            f"with --part 'TITLE=ID,ID', or take the proposal with --accept; "
            f"`ais threads split {thread_id}` prints both."
        )
        raise RefusedError(msg)


def _agreed(draft: Draft, tried: Callable[[Draft], object]) -> bool:
    tried(draft)
    groups = ", ".join(f"{len(part.messages)} to “{part.title}”" for part in draft.parts)
    stay = len(draft.messages) - len(draft.letters)
    click.echo(visible(f"Of {len(draft.messages)} messages {groups}; {stay} stay."), err=True)
    return _typed(f"Split it that way, locked ({draft.lock})? [y/N] ").lower() in ("y", "yes")


def _typed(prompt: str) -> str:
    """Read a line; the end of the input is taken as leaving."""
    # `input` prints to stdout, and only a terminal should get that.
    shown = sys.stdout.isatty()
    if not shown:
        click.echo(prompt, nl=False, err=True)
    try:
        return readable(input(prompt if shown else "")).strip()
    except EOFError:
        click.echo(err=True)
        return "quit"
    except UnicodeDecodeError:
        return "\N{REPLACEMENT CHARACTER}"
