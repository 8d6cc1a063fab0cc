"""Cut a long text where a reader sees a gap between characters, and say how much is missing."""

import unicodedata

__all__ = ["cut"]

ZERO_WIDTH_JOINER = "\u200d"
SHORT_MARK = "…"


def cut(text: str, limit: int) -> str:
    """Return the text within `limit` code points, ending with a mark when it was cut.

    Never between a letter and its accents nor inside an emoji made of several
    code points.
    """
    if len(text) <= limit:
        return text
    # Sized for the whole text, so that the number that is written always fits.
    room = limit - len(_mark(len(text)))
    if room <= limit // 2:
        return text[: _boundary(text, limit - len(SHORT_MARK))] + SHORT_MARK[: max(limit, 0)]
    end = _boundary(text, room)
    return text[:end] + _mark(len(text) - end)


def _mark(missing: int) -> str:
    return f" [… {missing:,} characters more]"


def _boundary(text: str, position: int) -> int:
    """Return the last place at or before `position` where one visible character ends."""
    position = max(position, 0)
    while position > 0 and _joins(text, position):
        position -= 1
    return position


def _joins(text: str, position: int) -> bool:
    before, after = text[position - 1], text[position]
    if ZERO_WIDTH_JOINER in (before, after) or unicodedata.category(after).startswith("M"):
        return True
    if _is_flag_letter(before) and _is_flag_letter(after):
        return _flag_letters_before(text, position) % 2 == 1
    return _extends(after)


def _extends(character: str) -> bool:
    """Say whether a skin tone, a tag or the rest of a Hangul syllable belongs to what is before."""
    return (
        "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
        or "\u1160" <= character <= "\u11ff"
    )


def _is_flag_letter(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flag_letters_before(text: str, position: int) -> int:
    start = position
    while start > 0 and _is_flag_letter(text[start - 1]):
        start -= 1
    return position - start
