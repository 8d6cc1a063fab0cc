# ruff: noqa: RUF001 - punctuation of several scripts
"""What a message says a thing is, and whether it says that this has changed.

A *stated value* is a measure ("30 days"), a version, a choice ("use Redis
for …"), a thing given up, or a rule for or against. It is kept with the terms
around it, which say of what it is the value. Read by words alone.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ai_smartness.threads import change_patterns as language
from ai_smartness.threads.phrases import Phrase, any_of, cues_of, lines, phrases
from ai_smartness.threads.quantities import quantities, quantity
from ai_smartness.threads.telling import EVERYDAY, term_of, terms

__all__ = ["CHOICE", "RULE", "Stated", "needed", "stated"]

SPEECH_CHARACTERS = 4000
"""Of a message: values are stated in talk; what follows is a report or a paste."""

LONGEST_SENTENCE_CHARACTERS = 600
"""A longer one is a list or a paste."""

AROUND_CHARACTERS = 90
"""On each side of a value, within its sentence: about a dozen words say of what it is the value."""

NEAR_CHARACTERS = 45
"""On each side, where the noun stands that the value is of."""

CHANGE_CHARACTERS = 60
"""How near the word of change must stand; "now" at the other end is about something else."""

MOST_STATED = 24
"""Of one message: one that states more is a table."""

CHOICE = "choice"
RULE = "rule"


@dataclass(frozen=True, slots=True)
class Stated:
    """A value as it was said of something.

    Two values can be compared when they have one `measure`; they are the same
    when they have one `key`. `gives_up` is the key of the value it takes the
    place of, `explicit` if the words themselves give that up. `near` are
    the terms of `about` closest to it. A choice or a rule against something is
    not `positive`.
    """

    measure: str
    value: str
    key: str
    about: frozenset[str]
    changed: bool = False
    gives_up: str = ""
    explicit: bool = False
    near: frozenset[str] = frozenset()
    positive: bool = True


def stated(text: str, names: Iterable[str] = ()) -> tuple[Stated, ...]:
    """Return the values that a message states, in the order of reading."""
    known = {term_of(name) for name in names}
    found: list[Stated] = []
    for sentence in _sentences(text):
        found += _Reading(sentence, known).values()
        if len(found) >= MOST_STATED:
            break
    return tuple(found[:MOST_STATED])


def needed(text: str, names: Iterable[str] = ()) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return what a message says must be there first: the words, and their terms."""
    known = {term_of(name) for name in names}
    return tuple(
        (after.strip(), frozenset(terms(after, _present(known, after))))
        for sentence in _sentences(text)
        for cue in _NEEDED.finditer(sentence)
        if (after := sentence[cue.end() : cue.end() + AROUND_CHARACTERS])
    )


_CODE = re.compile(r"```.*?(?:```|\Z)|^[ \t]*>.*?$|^(?: {4}|\t).*?$", re.DOTALL | re.MULTILINE)
_STOPS = "\n!?。！？;；"
_CLAUSES = (", ", " - ", " – ", "，")
_SENTENCE = re.compile(rf"[^{_STOPS}.]++(?:\.(?=\S)[^{_STOPS}.]*+)*+(?P<end>[{_STOPS}.]|\Z)")

_DIGIT = re.compile(r"\d")
_SHORTEST_NAME = 3


