"""Read a message once, for all that is said of its thread: sentences, clauses, words.

Code blocks and pasted markup are not read unless there is nothing else. Reading
is linear in the text and stops after 2,000 code points: the rest of a pasted
log tells no more of what a thread is about.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ai_smartness.threads.describe.background import SMALL_TALK
from ai_smartness.threads.describe.word import STOP, Lexicon, Word

__all__ = ["LINE_CHARACTERS", "Clause", "Line", "Reading", "Sentence", "opened_by", "read"]

LINE_CHARACTERS = 2_000

OPENING_WORDS = 4
"""“q” or “ok, go” opens nothing."""

Clause = tuple[Word, ...]

_CODE_BLOCK = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_FENCE = re.compile(r"```[\w+-]*+")
_MARKUP = re.compile(r"<([A-Za-z][\w-]{0,40}+)>[^<]{0,2000}+</\1>")
_END = re.compile(r"[.!?。！？]+(?:(?<=[。！？])|(?=\s))")  # noqa: RUF001 - full width
_HEADING = re.compile(r"#{1,4}\s")
_LEADING = "#*->• \t"


@dataclass(frozen=True, slots=True)
class Line:
    """One message of a thread: who said it, what, and whether that was an agent or a tool."""

    speaker: str
    text: str
    by_agent: bool = False


class Sentence(NamedTuple):
    """A sentence as it was said, without its list or heading marks, and its clauses."""

    text: str
    clauses: tuple[Clause, ...]
    is_heading: bool = False


class Reading(NamedTuple):
    """What was read in one message.

    `words` has each word once, in order, by its folded form. A message is not
    `telling` when it is small talk through and through, or nothing but code.
    """

    speaker: str
    by_agent: bool
    sentences: tuple[Sentence, ...]
    words: dict[str, Word]
    telling: bool


def read(line: Line, lexicon: Lexicon) -> Reading:
    """Read one message."""
    text = line.text[:LINE_CHARACTERS]
    prose = _prose(text)
    sentences = _sentences(prose, lexicon)
    only_code = not sentences and prose is not text
    if only_code:
        sentences = _sentences(_FENCE.sub("", text), lexicon)
    words: dict[str, Word] = {}
    for sentence in sentences:
        for clause in sentence.clauses:
            for word in clause:
                words.setdefault(word.folded, word)
    telling = not only_code and any(
        word.share < SMALL_TALK and not word.is_slight for word in words.values()
    )
    return Reading(line.speaker, line.by_agent, sentences, words, telling)


def opened_by(readings: Sequence[Reading]) -> Reading | None:
    """Find the first message of the person that says something, else the agent's."""
    said = [reading for reading in readings if len(reading.words) >= OPENING_WORDS]
    return next((r for r in said if not r.by_agent), said[0] if said else None)


def _prose(text: str) -> str:
    if "```" in text:
        text = _CODE_BLOCK.sub("\n", text)
    return _MARKUP.sub("\n", text) if "</" in text else text


def _sentences(text: str, lexicon: Lexicon) -> tuple[Sentence, ...]:
    found: list[Sentence] = []
    for line in text.splitlines():
        start = 0
        for end in [*(match.end() for match in _END.finditer(line)), len(line)]:
            clauses = _clauses(line[start:end], lexicon)
            if clauses:
                found.append(_sentence(line[start:end], clauses))
            start = end
    return tuple(found)


def _sentence(piece: str, clauses: tuple[Clause, ...]) -> Sentence:
    text = piece.strip()
    is_heading = _HEADING.match(text) is not None
    return Sentence(text.lstrip(_LEADING).strip(), clauses, is_heading)


def _clauses(text: str, lexicon: Lexicon) -> tuple[Clause, ...]:
    found: list[Clause] = []
    clause: list[Word] = []
    for piece in text.split():
        for word in lexicon[piece]:
            if word is not STOP:
                clause.append(word)
            elif clause:
                found.append(tuple(clause))
                clause = []
    if clause:
        found.append(tuple(clause))
    return tuple(found)
