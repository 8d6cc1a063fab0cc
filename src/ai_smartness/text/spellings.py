"""Know the other spellings of a word that the field uses: "email", "e-mail"; "login", "sign in".

The groups stand in `spellings.txt` and are read at the first search. A question is searched with
every spelling, so nothing that is stored depends on them.
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

__all__ = ["other_spellings"]

MOST_SPELLING_WORDS = 3  # "out of memory"
MOST_READ_WORDS = 64  # a longer query is a pasted text
SHORTEST_BASE = 3  # letters that are left of a word without its ending

_WORD = re.compile(r"[^\W_]+")
_ENDINGS = ("ation", "ing", "ed", "es", "s", "e")


def other_spellings(query: str) -> list[str]:
    """Return the distinct other spellings of the words of a query, in lower case.

    A spelling of several words is searched as a phrase.
    """
    groups = _spelling_groups()
    bases = [_word_base(word) for word in _WORD.findall(query.lower())[:MOST_READ_WORDS]]
    spans = (
        tuple(bases[start : start + count])
        for start in range(len(bases))
        for count in range(1, MOST_SPELLING_WORDS + 1)
    )
    known = (span for span in spans if span in groups)
    others = (
        spelling for span in known for spelling in groups[span] if _spelling_key(spelling) != span
    )
    return list(dict.fromkeys(others))


@cache
def _spelling_groups() -> Mapping[tuple[str, ...], list[str]]:
    """Read the groups, by the words of each spelling without their endings."""
    lines = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()
    groups = [line.split(", ") for line in lines if line and not line.startswith("#")]
    return {_spelling_key(spelling): group for group in groups for spelling in group}


def _spelling_key(spelling: str) -> tuple[str, ...]:
    return tuple(map(_word_base, spelling.split()))


def _word_base(word: str) -> str:
    """Return a word without its ending: "logged" and "logs" are forms of "log"."""
    if word.endswith("ies") and len(word) > SHORTEST_BASE + 1:
        return word[:-3] + "y"
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_BASE:
            word = word.removesuffix(ending)
            break
    is_doubled = len(word) > SHORTEST_BASE and word[-1] == word[-2]
    return word[:-1] if is_doubled else word
