"""What a message says a thing is, and whether it says that this has changed.

A *stated value* is a measure ("30 days"), a version, a choice ("use Redis
for …"), a thing given up, or a rule for or against. It is kept with the terms
around it, which say of what it is the value. Read by words alone.

The numbers of a sentence that are somebody's value: amounts, versions, times, counts.

"60 minutes" is "1 hour". A number after "issue" or "step" is a label, one
beside a month or before "ago" a date, and one that stands alone says nothing.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ai_smartness.describe import phrases as language
from ai_smartness.describe.phrases import (
    LABELS,
    MONTHS,
    UNITS,
    Phrase,
    any_phrase_pattern,
    cue_pattern,
    parsed_phrases,
    phrase_lines,
)
from ai_smartness.text.keywords import STOPWORDS, extract_keywords, name_keyword

__all__ = [
    "CHOICE",
    "RULE",
    "Quantity",
    "StatedValue",
    "parsed_quantity",
    "quantities_in",
    "stated_needs",
    "stated_values",
]


# ruff: noqa: RUF001 - punctuation of several scripts


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

MOST_STATED_VALUES = 24
"""Of one message: one that states more is a table."""

CHOICE = "choice"
RULE = "rule"


@dataclass(frozen=True, slots=True)
class StatedValue:
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


def stated_values(text: str, names: Iterable[str] = ()) -> tuple[StatedValue, ...]:
    """Return the values that a message states, in the order of reading."""
    known = {name_keyword(name) for name in names}
    found: list[StatedValue] = []
    for sentence in _stating_sentences(text):
        found += _SentenceReader(sentence, known).read_values()
        if len(found) >= MOST_STATED_VALUES:
            break
    return tuple(found[:MOST_STATED_VALUES])


def stated_needs(text: str, names: Iterable[str] = ()) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return what a message says must be there first: the words, and their terms."""
    known = {name_keyword(name) for name in names}
    return tuple(
        (after.strip(), frozenset(extract_keywords(after, _names_present(known, after))))
        for sentence in _stating_sentences(text)
        for cue in _NEEDED.finditer(sentence)
        if (after := sentence[cue.end() : cue.end() + AROUND_CHARACTERS])
    )


_CODE_OR_QUOTE = re.compile(
    r"```.*?(?:```|\Z)|^[ \t]*>.*?$|^(?: {4}|\t).*?$",
    re.DOTALL | re.MULTILINE,
)
_STOPS = "\n!?。！？;；"
_CLAUSE_BREAKS = (", ", " - ", " – ", "，")
_SENTENCE = re.compile(rf"[^{_STOPS}.]++(?:\.(?=\S)[^{_STOPS}.]*+)*+(?P<end>[{_STOPS}.]|\Z)")

_DIGIT = re.compile(r"\d")
_SHORTEST_NAME = 3


