"""Know the words around the subject of a request: its verbs, and what a noun phrase ends before.

The word lists stand in `request_words.txt`, by section.
"""

import re
from pathlib import Path
from typing import NamedTuple

from ai_smartness.text.stopwords import read_word_lists

__all__ = [
    "ASIDES",
    "BREAKS",
    "COMMANDS",
    "COPULAS",
    "DEICTIC_WORDS",
    "DELEGATES",
    "DELEGATING_VERBS",
    "DETERMINERS",
    "EMPTY_NOUNS",
    "ERRANDS",
    "ERRAND_WORDS",
    "FAILURES",
    "IDLE_ADJECTIVES",
    "LIGHT_ADJECTIVES",
    "LIGHT_NOUNS",
    "LINK_WORDS",
    "NAMING_VERBS",
    "NARRATION",
    "NEGATED_AUXILIARIES",
    "PARTICLES",
    "POINTING_WORDS",
    "PROCESS_NOUNS",
    "RESULT_WORDS",
    "RESUMING_WORDS",
    "SKIPPED_WORDS",
    "TECHNICAL_WORDS",
    "TITLE_ENDS",
    "TITLE_STARTS",
    "UNSPACED_ENDINGS",
    "UNSPACED_VERBS",
    "WEAK_HEADS",
    "RequestVerb",
    "gerund",
    "mistyped_verb",
    "request_verb",
]

LEAST_TYPED_CHARACTERS = 5

_PREFIXES = ("auto-", "re-", "pre-", "de-", "un-")
_VOWELS = "aeiou"
_CLOSED_ENDING = re.compile(f"[^{_VOWELS}][{_VOWELS}][^{_VOWELS}wxy]$")
_SYLLABLE = re.compile(f"[{_VOWELS}y]+")


class RequestVerb(NamedTuple):
    """A verb in one of its forms: `form` is "", "s", "ed", "ing", or "foreign" if not English."""

    base: str
    form: str = ""
    is_dropped: bool = True
    is_noun_too: bool = False


def request_verb(folded: str) -> RequestVerb | None:
    """Find the verb that a word may be."""
    verb = _VERBS.get(folded)
    if verb is None and folded.startswith(_PREFIXES):
        verb = _VERBS.get(folded.partition("-")[2])
        return verb._replace(base=folded, is_dropped=False) if verb and not verb.form else None
    return verb


def mistyped_verb(folded: str) -> RequestVerb | None:
    """Find the verb of a request that a word at its head was meant to be: "spwan", "chceck"."""
    if len(folded) < LEAST_TYPED_CHARACTERS or folded in _VERBS or not folded.isalpha():
        return None
    return next((verb for key in _typing_keys(folded) if (verb := _TYPED_VERBS.get(key))), None)


def _typing_keys(folded: str) -> list[str]:
    """Return the letters of a word between its ends in order, and of a longer one without each."""
    ends, letters = folded[0] + folded[-1], "".join(sorted(folded[1:-1]))
    shorter = [letters[:at] + letters[at + 1 :] for at in range(len(letters))]
    return [
        ends + key for key in [letters, *(shorter if len(folded) > LEAST_TYPED_CHARACTERS else ())]
    ]


def gerund(base: str) -> str:
    """Return the -ing form of an English verb."""
    prefix, hyphen, rest = base.rpartition("-")
    if hyphen and rest:
        return prefix + hyphen + gerund(rest)
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")):
        return base[:-1] + "ing"
    return (base + base[-1] if _doubles_last_letter(base) else base) + "ing"


def _doubles_last_letter(base: str) -> bool:
    if base in _DOUBLED:
        return True
    one_syllable = len(_SYLLABLE.findall(base)) == 1
    return one_syllable and _CLOSED_ENDING.search(base) is not None


