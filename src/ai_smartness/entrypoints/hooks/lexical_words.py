"""The words of a question, as full text looks for them: near enough to `retrieve/terms.py`."""

__all__ = ["words"]

MOST_WORDS = 32
LONGEST_QUESTION_CHARACTERS = 4_096
"""A longer one is a pasted text; its beginning says what it is about."""

LONGEST_NAME_CHARACTERS = 64

# The marks without which a word of Hebrew, Arabic, Hindi or Tamil falls apart.
_MARKS = (("\u0300", "\u036f"), ("\u0591", "\u05c7"), ("\u064b", "\u065f"), ("\u0900", "\u0dff"))
_UNSPACED = (("\u0e00", "\u0eff"), ("\u1000", "\u109f"), ("\u3040", "\u9fff"), ("\uac00", "\ud7a3"))


def words(question: str) -> "list[str]":
    """Return the words and the parts of names, each once."""
    head = question[:LONGEST_QUESTION_CHARACTERS]
    if head.isascii():
        plain = "".join(each if each.isalnum() else " " for each in head).split()
    else:
        plain = "".join(each if _is_of_word(each) else " " for each in head).split()
    found = dict.fromkeys(word.lower() for word in plain)
    found.update(dict.fromkeys(part.lower() for word in plain for part in _parts(word)))
    return list(found)[:MOST_WORDS]


def _is_of_word(character: str) -> bool:
    return character.isalnum() or _is_in(character, _MARKS)


def _parts(word: str) -> "list[str]":
    """Return the words inside `getUserById`, and pairs where a script has no spaces."""
    if not word.isascii() and any(_is_in(each, _UNSPACED) for each in word):
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


def _is_in(character: str, ranges: "tuple[tuple[str, str], ...]") -> bool:
    return any(first <= character <= last for first, last in ranges)
