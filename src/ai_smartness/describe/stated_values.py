"""Find the values that a message states, and whether it says that they changed.

A stated value is an amount ("30 days"), a version, a choice ("use Redis for …"), a thing
given up, or a rule for or against something. It comes with the keywords around it, which
tell what it is the value of.

"60 minutes" equals "1 hour". A number after "issue" or "step" is a label, one beside a month
or before "ago" a date, and a bare number states nothing.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ai_smartness.describe import phrases
from ai_smartness.describe.phrases import (
    UNIT_PATTERN,
    UNITS,
    Phrase,
    any_phrase_pattern,
    cue_pattern,
    parsed_phrases,
)
from ai_smartness.text.keywords import extract_keywords, name_keyword
from ai_smartness.text.stopwords import STOPWORDS

__all__ = ["CHOICE", "RULE", "StatedValue", "stated_needs", "stated_values"]

SPEECH_CHARACTERS = 4000  # the rest of a message is a report or was pasted
LONGEST_SENTENCE_CHARACTERS = 600  # a longer one is a list or was pasted
AROUND_CHARACTERS = 90  # on each side of a value: about a dozen words name its subject
NEAR_CHARACTERS = 45  # on each side, where the value's own noun stands
CHANGE_CHARACTERS = 60  # how near a word of change stands; a far "now" is about something else
NOUN_CHARACTERS = 40  # before a number, where its noun stands
MOST_STATED_VALUES = 24  # a message that states more is a table

CHOICE = "choice"
RULE = "rule"


@dataclass(frozen=True, slots=True)
class StatedValue:
    """A value and its subject.

    Two values can be compared when they have one `measure`, and are equal when they have
    one `key`. `gives_up` is the key of the value it replaces, `explicit` if the words
    themselves give that up. `near` are the keywords of `about` closest to the value. A
    choice or a rule against something is not `positive`.
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
    """Return the values that a message states, in reading order."""
    known = {name_keyword(name) for name in names}
    values: list[StatedValue] = []
    for sentence in _stating_sentences(text):
        values += _SentenceReader(sentence, known).read_values()
        if len(values) >= MOST_STATED_VALUES:
            break
    return tuple(values[:MOST_STATED_VALUES])


