"""Whether what fell out of view is found again by one question.

An agent that has lost a fact does not know it: the question is the words around it in
the message it was first said in, without the fact itself, wherever that leaves three words
or more. As a second way it is asked for by its own name, as somebody does who has seen a
name and wants what was said of it.
"""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ai_smartness.condense.digest import is_named_in
from ai_smartness.memory import Memory
from kit.facts import Facts, Spoken, words_of

__all__ = ["ASKED_OF_EACH", "Asked", "asked_again", "question", "sampled"]

ASKED_OF_EACH = 40
"""Facts of a sort and a memory: enough to be right within some percent, and over in a minute."""

AROUND_CHARACTERS = 80
LEAST_WORDS = 3

_WORD = re.compile(r"\w{2,}")


@dataclass
class Asked:
    """Of how many facts of each sort it was asked, and how many were in the answer."""

    asked: dict[str, int]
    found: dict[str, int]


def asked_again(
    memory: Memory,
    facts: Sequence[tuple[str, str, str]],
    answer: Callable[[Memory, str], str],
) -> Asked:
    """Ask for each fact by its question, given as its sort, the fact and the question."""
    result = Asked({}, {})
    for sort, fact, asked in facts:
        held = is_named_in(fact, " ".join(answer(memory, asked).split()))
        result.asked[sort] = result.asked.get(sort, 0) + 1
        result.found[sort] = result.found.get(sort, 0) + held
    return result


def sampled(logs: Mapping[str, tuple[Facts, Sequence[Spoken]]]) -> list[tuple[str, str, str]]:
    """Return facts of each sort, always the same, each with the words around it."""
    chosen: list[tuple[str, str, str]] = []
    sorts = next(iter(logs.values()))[0] if logs else {}
    for sort in sorts:
        there = [(name, fact) for name, (facts, _) in logs.items() for fact in facts[sort]]
        for name, fact in sorted(there, key=_shuffled)[:ASKED_OF_EACH]:
            chosen.append((sort, fact, question(fact, logs[name][1])))
    return chosen


def question(fact: str, messages: Sequence[Spoken]) -> str:
    """Return the words around a fact where it was first said, without it; else its own name."""
    for message in messages:
        text = " ".join(words_of(message).split())
        if is_named_in(fact, text):
            start = text.index(fact)
            before = text[max(0, start - AROUND_CHARACTERS) : start]
            after = text[start + len(fact) : start + len(fact) + AROUND_CHARACTERS]
            around = f"{before} {after}".replace(fact, " ")
            return around if len(_WORD.findall(around)) >= LEAST_WORDS else fact
    return fact


def _shuffled(fact: tuple[str, str]) -> bytes:
    return hashlib.sha256("\0".join(fact).encode()).digest()