class _SentenceReader:
    """One sentence, read for its values from the clearest to the vaguest."""

    def __init__(self, sentence: str, names: set[str]) -> None:
        self._sentence = sentence
        self._names = names
        self._taken_spans: list[tuple[int, int]] = []

    def read_values(self) -> Iterator[StatedValue]:
        worded = _CUES.search(self._sentence) is not None
        if worded:
            yield from self._replacements()
            yield from self._stated_choices(_DROPPED, positive=False, gives_up=True)
            yield from self._stated_choices(_AVOIDED, positive=False)
            yield from self._stated_choices(_CHOSEN, positive=True)
        if _DIGIT.search(self._sentence):
            yield from self._stated_quantities()
        if worded:
            yield from self._stated_rules()

    def _replacements(self) -> Iterator[StatedValue]:
        """Yield what took the place of something named."""
        for explicit, phrase in _REPLACED:
            for match in phrase.matches_in(self._sentence):
                measure, new = _measure_and_key(match["new"])
                other, old = _measure_and_key(match["old"])
                if measure != other or not (explicit or measure != CHOICE):
                    continue
                if new == old or not (new and old) or self._is_taken(*match.span()):
                    continue
                self._taken_spans.append(match.span())
                about = self._terms_about(match.start(), match.end())
                yield StatedValue(
                    measure,
                    _bare_thing(match["new"]),
                    new,
                    about,
                    changed=True,
                    gives_up=old,
                    explicit=explicit,
                )

    def _stated_choices(
        self,
        phrases: tuple[Phrase, ...],
        *,
        positive: bool,
        gives_up: bool = False,
    ) -> Iterator[StatedValue]:
        for phrase in phrases:
            for match in phrase.matches_in(self._sentence):
                measure, key = _measure_and_key(match["thing"])
                if measure != CHOICE or not key or self._is_taken(*match.span()):
                    continue
                self._taken_spans.append(match.span())
                start, end = match.span()
                yield StatedValue(
                    CHOICE,
                    _bare_thing(match["thing"]),
                    key,
                    self._terms_about(start, end),
                    changed=gives_up or self._is_changed(start, end),
                    gives_up=key if gives_up else "",
                    explicit=gives_up,
                    positive=positive,
                )

    def _stated_quantities(self) -> Iterator[StatedValue]:
        for found in quantities_in(self._sentence):
            span = (found.start, found.end)
            if not self._is_taken(*span):
                yield StatedValue(
                    found.measure,
                    found.value,
                    found.key,
                    self._terms_about(*span),
                    changed=self._is_changed(*span),
                    near=self._terms_around(*span, NEAR_CHARACTERS),
                )

    def _stated_rules(self) -> Iterator[StatedValue]:
        """Yield what is ruled always or never; the rule is what follows the word."""
        for pattern, positive in ((_RULED, True), (_NEVER, False)):
            for match in pattern.finditer(self._sentence):
                ruled = self._sentence[match.start() : match.end() + AROUND_CHARACTERS]
                about = frozenset(
                    extract_keywords(ruled[len(match[0]) :], self._names_within(ruled)),
                )
                key = " ".join(sorted(about))
                changed = self._is_changed(match.start(), match.end())
                yield StatedValue(RULE, ruled.strip(), key, about, changed, positive=positive)

    def _terms_about(self, start: int, end: int) -> frozenset[str]:
        """Return the terms around a value, and the names anywhere in its sentence."""
        return self._terms_around(start, end, AROUND_CHARACTERS) | self._names_within(
            self._sentence,
        )

    def _terms_around(self, start: int, end: int, reach: int) -> frozenset[str]:
        before = self._sentence[max(0, start - reach) : start]
        after = self._sentence[end : end + reach]
        # The window cuts words in two; half a word is no term.
        if start > reach:
            before = before.partition(" ")[2] or before
        if end + reach < len(self._sentence):
            after = after.rpartition(" ")[0] or after
        return frozenset(extract_keywords(f"{before} {after}"))

    def _names_within(self, words: str) -> set[str]:
        return _names_present(self._names, words)

    def _is_changed(self, start: int, end: int) -> bool:
        near = self._sentence[max(0, start - CHANGE_CHARACTERS) : end + CHANGE_CHARACTERS]
        return _CHANGED.search(near) is not None

    def _is_taken(self, start: int, end: int) -> bool:
        return any(start < until and since < end for since, until in self._taken_spans)


def _stating_sentences(text: str) -> Iterator[str]:
    """Yield the sentences of what was said.

    A question states nothing, but what is said before it in one breath does.
    """
    said = _CODE_OR_QUOTE.sub("\n", text[:SPEECH_CHARACTERS])
    for match in _SENTENCE.finditer(said):
        sentence = match[0].replace("’", "'")
        if match["end"] in ("?", "？"):
            sentence = sentence[: max(0, *map(sentence.rfind, _CLAUSE_BREAKS))]
        if sentence.strip() and len(sentence) <= LONGEST_SENTENCE_CHARACTERS:
            yield sentence


def _names_present(names: set[str], words: str) -> set[str]:
    folded = words.casefold()
    return {name for name in names if name in folded}


def _measure_and_key(thing: str) -> tuple[str, str]:
    """Return the measure and the key of a thing that was named in a phrase of change."""
    bare = _bare_thing(thing)
    amount = parsed_quantity(bare)
    if amount:
        return amount.measure, amount.key
    key = bare.casefold()
    # Two small letters are a pronoun or a preposition in any of our languages; Go and C# are not.
    glue = len(key) < _SHORTEST_NAME and bare == key and key.isalpha() and key.isascii()
    return CHOICE, "" if glue or key in STOPWORDS else key


def _bare_thing(thing: str) -> str:
    return thing.strip(" `\"'“”„«».,:")


_REPLACED = tuple((True, phrase) for phrase in parsed_phrases(language.REPLACED)) + tuple(
    (False, phrase) for phrase in parsed_phrases(language.SWITCHES)
)
_DROPPED = parsed_phrases(language.DROPPED)
_AVOIDED = parsed_phrases(language.AVOIDED)
_CHOSEN = parsed_phrases(language.CHOSEN)
_CHANGED = any_phrase_pattern(phrase_lines(language.CHANGED))
_NEEDED = any_phrase_pattern(phrase_lines(language.NEEDED))
_RULED = any_phrase_pattern(phrase_lines(language.RULED))
_NEVER = any_phrase_pattern(phrase_lines(language.NEVER))
# Whatever any of these turns on; most sentences have none.
_CUES = cue_pattern(
    (
        language.REPLACED,
        language.SWITCHES,
        language.DROPPED,
        language.AVOIDED,
        language.CHOSEN,
        language.RULED,
        language.NEVER,
    ),
)