def stated_needs(text: str, names: Iterable[str] = ()) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return what a message says must come first: the words, and their keywords."""
    known = {name_keyword(name) for name in names}
    return tuple(
        (after.strip(), frozenset(extract_keywords(after, _names_present(known, after))))
        for sentence in _stating_sentences(text)
        for cue in _NEEDED.finditer(sentence)
        if (after := sentence[cue.end() : cue.end() + AROUND_CHARACTERS])
    )


_CODE_OR_QUOTE = re.compile(
    r"```.*?(?:```|\Z)|^[ \t]*>.*?$|^(?: {4}|\t).*?$", re.DOTALL | re.MULTILINE
)
_STOPS = "\n!?。！？;；"
_CLAUSE_BREAKS = (", ", " - ", " – ", "，")
_SENTENCE = re.compile(rf"[^{_STOPS}.]++(?:\.(?=\S)[^{_STOPS}.]*+)*+(?P<end>[{_STOPS}.]|\Z)")
_DIGIT = re.compile(r"\d")
_SHORTEST_NAME = 3

_REPLACED = (
    *((True, phrase) for phrase in parsed_phrases(phrases.REPLACED)),
    *((False, phrase) for phrase in parsed_phrases(phrases.SWITCHES)),
)
_DROPPED = parsed_phrases(phrases.DROPPED)
_AVOIDED = parsed_phrases(phrases.AVOIDED)
_CHOSEN = parsed_phrases(phrases.CHOSEN)
_CHANGED = any_phrase_pattern(phrases.CHANGED)
_NEEDED = any_phrase_pattern(phrases.NEEDED)
_RULED = any_phrase_pattern(phrases.RULED)
_NEVER = any_phrase_pattern(phrases.NEVER)
# Any phrase that states something; most sentences have none.
_CUES = cue_pattern(
    *(phrases.REPLACED, phrases.SWITCHES, phrases.DROPPED, phrases.AVOIDED),
    *(phrases.CHOSEN, phrases.RULED, phrases.NEVER),
)


class _SentenceReader:
    """Reads one sentence for its values, from the clearest to the vaguest."""

    def __init__(self, sentence: str, names: set[str]) -> None:
        self._sentence = sentence
        self._names = names
        self._taken_spans: list[tuple[int, int]] = []

    def read_values(self) -> Iterator[StatedValue]:
        has_cue = _CUES.search(self._sentence) is not None
        if has_cue:
            yield from self._replacements()
            yield from self._stated_choices(_DROPPED, positive=False, gives_up=True)
            yield from self._stated_choices(_AVOIDED, positive=False)
            yield from self._stated_choices(_CHOSEN, positive=True)
        if _DIGIT.search(self._sentence):
            yield from self._stated_quantities()
        if has_cue:
            yield from self._stated_rules()

    def _replacements(self) -> Iterator[StatedValue]:
        """Yield the values that replaced a named one."""
        for explicit, phrase in _REPLACED:
            for match in phrase.matches_in(self._sentence):
                measure, new = _measure_and_key(match["new"])
                other, old = _measure_and_key(match["old"])
                if measure != other or not (explicit or measure != CHOICE):
                    continue
                if new == old or not (new and old) or self._is_taken(*match.span()):
                    continue
                self._taken_spans.append(match.span())
                value, about = _bare_thing(match["new"]), self._terms_about(*match.span())
                yield StatedValue(
                    measure, value, new, about, changed=True, gives_up=old, explicit=explicit
                )

    def _stated_choices(
        self, choices: tuple[Phrase, ...], *, positive: bool, gives_up: bool = False
    ) -> Iterator[StatedValue]:
        for phrase in choices:
            for match in phrase.matches_in(self._sentence):
                measure, key = _measure_and_key(match["thing"])
                if measure != CHOICE or not key or self._is_taken(*match.span()):
                    continue
                self._taken_spans.append(match.span())
                yield StatedValue(
                    CHOICE,
                    _bare_thing(match["thing"]),
                    key,
                    self._terms_about(*match.span()),
                    changed=gives_up or self._is_changed(*match.span()),
                    gives_up=key if gives_up else "",
                    explicit=gives_up,
                    positive=positive,
                )

    def _stated_quantities(self) -> Iterator[StatedValue]:
        """Yield the amounts that measure something, except labels and dates."""
        for match in _QUANTITY.finditer(self._sentence):
            start, end = match.span()
            before = self._sentence[max(0, start - NOUN_CHARACTERS) : start]
            measure = _quantity_measure(match, before)
            if not measure or _AGO_WORD.match(self._sentence, end) or self._is_taken(start, end):
                continue
            # The word after the number belongs to the amount only if it can be counted.
            counted = match["counted"] or ""
            written = match[0] if _measured_noun(counted) else match[0].removesuffix(counted)
            yield StatedValue(
                measure,
                written.strip(),
                _base_amount(match),
                self._terms_about(start, end),
                changed=self._is_changed(start, end),
                near=self._terms_around(start, end, NEAR_CHARACTERS),
            )

    def _stated_rules(self) -> Iterator[StatedValue]:
        """Yield the rules: the words after "always" or "never"."""
        for pattern, positive in ((_RULED, True), (_NEVER, False)):
            for match in pattern.finditer(self._sentence):
                rule = self._sentence[match.start() : match.end() + AROUND_CHARACTERS]
                names = _names_present(self._names, rule)
                about = frozenset(extract_keywords(rule[len(match[0]) :], names))
                key = " ".join(sorted(about))
                changed = self._is_changed(*match.span())
                yield StatedValue(RULE, rule.strip(), key, about, changed, positive=positive)

    def _terms_about(self, start: int, end: int) -> frozenset[str]:
        """Return the keywords around a value, and the names anywhere in its sentence."""
        names = _names_present(self._names, self._sentence)
        return self._terms_around(start, end, AROUND_CHARACTERS) | names

    def _terms_around(self, start: int, end: int, reach: int) -> frozenset[str]:
        before = self._sentence[max(0, start - reach) : start]
        after = self._sentence[end : end + reach]
        # The window cuts words in two; half a word is no keyword.
        if start > reach:
            before = before.partition(" ")[2] or before
        if end + reach < len(self._sentence):
            after = after.rpartition(" ")[0] or after
        return frozenset(extract_keywords(f"{before} {after}"))

    def _is_changed(self, start: int, end: int) -> bool:
        near = self._sentence[max(0, start - CHANGE_CHARACTERS) : end + CHANGE_CHARACTERS]
        return _CHANGED.search(near) is not None

    def _is_taken(self, start: int, end: int) -> bool:
        return any(start < until and since < end for since, until in self._taken_spans)


def _stating_sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a message.

    A question states nothing, but the clauses before it in the same sentence may.
    """
    speech = _CODE_OR_QUOTE.sub("\n", text[:SPEECH_CHARACTERS])
    for match in _SENTENCE.finditer(speech):
        sentence = match[0].replace("’", "'")
        if match["end"] in ("?", "？"):
            sentence = sentence[: max(0, *map(sentence.rfind, _CLAUSE_BREAKS))]
        if sentence.strip() and len(sentence) <= LONGEST_SENTENCE_CHARACTERS:
            yield sentence


