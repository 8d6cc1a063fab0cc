"""Names for files, made from titles: readable, unique, and good on every file system."""

import re
import unicodedata
from collections.abc import Iterable

__all__ = ["Names", "folded"]

LONGEST_BYTES = 120
"""Some encrypted file systems take 143 bytes, and a name gets an ending."""

# What Windows refuses in a name, and what has a meaning in a link of Obsidian.
_BARRED = re.compile(r'[<>:"/\\|?*#^\[\]\x00-\x1f\x7f-\x9f]')
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(\..*)?", re.IGNORECASE)


class Names:
    """Names that were given; none is given twice, whatever its case or how it is composed."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {folded(name) for name in taken}

    def name(self, title: str, tail: str) -> str:
        """Return a name for a title; where it is taken, with a tail that tells it apart."""
        plain = _cut(safe(title) or safe(tail) or "untitled", LONGEST_BYTES)
        name, number = plain, 1
        while folded(name) in self._taken:
            ending = f" ({safe(tail)})" if number == 1 else f" ({safe(tail)} {number})"
            name = _cut(plain, LONGEST_BYTES - len(ending.encode())) + ending
            number += 1
        self._taken.add(folded(name))
        return name


def folded(name: str) -> str:
    """Return what two names share that some file system holds for the same."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def safe(title: str) -> str:
    """Return a title without what some file system does not take."""
    text = unicodedata.normalize("NFC", title)
    text = "".join(" " if _is_unseen(each) else each for each in text)
    text = " ".join(_BARRED.sub(" ", text).split())
    # Windows drops a dot at the end; at the beginning it hides the file.
    text = text.strip(". ")
    return f"_{text}" if _RESERVED.fullmatch(text) else text


def _is_unseen(character: str) -> bool:
    # Format characters turn the direction of a name around or cannot be seen; surrogates
    # cannot be written at all. Two joiners are letters' own, and of emoji.
    category = unicodedata.category(character)
    return category in ("Cc", "Cs", "Cn", "Co") or (
        category == "Cf" and character not in "\u200c\u200d"
    )


def _cut(text: str, longest: int) -> str:
    """Cut a name to so many bytes, between two characters."""
    encoded = text.encode()
    if len(encoded) <= longest:
        return text
    return encoded[:longest].decode(errors="ignore").rstrip(". \u200c\u200d")
