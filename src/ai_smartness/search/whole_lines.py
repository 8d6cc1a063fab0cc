"""Quote a person's best lines, and what holds instead of an older one, with what is around them.

A person says in two or three short sentences what they want: why, what goes, and what comes. The
one that names the subject is seldom the one with the value: "They have a new server. Up to ten is
fine."
"""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace

from ai_smartness.model.event import ANSWERING_ROLES
from ai_smartness.model.search import Hit, RecalledLine
from ai_smartness.model.statement import Statement
from ai_smartness.search.answer_lines import letters_only
from ai_smartness.text.stretches import message_stretches

__all__ = ["whole_lines"]

WHOLE_LINES = 8  # of the best lines, those of a person are quoted with what is around them
WHOLE_CHARACTERS = 300  # of a message that is quoted so


def whole_lines(
    lines: Sequence[RecalledLine], hits: Iterable[Hit], outdated: Iterable[Statement]
) -> tuple[RecalledLine, ...]:
    """Return lines, best first, with the sentences around them that stand in `hits`.

    What stands below another line and what an `outdated` statement says is not among them.
    """
    stretches = {hit.seq: message_stretches(hit.text, hit.role) for hit in hits}
    apart = _places_apart(lines, stretches, outdated)
    told = defaultdict[int, set[int]](set)
    whole: list[RecalledLine] = []
    for rank, line in enumerate(lines):
        if line.place in told[line.seq]:
            continue
        if line.superseded or (rank < WHOLE_LINES and _is_by_person(line, apart[line.seq])):
            left_out = apart[line.seq] | told[line.seq]
            text, places = _with_neighbours(line, stretches.get(line.seq, ()), left_out)
            told[line.seq] |= places
            whole.append(replace(line, text=text))
        else:
            whole.append(line)
    return tuple(whole)


def _places_apart(
    lines: Iterable[RecalledLine],
    stretches: Mapping[int, Sequence[str]],
    outdated: Iterable[Statement],
) -> dict[int, set[int]]:
    """Return the places in messages that have lines of their own, or say what no longer holds."""
    apart = defaultdict[int, set[int]](set)
    for one in (one for line in lines if line.superseded for one in (line, *line.superseded)):
        apart[one.seq].add(one.place)
    for statement in outdated:
        words = letters_only(statement.text)
        for place, stretch in enumerate(stretches.get(statement.seq, ())):
            if words in letters_only(stretch):
                apart[statement.seq].add(place)
    return apart


def _is_by_person(line: RecalledLine, outdated: Container[int]) -> bool:
    """Say whether a person said a line, and nothing outdated in the same sentences."""
    return line.role.casefold() not in ANSWERING_ROLES and line.place not in outdated


def _with_neighbours(
    line: RecalledLine, stretches: Sequence[str], left_out: Container[int]
) -> tuple[str, set[int]]:
    """Return a line with the stretches of its message around it that are short, and their places.

    Its own place is not among them.
    """
    words = letters_only(line.text)
    at = next((n for n, stretch in enumerate(stretches) if words in letters_only(stretch)), None)
    if at is None:
        return line.text, set()
    first, last, size = at, at, len(stretches[at])
    for place in (at + 1, at - 1, at + 2):
        is_next = first - 1 <= place <= last + 1 and 0 <= place < len(stretches)
        is_short = is_next and size + len(stretches[place]) < WHOLE_CHARACTERS
        if is_short and place not in left_out:
            first, last = min(first, place), max(last, place)
            size += len(stretches[place]) + 1
    if first == last:
        return line.text, set()  # a long sentence is quoted in part
    return " ".join(stretches[first : last + 1]), set(range(first, last + 1)) - {line.place}
