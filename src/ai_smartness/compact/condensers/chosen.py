"""Choose of what a thread holds as much as there is room for, what is worth most first."""

import math
from collections.abc import Callable
from dataclasses import replace

from ai_smartness.compact.condensers.material import Item, Material, Sort
from ai_smartness.compact.sizes import fitting

__all__ = ["STATED", "Choice", "stands"]

STATED = frozenset({Sort.CONSTRAINT, Sort.DECISION, Sort.GOAL})
"""What the user stated, and nobody can work out again."""

WORTH = {
    Sort.CONSTRAINT: 8.0,
    Sort.DECISION: 6.0,
    Sort.GOAL: 6.0,
    Sort.OPEN: 5.0,
    Sort.FILE: 2.0,
    Sort.COMMAND: 5.0,
    Sort.ERROR: 16.0,
    Sort.NAME: 1.0,
    Sort.NUMBER: 1.0,
    Sort.URL: 4.0,
}
"""What one thing of each sort is worth: a rule, an error, a command outweigh a function's name."""

OUTPUT_SHARE = 0.3
"""Of the worth of a name or number that only a tool printed: those are many, and of little use."""

HEADING_TOKENS = 10
"""Of the longest heading of a sort, with its line."""

LEAST_TOKENS = 24
"""For a part of a sentence: less says nothing."""

LENGTH = 0.6
"""How much length counts against a thing: at 1 the short drive out every error and address."""


class Choice:
    """What was chosen so far, the best first; what is `said` anyway is not chosen."""

    def __init__(self, material: Material, tokens: Callable[[str], int], said: str = "") -> None:
        self.chosen: list[Item] = []
        self._tokens = tokens
        self._said = said
        self._sorts: set[Sort] = set()
        places = max(1, len(material.events))
        costs = [(item, tokens(item.written()) + 1) for item in material.items.values()]
        self._left = sorted(
            costs,
            key=lambda each: (
                -_worth(each[0], places) / each[1] ** LENGTH,
                -each[0].last,
                each[0].name,
            ),
        )

    def say(self, text: str) -> None:
        """Take note of what is said beside."""
        self._said += f"\n{text}"

    def take(self, room: int, sorts: frozenset[Sort] = frozenset(Sort)) -> bool:
        """Choose things of these sorts until the room is used up; tell whether any was."""
        took, left = False, []
        for item, cost in self._left:
            head = 0 if item.sort in self._sorts else HEADING_TOKENS
            if item.sort not in sorts or cost + head > room:
                left.append((item, cost))
            elif item.note or not stands(item.name, self._said):
                room -= cost + head
                self._add(item)
                took = True
        self._left = left
        return took

    def take_part(self, room: int, sorts: frozenset[Sort]) -> None:
        """Choose the best of these sorts though there is room for some of its words only."""
        best = next((each for each in self._left if each[0].sort in sorts), None)
        if best is None or room < LEAST_TOKENS:
            return
        self._left.remove(best)
        words = fitting(best[0].name, room - HEADING_TOKENS, self._tokens)
        self._add(replace(best[0], name=words, note=""))

    def _add(self, item: Item) -> None:
        if item.sort is Sort.FILE:
            # Named in full now: the same by its last part alone says nothing more.
            self.chosen = [each for each in self.chosen if not _says_less(each, item)]
        self.chosen.append(item)
        self._sorts.add(item.sort)
        self.say(item.written())


def stands(name: str, text: str) -> bool:
    """Tell whether something is named in a text, and not only a longer name that holds it."""
    start = text.find(name) if name else -1
    while start >= 0:
        end = start + len(name)
        begins = not (name[0].isalnum() and text[start - 1 : start].isalnum())
        if begins and not (name[-1].isalnum() and text[end : end + 1].isalnum()):
            return True
        start = text.find(name, start + 1)
    return False


def _says_less(one: Item, other: Item) -> bool:
    return one.sort is other.sort and not one.note and other.name.endswith(f"/{one.name}")


def _worth(item: Item, places: int) -> float:
    lately = 0.5 + 0.5 * (item.last + 1) / places
    whose = 1.5 if item.by_user else 1.0
    if item.in_output and item.sort in (Sort.NAME, Sort.NUMBER):
        whose = OUTPUT_SHARE
    return WORTH[item.sort] * lately * whose * (1 + math.log2(item.count))
