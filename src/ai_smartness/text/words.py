"""The words of a question, and how well a message answers by its words alone.

Search shares this with the hook's search without a daemon: standard library only, and without
regular expressions.
"""

from math import exp, log

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "ascii_words",
    "has_words",
    "keyword_relevance",
    "question_information",
    "question_words",
]

MOST_WORDS = 32
LONGEST_QUESTION_CHARACTERS = 4_096
"""A longer question is a pasted text; its beginning says what it is about."""

LONGEST_NAME_CHARACTERS = 64

WORDS_ALONE_WEIGHT = 8.0
WORDS_ALONE_OFFSET = -3.1

SAYS_NOTHING = 10.0
"""Information, in nats, that a question must exceed: "yes" and "go on" ask for nothing."""

GROWN_EVENTS = 1_000  # the memory size that the constants were fitted for
YOUNG_EVENTS = 50  # in a memory of about this size, an unknown word says little

# The marks without which a word of Hebrew, Arabic, Hindi or Tamil falls apart.
_MARKS = (("\u0300", "\u036f"), ("\u0591", "\u05c7"), ("\u064b", "\u065f"), ("\u0900", "\u0dff"))
_UNSPACED = (("\u0e00", "\u0eff"), ("\u1000", "\u109f"), ("\u3040", "\u9fff"), ("\uac00", "\ud7a3"))

_LOWERED_WORDS = bytes(ord(chr(sign).lower()) if chr(sign).isalnum() else 32 for sign in range(128))
_LOWERED_WORDS += bytes(128)
"""What each byte of a text becomes: letters in lower case, digits, and spaces for all others."""


def ascii_words(text: str) -> list[str]:
    """Return the runs of letters and digits of an ASCII text, in lower case.

    It takes a fraction of the time of a regular expression: bytes are translated all at once.
    """
    return text.encode("ascii").translate(_LOWERED_WORDS).decode("ascii").split()


def has_words(text: str, wanted: str) -> bool:
    """Say whether the wanted words occur in the text as whole words."""
    place = text.find(wanted)
    while place >= 0:
        if not _is_inside_word(text, place) and not _is_inside_word(text, place + len(wanted)):
            return True
        place = text.find(wanted, place + 1)
    return False


def _is_inside_word(text: str, place: int) -> bool:
    """Say whether a place is in the middle of a word, in a script that has spaces."""
    around = text[place - 1 : place + 1] if 0 < place < len(text) else ""
    return bool(around) and all(
        character.isdigit() or character.lower() != character.upper() for character in around
    )


def question_words(question: str) -> "list[str]":
    """Return the distinct words of a question and the words inside its names.

    The hook's light version of `keywords.query_terms`.
    """
    head = question[:LONGEST_QUESTION_CHARACTERS]
    marks = () if head.isascii() else _MARKS
    words = "".join(
        character if character.isalnum() or _is_in_ranges(character, marks) else " "
        for character in head
    ).split()
    parts = [part for word in words for part in _inner_words(word)]
    return list(dict.fromkeys(word.lower() for word in [*words, *parts]))[:MOST_WORDS]


def _inner_words(word: str) -> "list[str]":
    """Return the words inside `getUserById`, and pairs where a script has no spaces."""
    if not word.isascii() and any(_is_in_ranges(character, _UNSPACED) for character in word):
        return [word[place : place + 2] for place in range(max(1, len(word) - 1))]
    if len(word) > LONGEST_NAME_CHARACTERS or word.islower() or word.isupper():
        return []
    parts = [""]
    for before, character in zip(" " + word, word, strict=False):
        if character.isupper() and not before.isupper():
            parts.append("")
        parts[-1] += character
    parts = [part for part in parts if part]
    return parts if len(parts) > 1 else []


def _is_in_ranges(character: str, ranges: "tuple[tuple[str, str], ...]") -> bool:
    return any(first <= character <= last for first, last in ranges)


def keyword_relevance(share: float) -> float:
    """Measure how well a message answers that has this share of the question's information."""
    return 1.0 / (1.0 + exp(-(WORDS_ALONE_WEIGHT * share + WORDS_ALONE_OFFSET)))


def question_information(
    event_counts: "Mapping[str, int]", events: int, young_power: float = 1.0
) -> "tuple[dict[str, float], float]":
    """Return the information of each word of a question, in nats, and the total to compare with.

    `event_counts` says how many of the events contain each word. The power makes a few words
    enough sooner in a small memory.
    """
    unknown_share = events / (events + YOUNG_EVENTS)
    information = {
        word: _word_information(count, events) * (1.0 if count else unknown_share)
        for word, count in event_counts.items()
    }
    size = min(1.0, _word_information(0, events) / _word_information(0, GROWN_EVENTS))
    return information, sum(sorted(information.values())) + SAYS_NOTHING * size**young_power


def _word_information(count: int, events: int) -> float:
    return log(1 + (events - count + 0.5) / (count + 0.5))
