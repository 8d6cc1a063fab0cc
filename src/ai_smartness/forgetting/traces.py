"""What would give forgotten messages away: words that nothing else holds, what was asked for."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ai_smartness.model.forgetting import held
from ai_smartness.model.thread import Thread

__all__ = ["Traces", "ids_in", "left_of"]

_ID = re.compile(r"[\w.:-]*\w")


@dataclass(frozen=True, slots=True)
class Traces:
    """Words of forgotten messages that are said nowhere else, and what they were found by."""

    words: frozenset[str]
    phrase: str = ""

    def are_in(self, text: str | None) -> bool:
        """Say whether a text holds any of them."""
        if not text:
            return False
        if self.phrase and self.phrase in " ".join(text.casefold().split()):
            return True
        return bool(held(self.words, text))

    def are_told_by(self, thread: Thread) -> bool:
        """Say whether what a thread is called or said to be about holds any of them."""
        reasons = (each.reason or "" for each in thread.ratings)
        told = (thread.title, thread.summary, *thread.topics, *thread.topics_given, *thread.files)
        return self.are_in("\n".join((*told, *thread.tags, *reasons)))


def left_of(words: set[str], remaining: Iterable[str]) -> set[str]:
    """Return the words that no text which remains holds."""
    for text in remaining:
        if not words:
            break
        words = words - held(words, text)
    return words


def ids_in(text: str) -> set[str]:
    """Return what may be ids in a text."""
    return set(_ID.findall(text))