class _Reading:
    """One sentence, read for its values from the clearest to the vaguest."""

    def __init__(self, sentence: str, names: set[str]) -> None:
        self._sentence = sentence
        self._names = names
        self._taken: list[tuple[int, int]] = []

    def values(self) -> Iterator[Stated]:
        worded = _CUES.search(self._sentence) is not None
        if worded:
            yield from self._pairs()
            yield from self._choices(_DROPPED, positive=False, gives_up=True)
            yield from self._choices(_AVOIDED, positive=False)
            yield from self._choices(_CHOSEN, positive=True)
        if _DIGIT.search(self._sentence):
            yield from self._quantities()
        if worded:
            yield from self._rules()

    def _pairs(self) -> Iterator[Stated]:
        """Yield what took the place of something named."""
        for explicit, phrase in _REPLACED:
            for match in phrase.found(self._sentence):
                measure, new = _measured(match["new"])
                other, old = _measured(match["old"])
                if measure != other or not (explicit or measure != CHOICE):
                    continue
                if new == old or not (new and old) or self._is_taken(*match.span()):
                    continue
                self._taken.append(match.span())
                about = self._about(match.start(), match.end())
                yield Stated(
                    measure,
                    _bare(match["new"]),
                    new,
                    about,
                    changed=True,
                    gives_up=old,
                    explicit=explicit,
                )

    def _choices(
        self, phrases: tuple[Phrase, ...], *, positive: bool, gives_up: bool = False
    ) -> Iterator[Stated]:
        for phrase in phrases:
            for match in phrase.found(self._sentence):
                measure, key = _measured(match["thing"])
                if measure != CHOICE or not key or self._is_taken(*match.span()):
                    continue
                self._taken.append(match.span())
                start, end = match.span()
                yield Stated(
                    CHOICE,
                    _bare(match["thing"]),
                    key,
                    self._about(start, end),
                    changed=gives_up or self._is_changed(start, end),
                    gives_up=key if gives_up else "",
                    explicit=gives_up,
                    positive=positive,
                )

    def _quantities(self) -> Iterator[Stated]:
        for found in quantities(self._sentence):
            span = (found.start, found.end)
            if not self._is_taken(*span):
                yield Stated(
                    found.measure,
                    found.value,
                    found.key,
                    self._about(*span),
                    changed=self._is_changed(*span),
                    near=self._around(*span, NEAR_CHARACTERS),
                )

    def _rules(self) -> Iterator[Stated]:
        """Yield what is ruled always or never; the rule is what follows the word."""
        for pattern, positive in ((_RULED, True), (_NEVER, False)):
            for match in pattern.finditer(self._sentence):
                ruled = self._sentence[match.start() : match.end() + AROUND_CHARACTERS]
                about = frozenset(terms(ruled[len(match[0]) :], self._within(ruled)))
                key = " ".join(sorted(about))
                changed = self._is_changed(match.start(), match.end())
                yield Stated(RULE, ruled.strip(), key, about, changed, positive=positive)

    def _about(self, start: int, end: int) -> frozenset[str]:
        """Return the terms around a value, and the names anywhere in its sentence."""
        return self._around(start, end, AROUND_CHARACTERS) | self._within(self._sentence)

    def _around(self, start: int, end: int, reach: int) -> frozenset[str]:
        before = self._sentence[max(0, start - reach) : start]
        after = self._sentence[end : end + reach]
        # The window cuts words in two; half a word is no term.
        if start > reach:
            before = before.partition(" ")[2] or before
        if end + reach < len(self._sentence):
            after = after.rpartition(" ")[0] or after
        return frozenset(terms(f"{before} {after}"))

    def _within(self, words: str) -> set[str]:
        return _present(self._names, words)

    def _is_changed(self, start: int, end: int) -> bool:
        near = self._sentence[max(0, start - CHANGE_CHARACTERS) : end + CHANGE_CHARACTERS]
        return _CHANGED.search(near) is not None

    def _is_taken(self, start: int, end: int) -> bool:
        return any(start < until and since < end for since, until in self._taken)


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences of what was said.

    A question states nothing, but what is said before it in one breath does.
    """
    said = _CODE.sub("\n", text[:SPEECH_CHARACTERS])
    for match in _SENTENCE.finditer(said):
        sentence = match[0].replace("’", "'")
        if match["end"] in ("?", "？"):
            sentence = sentence[: max(0, *map(sentence.rfind, _CLAUSES))]
        if sentence.strip() and len(sentence) <= LONGEST_SENTENCE_CHARACTERS:
            yield sentence


def _present(names: set[str], words: str) -> set[str]:
    folded = words.casefold()
    return {name for name in names if name in folded}


def _measured(thing: str) -> tuple[str, str]:
    """Return the measure and the key of a thing that was named in a phrase of change."""
    bare = _bare(thing)
    amount = quantity(bare)
    if amount:
        return amount.measure, amount.key
    key = bare.casefold()
    # Two small letters are a pronoun or a preposition in any of our languages; Go and C# are not.
    glue = len(key) < _SHORTEST_NAME and bare == key and key.isalpha() and key.isascii()
    return CHOICE, "" if glue or key in EVERYDAY else key


def _bare(thing: str) -> str:
    return thing.strip(" `\"'“”„«».,:")


_REPLACED = tuple((True, phrase) for phrase in phrases(language.REPLACED)) + tuple(
    (False, phrase) for phrase in phrases(language.SWITCHES)
)
_DROPPED = phrases(language.DROPPED)
_AVOIDED = phrases(language.AVOIDED)
_CHOSEN = phrases(language.CHOSEN)
_CHANGED = any_of(lines(language.CHANGED))
_NEEDED = any_of(lines(language.NEEDED))
_RULED = any_of(lines(language.RULED))
_NEVER = any_of(lines(language.NEVER))
# Whatever any of these turns on; most sentences have none.
_CUES = cues_of(
    (
        language.REPLACED,
        language.SWITCHES,
        language.DROPPED,
        language.AVOIDED,
        language.CHOSEN,
        language.RULED,
        language.NEVER,
    )
)
