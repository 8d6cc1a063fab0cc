"""Whether words stand in a text as whole words. Standard library only: a hook asks it too."""

__all__ = ["has_words"]


def has_words(text: str, wanted: str) -> bool:
    """Say whether words stand in a text and neither end is in the middle of one."""
    place = text.find(wanted)
    while place >= 0:
        if not _is_inside(text, place) and not _is_inside(text, place + len(wanted)):
            return True
        place = text.find(wanted, place + 1)
    return False


def _is_inside(text: str, place: int) -> bool:
    """Say whether a place is in the middle of a word, in a script that has spaces."""
    return 0 < place < len(text) and _is_spaced(text[place - 1]) and _is_spaced(text[place])


def _is_spaced(character: str) -> bool:
    return character.isdigit() or character.lower() != character.upper()