def _names_present(names: set[str], words: str) -> set[str]:
    folded = words.casefold()
    return {name for name in names if name in folded}


def _measure_and_key(thing: str) -> tuple[str, str]:
    """Return the measure and the key of a thing named in a phrase of change."""
    bare = _bare_thing(thing)
    if amount := _QUANTITY.fullmatch(bare):
        return _quantity_measure(amount, "") or "number", _base_amount(amount)
    key = bare.casefold()
    # Two small letters are a pronoun or a preposition in any of our languages; Go and C# are not.
    glue = len(key) < _SHORTEST_NAME and bare == key and key.isalpha() and key.isascii()
    return CHOICE, "" if glue or key in STOPWORDS else key


def _bare_thing(thing: str) -> str:
    return thing.strip(" `\"'“”„«».,:")


_SHORTEST_NOUN = 3
_QUANTITY = re.compile(
    r"(?<![^\W\u3040-\u9fff])(?<![.,:/#$€£¥+~-])(?:(?P<money>[$€£¥]) ?)?(?P<version>v(?=\d))?"
    r"(?P<number>\d{1,12}(?:[.,]\d{1,6}){0,3})"
    rf"(?:(?P<time>:\d\d)(?![:\d])| ?(?:(?P<unit>{UNIT_PATTERN})(?![^\W\d_\u4e00-\u9fff])"
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
_LABEL_WORDS = frozenset((phrases.LABELS + phrases.MONTHS).split())


def _quantity_measure(match: re.Match[str], before: str) -> str:
    """Name what a number measures; nothing for a label and for a bare number."""
    if match["money"]:
        return f"money {match['money']}"
    if match["time"]:
        return "time"
    if match["unit"]:
        return UNITS[match["unit"].casefold()][0]
    found_before = _NOUN_BEFORE.search(before)
    noun = _measured_noun(found_before["noun"]) if found_before else ""
    is_linked = found_before is not None and found_before["link"] is not None
    counted = _measured_noun(match["counted"] or "")
    if match["version"] or match["number"].count(".") > 1:
        return f"version {noun}".strip()
    if _YEAR.fullmatch(match["number"]):
        return ""
    # "Limit of 12 requests" measures the limit, "completed 12 requests" the requests.
    measured = noun if is_linked or not counted else counted
    return f"count {measured}" if measured else ""


def _measured_noun(word: str) -> str:
    """Return a noun that can be measured; nothing for stop words and labels."""
    noun = word.casefold()
    is_noun = len(noun) >= _SHORTEST_NOUN and noun not in STOPWORDS and noun not in _LABEL_WORDS
    return noun.removesuffix("s") if is_noun else ""


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
