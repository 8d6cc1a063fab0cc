"""Whether words stand in a text as whole words. Standard library only: a hook asks it too.

The words of a question, as full text looks for them: near enough to `text/keywords.py`.
"""

__all__ = ["has_words", "question_words"]


def has_words(text: str, wanted: str) -> bool:
    """Say whether words stand in a text and neither end is in the middle of one."""
    place = text.find(wanted)
    while place >= 0:
        if not _is_inside_word(text, place) and not _is_inside_word(text, place + len(wanted)):
            return True
        place = text.find(wanted, place + 1)
    return False


def _is_inside_word(text: str, place: int) -> bool:
    """Say whether a place is in the middle of a word, in a script that has spaces."""
    return (
        0 < place < len(text)
        and _is_of_spaced_script(text[place - 1])
        and _is_of_spaced_script(text[place])
    )


def _is_of_spaced_script(character: str) -> bool:
    return character.isdigit() or character.lower() != character.upper()


MOST_WORDS = 32
LONGEST_QUESTION_CHARACTERS = 4_096
"""A longer one is a pasted text; its beginning says what it is about."""

LONGEST_NAME_CHARACTERS = 64

# The marks without which a word of Hebrew, Arabic, Hindi or Tamil falls apart.
_MARK_RANGES = (
    ("\u0300", "\u036f"),
    ("\u0591", "\u05c7"),
    ("\u064b", "\u065f"),
    ("\u0900", "\u0dff"),
)
_UNSPACED_RANGES = (
    ("\u0e00", "\u0eff"),
    ("\u1000", "\u109f"),
    ("\u3040", "\u9fff"),
    ("\uac00", "\ud7a3"),
)


def question_words(question: str) -> "list[str]":
    """Return the words and the parts of names, each once."""
    head = question[:LONGEST_QUESTION_CHARACTERS]
    if head.isascii():
        plain = "".join(each if each.isalnum() else " " for each in head).split()
    else:
        plain = "".join(each if _is_word_character(each) else " " for each in head).split()
    found = dict.fromkeys(word.lower() for word in plain)
    found.update(dict.fromkeys(part.lower() for word in plain for part in _inner_words(word)))
    return list(found)[:MOST_WORDS]


def _is_word_character(character: str) -> bool:
    return character.isalnum() or _is_in_ranges(character, _MARK_RANGES)


def _inner_words(word: str) -> "list[str]":
    """Return the words inside `getUserById`, and pairs where a script has no spaces."""
    if not word.isascii() and any(_is_in_ranges(each, _UNSPACED_RANGES) for each in word):
        return [word[place : place + 2] for place in range(max(1, len(word) - 1))]
    if len(word) > LONGEST_NAME_CHARACTERS or word.islower() or word.isupper():
        return []
    parts = [""]
    for before, each in zip(" " + word, word, strict=False):
        if each.isupper() and not before.isupper():
            parts.append("")
        parts[-1] += each
    found = [part for part in parts if part]
    return found if len(found) > 1 else []


def _is_in_ranges(character: str, ranges: "tuple[tuple[str, str], ...]") -> bool:
    return any(first <= character <= last for first, last in ranges)
