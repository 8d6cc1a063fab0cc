"""Split a message into the stretches that an answer may quote: a sentence, or a few short ones.

A heading stays with the line below it, small talk and the headers of a diff are left out, and a
sentence of a few words is joined with the next. Every line of a tool's output is a stretch of its
own.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from ai_smartness.text.number_words import NUMBER_WORDS
from ai_smartness.text.stopwords import EVERYDAY_SHARE, conversation_share
from ai_smartness.text.words import ascii_words

__all__ = [
    "STRETCH_CHARACTERS",
    "ends_with_question",
    "is_narration",
    "message_stretches",
    "stretches_with_vector",
    "telling_word_count",
]

STRETCH_CHARACTERS = 220  # about two sentences: more lines say more than longer ones
JOINED_BELOW_CHARACTERS = 60
"""A stretch shorter than this takes the next sentence with it: "Q16.16. soft-float costs 6 KB"."""

READ_CHARACTERS = 8_000  # of one message: the rest of a pasted log is not quoted
MOST_STRETCHES = 60
SPOKEN_WITH_VECTOR = 20  # stretches of a message that have vectors of their own
OUTPUT_WITH_VECTOR = 6  # the same of a tool's output, which is long and seldom quoted
KNOWN_MESSAGES = 1_000  # messages whose stretches are found once: a search returns them again
KNOWN_WORDS = 10_000
NARRATION_WORDS = 14  # a longer sentence says more than what is done next

# It begins with the sign, which is found in half of the time that looking behind takes.
_SENTENCE_END = re.compile(r"[.!?][\"')\]]*\s+(?=\S)|[。！？]")
_ABBREVIATION = re.compile(
    r"\b(?:dr|mr|mrs|ms|prof|st|e\.g|i\.e|etc|vs|cf|approx|no|nr|z\.b|bzw|fig)\.$", re.IGNORECASE
)
_ABBREVIATION_CHARACTERS = 8  # the longest, with its full stop and the sign before it
_LIST_NUMBER = re.compile(r"\W*\d{1,3}\.$")
_LIST_MARK = re.compile(r"^(?:[-*•]|#{1,6})\s+")
_WORD = re.compile(r"[^\W_]+")
_QUESTION_MARKS = ("?", "\uff1f", "\u061f", "\u037e")
_CLOSING_MARKS = " \t\n\"')]*_`"
_SPECIFIC = re.compile(r"[\d`/=_]")
_DIFF_HEADER = re.compile(
    r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|diff --git |index [0-9a-f]{6,}\.\.[0-9a-f]{6,}"
    r"|(?:---|\+\+\+) (?:[ab]/|/dev/null)"
)
_COURTEOUS_WORD = re.compile(
    r"(?:good)?(?:morning|afternoon|evening|night|bye)|cheers|lovely|brilliant|excellent|awesome"
    r"|lgtm|worries|grateful|welcome|sounds|appreciated?|d|ve|ll|hola|gracias|bonjour|merci|salut"
    r"|danke|moin|servus|ciao|grazie|obrigado"
)
"""Words of a greeting or an acknowledgement: a sentence with nothing else tells nothing."""

_AMOUNTS = frozenset(word for word, number in NUMBER_WORDS.items() if number != "1")
"""The words for one are also articles."""

_NARRATION = re.compile(
    r"(?:\w{3,}ing|let(?: me|'s)|i will|i'll|i am going|now|next|then|first|on it|will do"
    r"|understood|okay|ok|right|sure)\b",
    re.IGNORECASE,
)


def message_stretches(text: str, role: str) -> tuple[str, ...]:
    """Return the quotable stretches of a message in their order, each on one line.

    A single sentence may be longer than what can be shown of it.
    """
    return _read_stretches(text[:READ_CHARACTERS], role == "tool")


@lru_cache(KNOWN_MESSAGES)
def _read_stretches(text: str, is_output: bool) -> tuple[str, ...]:  # noqa: FBT001 - a cache's key
    if is_output:
        lines = (" ".join(line.split()) for line in text.splitlines())
        return tuple(islice(filter(_is_quotable, lines), MOST_STRETCHES))
    sentences = filter(_is_quotable, _sentences(text))
    return tuple(islice(_joined_sentences(sentences), MOST_STRETCHES))


def stretches_with_vector(text: str, role: str) -> tuple[str, ...]:
    """Return the first stretches of a message, which have vectors of their own."""
    most = OUTPUT_WITH_VECTOR if role == "tool" else SPOKEN_WITH_VECTOR
    return message_stretches(text, role)[:most]


def _is_quotable(line: str) -> bool:
    """Say whether a line tells something: no small talk, no greeting, no header of a diff."""
    words = _folded_words(line)
    tells = any(_is_telling(word) and not _COURTEOUS_WORD.fullmatch(word) for word in words)
    return tells and not _DIFF_HEADER.match(line)


def telling_word_count(text: str) -> int:
    """Count the words that are neither grammar nor small talk; a number tells something."""
    return sum(map(_is_telling, _folded_words(text)))


def _folded_words(text: str) -> list[str]:
    return ascii_words(text) if text.isascii() else _WORD.findall(text.casefold())


@lru_cache(KNOWN_WORDS)
def _is_telling(word: str) -> bool:
    is_number = word in _AMOUNTS or any(map(str.isdigit, word))
    return is_number or conversation_share(word) < EVERYDAY_SHARE


def ends_with_question(text: str) -> bool:
    """Say whether a text ends with a question, so that the next one may answer it."""
    return text.rstrip(_CLOSING_MARKS).endswith(_QUESTION_MARKS)


def is_narration(sentence: str) -> bool:
    """Say whether an agent's sentence only tells what it does next."""
    is_short = len(sentence.split()) <= NARRATION_WORDS
    return is_short and _NARRATION.match(sentence) is not None and not _SPECIFIC.search(sentence)


def _sentences(text: str) -> Iterator[str]:
    for line in text.splitlines():
        bare = _LIST_MARK.sub("", line.strip())
        start = 0
        for match in _SENTENCE_END.finditer(bare):
            head = bare[start : match.start() + 1].strip()
            if not _is_abbreviation(head):
                yield head
                start = match.end()
        yield bare[start:].strip()


def _is_abbreviation(head: str) -> bool:
    """Say whether the full stop at the end belongs to a short word, or to the number of an item."""
    end = head[-_ABBREVIATION_CHARACTERS:]
    return _ABBREVIATION.search(end) is not None or _LIST_NUMBER.match(head) is not None


def _joined_sentences(sentences: Iterator[str]) -> Iterator[str]:
    stretch = ""
    for sentence in sentences:
        joined = f"{stretch} {sentence}".strip()
        is_open = len(stretch) < JOINED_BELOW_CHARACTERS or stretch.endswith(":")
        if is_open and len(joined) <= STRETCH_CHARACTERS:
            stretch = joined
        else:
            if stretch:
                yield stretch
            stretch = sentence
    if stretch:
        yield stretch
