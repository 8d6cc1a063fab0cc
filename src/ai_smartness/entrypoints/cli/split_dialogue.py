"""`ais threads split --interactive`: edit the groups of a split in the terminal.

Groups are named by letters, messages by their numbers from 1. A typed line changes the draft, or
is refused with a hint. The dialogue is on stderr, so that the result can be piped on.
"""

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING

import click

from ai_smartness.entrypoints.cli.layout import GAP, table_rows, text_width
from ai_smartness.entrypoints.cli.options import valid_text
from ai_smartness.entrypoints.cli.output import (
    counted_noun,
    safe_text,
    screen_width,
    shown_id,
    shown_thread_id,
    styled_text,
)
from ai_smartness.model.errors import AisError, RefusedError
from ai_smartness.model.split import SplitPart
from ai_smartness.model.thread import SplitLock

if TYPE_CHECKING:
    from ai_smartness.model.event import Event
    from ai_smartness.model.split import SplitProposal

__all__ = [
    "SplitDraft",
    "changed_draft",
    "initial_draft",
    "print_draft",
    "refuse_without_terminal",
    "settled_draft",
]

GROUP_LETTERS = tuple("abcdefghijkmnoprsuvwxyz")
"""Names of groups, without l, q and t, which begin other commands."""

STAYS = "-"

_RANGE = re.compile(r"(?P<first>[0-9]{1,9})(?:[-–](?P<last>[0-9]{1,9}))?")

READ_CHARACTERS = 500  # no terminal shows more of a message on one line
MIN_TEXT_COLUMNS = 20  # for the text of a message, however long the ids are

COLOURS = ("cyan", "green", "magenta", "yellow", "blue", "red")

