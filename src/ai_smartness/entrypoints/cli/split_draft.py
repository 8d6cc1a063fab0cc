"""A split while it is being made up: which message goes to which group, under what title.

Groups are named by letters, messages by their numbers from 1. A line that is typed
makes a new draft of the one before, or is refused with what can be typed instead.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ai_smartness.model.errors import RefusedError
from ai_smartness.model.split import Part
from ai_smartness.model.thread import SplitLock

__all__ = ["Draft", "drafted", "redrafted"]

LETTERS = tuple("abcdefghijkmnoprsuvwxyz")
"""Names of groups; l, q and t begin what else can be typed."""

STAYS = "-"

_RANGE = re.compile(r"(?P<first>[0-9]{1,9})(?:[-–](?P<last>[0-9]{1,9}))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The messages by their ids, the letter of each that leaves, the title of each letter."""

    messages: tuple[str, ...]
    letters: Mapping[int, str] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    lock: SplitLock = SplitLock.COMPACTION

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """The messages of each letter that has some, in order."""
        return {
            letter: tuple(
                self.messages[n - 1] for n in sorted(self.letters) if self.letters[n] == letter
            )
            for letter in sorted(set(self.letters.values()))
        }

    @property
    def parts(self) -> tuple[Part, ...]:
        """What to split off; refuse to go on without a group or a title."""
        if not self.letters:
            msg = "no message is in a group yet. Type a letter and numbers, like `a 3-5`."
            raise RefusedError(msg)
        for letter in self.groups:
            if not self.titles.get(letter):
                msg = f"group {letter} has no title yet. Type `t {letter} TITLE`."
                raise RefusedError(msg)
        return tuple(Part(self.titles[letter], ids) for letter, ids in self.groups.items())


def drafted(messages: Sequence[str], parts: Sequence[Part], lock: SplitLock) -> Draft:
    """Return the draft that begins with what is proposed."""
    lettered = dict(zip(LETTERS, parts, strict=False))
    of = {id_: letter for letter, part in lettered.items() for id_ in part.messages}
    return Draft(
        messages=tuple(messages),
        letters={n: of[id_] for n, id_ in enumerate(messages, 1) if id_ in of},
        titles={letter: part.title for letter, part in lettered.items()},
        lock=lock,
    )


def redrafted(draft: Draft, line: str) -> Draft:
    """Return the draft as a typed line wants it."""
    head, _, rest = line.strip().partition(" ")
    rest = rest.strip()
    match head:
        case "":
            return draft
        case "t":
            return _titled(draft, *rest.partition(" ")[::2])
        case "l":
            return replace(draft, lock=_lock(rest))
    if head != STAYS and head not in LETTERS:
        msg = f"`{line.strip()}` is not understood. Type ? for what can be typed."
        raise RefusedError(msg)
    numbers = _numbers(rest, len(draft.messages))
    kept = {n: letter for n, letter in draft.letters.items() if n not in numbers}
    given = {} if head == STAYS else dict.fromkeys(numbers, head)
    return replace(draft, letters=kept | given)


def _titled(draft: Draft, letter: str, title: str) -> Draft:
    words = " ".join(title.split())
    if letter not in LETTERS or not words:
        msg = "a title needs its group and some words. Type it like `t a Broken invoices`."
        raise RefusedError(msg)
    return replace(draft, titles={**draft.titles, letter: words})


def _lock(name: str) -> SplitLock:
    known = [each.value for each in SplitLock]
    if name not in known:
        msg = f"`{name}` is no lock. Type `l` and one of {', '.join(known)}."
        raise RefusedError(msg)
    return SplitLock(name)


def _numbers(text: str, most: int) -> set[int]:
    """Read numbers and ranges of messages."""
    numbers: set[int] = set()
    for each in re.split(r"[,\s]+", text):
        found = _RANGE.fullmatch(each)
        first = int(found["first"]) if found else 0
        last = int(found["last"] or first) if found else 0
        if not 1 <= first <= last <= most:
            msg = (
                f"`{each}` names no messages: they are numbered 1 to {most}. "
                "Type a letter, then numbers and ranges, like `a 3-5,7`."
            )
            raise RefusedError(msg)
        numbers.update(range(first, last + 1))
    return numbers