def _inflected_verbs(verb: RequestVerb) -> dict[str, RequestVerb]:
    base, ing = verb.base, gerund(verb.base)
    past = base + "d" if base.endswith("e") else ing[:-3] + "ed"
    if base.endswith("y") and base[-2] not in _VOWELS:
        third, past = base[:-1] + "ies", base[:-1] + "ied"
    else:
        third = base + ("es" if base.endswith(("s", "sh", "ch", "x", "z", "o")) else "s")
    forms = {"ed": past, "s": third, "ing": ing, "": base}
    return {written: verb._replace(form=form) for form, written in forms.items()}


def _known_verbs() -> dict[str, RequestVerb]:
    verbs: dict[str, RequestVerb] = {
        word: RequestVerb(word, "foreign") for word in _LISTS["spoken verbs"]
    }
    for section, is_dropped in (("kept verbs", False), ("dropped verbs", True)):
        for suffix, is_noun_too in ((" that are nouns too", True), ("", False)):
            for base in _LISTS[section + suffix]:
                verbs |= _inflected_verbs(RequestVerb(base, "", is_dropped, is_noun_too))
    irregular = iter(_LISTS["irregular forms"])
    for form, base in zip(irregular, irregular, strict=True):
        if form != base:
            verbs[form] = verbs[base]._replace(form="ed")
    return verbs


_LISTS = read_word_lists(Path(__file__).with_suffix(".txt"))
_DOUBLED = frozenset(_LISTS["doubling verbs"])
_VERBS = _known_verbs()

_TYPED_VERBS = {
    _typing_keys(word)[0]: verb
    for word, verb in _VERBS.items()
    if not verb.form and not verb.is_noun_too and len(word) >= LEAST_TYPED_CHARACTERS
} | {_typing_keys(word)[0]: _VERBS[word] for word in ("check", "update", "review")}

ASIDES = frozenset(_LISTS["asides"])
BREAKS = frozenset(_LISTS["breaks"])
COMMANDS = frozenset(_LISTS["commands"])
COPULAS = frozenset(_LISTS["copulas"])
DEICTIC_WORDS = frozenset(_LISTS["deictic words"])
DELEGATES = frozenset(_LISTS["delegates"])
DELEGATING_VERBS = frozenset(_LISTS["delegating verbs"])
DETERMINERS = frozenset(_LISTS["determiners"])
EMPTY_NOUNS = frozenset(_LISTS["empty nouns"])
ERRANDS = frozenset(_LISTS["errands"])
ERRAND_WORDS = ERRANDS | {*_LISTS["errand words"]}
FAILURES = dict(zip(_LISTS["failures"][::2], _LISTS["failures"][1::2], strict=True))
IDLE_ADJECTIVES = frozenset(_LISTS["idle adjectives"])
LIGHT_ADJECTIVES = frozenset(_LISTS["light adjectives"])
LIGHT_NOUNS = frozenset(_LISTS["light nouns"])
LINK_WORDS = frozenset(_LISTS["link words"])
NAMING_VERBS = frozenset(_LISTS["naming verbs"])
NARRATION = frozenset(_LISTS["narration"])
NEGATED_AUXILIARIES = frozenset(_LISTS["negated auxiliaries"])
PARTICLES = frozenset(_LISTS["particles"])
POINTING_WORDS = frozenset(_LISTS["pointing words"])
PROCESS_NOUNS = frozenset(_LISTS["process nouns"])
RESULT_WORDS = frozenset(_LISTS["result words"])
RESUMING_WORDS = frozenset(_LISTS["resuming words"])
SKIPPED_WORDS = frozenset(_LISTS["skipped"])
TECHNICAL_WORDS = frozenset(_LISTS["technical words"])
TITLE_ENDS = frozenset(_LISTS["title ends"])
TITLE_STARTS = frozenset(_LISTS["title starts"])
UNSPACED_VERBS = tuple(sorted(_LISTS["unspaced verbs"], key=len, reverse=True))
WEAK_HEADS = frozenset(_LISTS["weak heads"])
UNSPACED_ENDINGS = tuple(_LISTS["unspaced endings"])
