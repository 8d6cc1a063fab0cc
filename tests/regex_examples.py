"""Make up texts that match a regular expression, and look into one."""

import random
from collections.abc import Iterator
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

__all__ = ["fewest_characters", "matching_example", "pattern_repeats"]

MORE_REPEATS = 2  # than the fewest

Part = Any
"""A part of a parsed pattern, of which the standard library tells no type."""

CATEGORIES = {
    op.CATEGORY_SPACE: " ",
    op.CATEGORY_NOT_SPACE: "a",
    op.CATEGORY_WORD: "ab1",
    op.CATEGORY_DIGIT: "0123456789",
}


def matching_example(pattern: str, chance: random.Random) -> str:
    """Return a text that matches; what a look-around asks for stands in it too."""
    return _example(parser.parse(pattern), chance)


def fewest_characters(pattern: str) -> int:
    """Return the length of the shortest text that matches."""
    return int(parser.parse(pattern).getwidth()[0])


def pattern_repeats(pattern: str, flags: int = 0) -> list[int]:
    """Return how often each repeated part of a pattern may repeat; 0 if there is no limit."""
    return [*_repeats(parser.parse(pattern, flags))]


def _example(tree: Part, chance: random.Random) -> str:
    return "".join(_piece(kind, value, chance) for kind, value in tree)


def _piece(kind: Part, value: Part, chance: random.Random) -> str:
    if kind is op.LITERAL:
        return chr(value)
    if kind is op.NOT_LITERAL:
        return "a"
    if kind is op.IN:
        return chance.choice(_letters(value))
    if kind in (op.MAX_REPEAT, op.MIN_REPEAT):
        fewest, most, part = value
        count = chance.randint(fewest, min(most, fewest + MORE_REPEATS))
        return "".join(_example(part, chance) for _ in range(count))
    if kind is op.BRANCH:
        return _example(chance.choice(value[1]), chance)
    return _example(value[-1], chance) if kind in (op.SUBPATTERN, op.ASSERT) else ""


def _letters(choices: Part) -> str:
    if choices[0][0] is op.NEGATE:
        return "a"
    return "".join(_choice_letters(kind, value) for kind, value in choices)


def _choice_letters(kind: Part, value: Part) -> str:
    if kind is op.RANGE:
        return "".join(map(chr, range(value[0], value[1] + 1)))
    return CATEGORIES[value] if kind is op.CATEGORY else chr(value)


def _repeats(tree: Part) -> Iterator[int]:
    for kind, value in tree:
        if kind in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
            yield 0 if value[1] is op.MAXREPEAT else value[1]
        for part in _parts(value):
            yield from _repeats(part)


def _parts(value: Part) -> Iterator[Part]:
    """Yield the patterns within a part of a pattern."""
    if isinstance(value, parser.SubPattern):
        yield value
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from _parts(part)