BEFORE_CHARACTERS = 40
"""Before a number, where the noun stands that it belongs to."""

_SHORTEST_NOUN = 3
_UNIT = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))
_QUANTITY = re.compile(
    r"(?<![^\W\u3040-\u9fff])(?<![.,:/#$€£¥+~-])(?:(?P<money>[$€£¥]) ?)?(?P<version>v(?=\d))?"
    r"(?P<number>\d{1,12}(?:[.,]\d{1,6}){0,3})"
    rf"(?:(?P<time>:\d\d)(?![:\d])| ?(?:(?P<unit>{_UNIT})(?![^\W\d_\u4e00-\u9fff])"
    r"|(?P<counted>(?<= )[^\W\d_]{3,30})(?![\w/-])))?(?![A-Za-z0-9_:/#-]|[.,]\d)",
    re.IGNORECASE,
)
_AGO_WORD = re.compile(r" ?(?:ago|later|earlier|前|之前|назад)(?!\w)", re.IGNORECASE)
_NOUN_BEFORE = re.compile(
    r"(?P<noun>[^\W\d_]{1,30})[`'\"]?(?P<link> ?(?:=|:) ?| (?:is|are|was|of|to|at|est|sont|à|de|ist"
    r"|sind|auf|von|bei|es|son|en|a|на|до|now|jetzt|maintenant|ahora|теперь) ){0,2} ?[`'\"]?$",
    re.IGNORECASE,
)
_THOUSANDS = re.compile(r"(\d{1,3}(?:,\d{3})+)(\.\d+)?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LABEL_WORDS = frozenset((LABELS + MONTHS).split())


class Quantity(NamedTuple):
    """An amount: what it measures, how it was written, its worth in base units, and where."""

    measure: str
    value: str
    key: str
    start: int
    end: int


def quantities_in(sentence: str) -> Iterator[Quantity]:
    """Yield the amounts of a sentence, in order."""
    for match in _QUANTITY.finditer(sentence):
        start, end = match.span()
        measure = _quantity_measure(match, sentence[max(0, start - BEFORE_CHARACTERS) : start])
        if measure and not _AGO_WORD.match(sentence, end):
            yield Quantity(measure, _written_amount(match), _base_amount(match), start, end)


def parsed_quantity(thing: str) -> Quantity | None:
    """Read a thing as an amount, if it is one."""
    match = _QUANTITY.fullmatch(thing)
    if match is None:
        return None
    return Quantity(
        _quantity_measure(match, "") or "number",
        thing,
        _base_amount(match),
        *match.span(),
    )


def _quantity_measure(match: re.Match[str], before: str) -> str:
    """Name what a number measures; nothing for a label and for one that stands alone."""
    if match["money"]:
        return f"money {match['money']}"
    if match["time"]:
        return "time"
    if match["unit"]:
        return UNITS[match["unit"].casefold()][0]
    noun, linked = _noun_before(before)
    counted = _measured_noun(match["counted"] or "")
    if match["version"] or match["number"].count(".") > 1:
        return f"version {noun}".strip()
    # "Limit of 12 requests" is of the limit, "completed 12 requests" of the requests.
    told = noun if linked or not counted else counted
    if _YEAR.fullmatch(match["number"]):
        return ""
    return f"count {told}" if told else ""


def _noun_before(before: str) -> tuple[str, bool]:
    found = _NOUN_BEFORE.search(before)
    return (_measured_noun(found["noun"]), found["link"] is not None) if found else ("", False)


def _measured_noun(word: str) -> str:
    """Return a noun that can be measured; nothing for glue and for what numbers only label."""
    noun = word.casefold()
    tells = len(noun) >= _SHORTEST_NOUN and noun not in STOPWORDS and noun not in _LABEL_WORDS
    return noun.removesuffix("s") if tells else ""


def _written_amount(match: re.Match[str]) -> str:
    """Return the amount with what it counts, without a word that happens to follow."""
    counted = match["counted"] or ""
    return match[0].strip() if _measured_noun(counted) else match[0].removesuffix(counted).strip()


def _base_amount(match: re.Match[str]) -> str:
    number = match["number"]
    if match["time"] or number.count(".") > 1:
        return number + (match["time"] or "")
    if _THOUSANDS.fullmatch(number):
        number = number.replace(",", "")
    factor = UNITS[match["unit"].casefold()][1] if match["unit"] else 1.0
    try:
        return f"{float(number.replace(',', '.')) * factor:g}"
    except ValueError:
        return number