PROMPT = "split> "
QUIT_WORDS = frozenset({"quit", "q", "exit"})
HELP_TEXT = """\
b 3-7,9       put messages 3 to 7 and 9 in group b (a new letter is a new group)
- 4           leave message 4 where it is
t b TITLE     give group b a title
l LOCK        lock the new threads: compaction, agent_release or force
done          split it that way, after one more question
quit          change nothing
?             this list"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitDraft:
    """The ids of the messages, the group of each that leaves, and the title of each group."""

    messages: tuple[str, ...]
    letters: Mapping[int, str] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    lock: SplitLock = SplitLock.COMPACTION

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """The messages of each group that has any, in order."""
        return {
            letter: tuple(
                self.messages[n - 1] for n in sorted(self.letters) if self.letters[n] == letter
            )
            for letter in sorted(set(self.letters.values()))
        }

    @property
    def parts(self) -> tuple[SplitPart, ...]:
        """The parts to split off; refuse a draft without a group or a title."""
        if not self.letters:
            msg = "no message is in a group yet. Type a letter and numbers, like `a 3-5`."
            raise RefusedError(msg)
        for letter in self.groups:
            if not self.titles.get(letter):
                msg = f"group {letter} has no title yet. Type `t {letter} TITLE`."
                raise RefusedError(msg)
        return tuple(SplitPart(self.titles[letter], ids) for letter, ids in self.groups.items())


def settled_draft(
    proposal: "SplitProposal", draft: SplitDraft, rehearse: Callable[[SplitDraft], object]
) -> SplitDraft | None:
    """Let a person edit the draft until it is right; return None if they gave up.

    `rehearse` raises whatever would prevent the split, so that it can be fixed here.
    """
    with suppress(ImportError):
        # Importing it is enough: the arrow keys then edit the line.
        import_module("readline")
    print_draft(proposal, draft, numbered=True)
    click.echo("Type ? for help.", err=True)
    while (line := _typed_line(PROMPT)) not in QUIT_WORDS:
        try:
            if line == "?":
                click.echo(HELP_TEXT, err=True)
            elif line != "done":
                draft = changed_draft(draft, line)
                print_draft(proposal, draft, numbered=True)
            elif _is_agreed(draft, rehearse):
                return draft
        except AisError as error:
            # Caught here and not at the edge: the person can still correct it.
            click.echo(safe_text(str(error)), err=True)
    return None


def refuse_without_terminal(thread_id: str) -> None:
    """Refuse to ask where nobody can answer."""
    if not sys.stdin.isatty():
        msg = (
            f"cannot ask how to split {thread_id}: the input is not a terminal. Name the groups "
            f"with --part 'TITLE=ID,ID', or accept the proposal with --accept; "
            f"`ais threads split {thread_id}` prints both."
        )
        raise RefusedError(msg)


def _is_agreed(draft: SplitDraft, rehearse: Callable[[SplitDraft], object]) -> bool:
    rehearse(draft)
    groups = ", ".join(f"{len(part.messages)} to “{part.title}”" for part in draft.parts)
    stay = len(draft.messages) - len(draft.letters)
    click.echo(safe_text(f"Of {len(draft.messages)} messages {groups}; {stay} stay."), err=True)
    return _typed_line(f"Split it that way, locked ({draft.lock})? [y/N] ").lower() in ("y", "yes")


def _typed_line(prompt: str) -> str:
    """Read a line; the end of the input means quit."""
    # `input` prints to stdout, and only a terminal should get that.
    is_terminal = sys.stdout.isatty()
    if not is_terminal:
        click.echo(prompt, nl=False, err=True)
    try:
        return valid_text(input(prompt if is_terminal else "")).strip()
    except EOFError:
        click.echo(err=True)
        return "quit"
    except UnicodeDecodeError:
        return "\N{REPLACEMENT CHARACTER}"


def initial_draft(
    messages: Sequence[str], parts: Sequence[SplitPart], lock: SplitLock
) -> SplitDraft:
    """Return the draft of a proposal."""
    groups = dict(zip(GROUP_LETTERS, parts, strict=False))
    letters = {id_: letter for letter, part in groups.items() for id_ in part.messages}
    return SplitDraft(
        messages=tuple(messages),
        letters={n: letters[id_] for n, id_ in enumerate(messages, 1) if id_ in letters},
        titles={letter: part.title for letter, part in groups.items()},
        lock=lock,
    )


def changed_draft(draft: SplitDraft, line: str) -> SplitDraft:
    """Return the draft after a typed line."""
    head, _, rest = line.strip().partition(" ")
    rest = rest.strip()
    match head:
        case "":
            return draft
        case "t":
            return _titled_draft(draft, *rest.partition(" ")[::2])
        case "l":
            return replace(draft, lock=_parsed_lock(rest))
    if head != STAYS and head not in GROUP_LETTERS:
        msg = f"`{line.strip()}` is not understood. Type ? for help."
        raise RefusedError(msg)
    numbers = _parsed_numbers(rest, len(draft.messages))
    others = {n: letter for n, letter in draft.letters.items() if n not in numbers}
    changed = {} if head == STAYS else dict.fromkeys(numbers, head)
    return replace(draft, letters=others | changed)


def _titled_draft(draft: SplitDraft, letter: str, title: str) -> SplitDraft:
    words = " ".join(title.split())
    if letter not in GROUP_LETTERS or not words:
        msg = "a title needs its group and some words. Type it like `t a Broken invoices`."
        raise RefusedError(msg)
    return replace(draft, titles={**draft.titles, letter: words})


def _parsed_lock(name: str) -> SplitLock:
    known = [lock.value for lock in SplitLock]
    if name not in known:
        msg = f"`{name}` is no lock. Type `l` and one of {', '.join(known)}."
        raise RefusedError(msg)
    return SplitLock(name)


def _parsed_numbers(text: str, most: int) -> set[int]:
    """Read numbers and ranges of messages."""
    numbers: set[int] = set()
    for word in re.split(r"[,\s]+", text):
        match = _RANGE.fullmatch(word)
        first = int(match["first"]) if match else 0
        last = int(match["last"] or first) if match else 0
        if not 1 <= first <= last <= most:
            msg = (
                f"`{word}` names no messages: they are numbered 1 to {most}. "
                "Type a letter, then numbers and ranges, like `a 3-5,7`."
            )
            raise RefusedError(msg)
        numbers.update(range(first, last + 1))
    return numbers


def print_draft(proposal: "SplitProposal", draft: SplitDraft, *, numbered: bool = False) -> None:
    """Print every message with its group and its first line, then the groups.

    In a dialogue, which is on stderr, messages have numbers instead of ids.
    """
    thread, count = proposal.thread, counted_noun(len(proposal.messages), "message")
    title = safe_text(f"{thread.title} [{shown_thread_id(thread.id)}], {count}")
    click.echo(styled_text(title, "bold"), err=numbered)
    names = [
        str(number) if numbered else safe_text(shown_id(event.id))
        for number, event in enumerate(proposal.messages, 1)
    ]
    room = screen_width(stderr=numbered)
    for line in (*_message_lines(draft, proposal.messages, names, room), *_group_lines(draft)):
        click.echo(line, err=numbered)


def _message_lines(
    draft: SplitDraft, messages: "Sequence[Event]", names: Sequence[str], room: int
) -> Iterator[str]:
    letters = [draft.letters.get(number, STAYS) for number in range(1, len(messages) + 1)]
    rows = [
        (name, letter, safe_text(event.role), safe_text(_first_line(event.text)))
        for name, letter, event in zip(names, letters, messages, strict=True)
    ]
    widths = [max(map(text_width, column)) for column in zip(*rows, strict=True)]
    left = room - sum(width + GAP for width in widths[:-1])
    widths[-1:] = [min(widths[-1], max(MIN_TEXT_COLUMNS, left))] if widths else []
    drawn = table_rows(rows, widths, room, is_cut=True)
    for letter, lines in zip(letters, drawn, strict=True):
        yield styled_text((" " * GAP).join(lines[0]), _group_colour(letter))


def _group_lines(draft: SplitDraft) -> Iterator[str]:
    for letter, ids in draft.groups.items():
        title = safe_text(draft.titles.get(letter) or "(no title yet)")
        line = f"{letter}  “{title}”, {counted_noun(len(ids), 'message')}"
        yield styled_text(line, _group_colour(letter))
    stay = len(draft.messages) - len(draft.letters)
    yield f"{STAYS}  {counted_noun(stay, 'message')} would stay"
    yield f"lock: {draft.lock}"


def _first_line(text: str) -> str:
    """Return the first line that is not blank, or the beginning of a very long one."""
    lines = (line.strip() for line in text.splitlines())
    return next((line for line in lines if line), "")[:READ_CHARACTERS]


def _group_colour(letter: str) -> str:
    return "" if letter == STAYS else COLOURS[ord(letter) % len(COLOURS)]
