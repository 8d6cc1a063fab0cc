"""Rewrite the verb groups of a clause as a headline has them.

"The scanner could not read barcodes" becomes "the scanner unable to read barcodes", "parcels cannot
be sent" becomes "parcels not sent", "does not seem to load" becomes "does not load", and "spawn a
worker to move the reports" is about the move.
"""

from collections.abc import Iterator, Sequence

from ai_smartness.describe.parse_message import Clause, Word
from ai_smartness.describe.request_words import (
    BREAKS,
    DELEGATES,
    DELEGATING_VERBS,
    DETERMINERS,
    SKIPPED_WORDS,
    gerund,
    mistyped_verb,
    request_verb,
)
from ai_smartness.text.stopwords import is_negation

__all__ = ["headline_clause"]

MOST_DELEGATE_WORDS = 6  # "ask one of the other review agents to"

_INABILITY = frozenset(("cannot", "can't", "couldn't"))
_PLAIN_DENIALS = {
    "can not": "cannot",
    "could not": "cannot",
    "may not": "must not",
    "mustn't": "must not",
    "shouldn't": "should not",
}
"""Denials, and how the rest of this module knows them."""

_THINGS_DENIALS = _PLAIN_DENIALS | {
    "will not": "won't",
    "would not": "won't",
    "wouldn't": "won't",
}
_PERSONS_DENIALS = _PLAIN_DENIALS | {"won't": "will not", "wouldn't": "would not"}
_PERFECTS = frozenset(("has not", "have not", "had not", "hasn't", "haven't", "hadn't"))
_RESTATED = {
    denial.partition(" ")[0] for denial in (*_THINGS_DENIALS, *_PERSONS_DENIALS, *_PERFECTS)
}
_DENIALS = frozenset(("don't", "dont", "didn't", "not"))
_ASKED_PERSONS = frozenset(("we", "you", "i", "this", "that", "it", "there", "the"))
_SEEMING = frozenset(("seem", "seems", "seemed", "appear", "appears", "appeared"))
_SIGHT = frozenset(("see", "seeing", "get", "getting"))
_DUTIES = frozenset(("should", "must", "shall"))
_DENYING_ADVERBS = frozenset(("not", "never", "rarely", "seldom", "hardly", "only"))
_PLAIN_ADVERBS = frozenset(("always", "also", "still", "ever", "even"))
_REWRITTEN = _INABILITY | _DENIALS | _SEEMING | _DUTIES
_INQUIRING_VERBS = frozenset(("ask", "tell"))
_QUESTIONS = frozenset(("whether", "if", "how", "why", "what"))
_COUNTED = DETERMINERS | {"any"}


def headline_clause(clause: Clause) -> Clause:
    """Return the clause with its verb groups rewritten; most clauses stay as they are."""
    clause = _with_plain_denials(clause)
    clause = _without_assurance(_without_delegation(_with_typed_verb(clause)))
    clause = _with_known_verbs(_with_purpose(_with_state(_without_ability(clause))))
    folded = {word.folded for word in clause}
    if folded.isdisjoint(_REWRITTEN):
        return clause
    return tuple(_rewritten_words(clause))


def _with_plain_denials(clause: Clause) -> Clause:
    """Write "cannot" for "could not", "won't" for "would not", "isn't" for "has not been".

    A title that loses such a word says the opposite: "Printed twice" for "could not be printed".
    """
    if _RESTATED.isdisjoint(word.folded for word in clause):
        return clause
    words: list[Word] = []
    at = 0
    while at < len(clause):
        length, plain = _plain_denial(clause, at)
        words += plain
        at += length
    return tuple(words)


def _plain_denial(clause: Clause, at: int) -> tuple[int, Sequence[Word]]:
    """Return how many words a denial has, and the words that say the same and are known."""
    word, length = clause[at], 1
    denial = word.folded
    if at + 1 < len(clause) and clause[at + 1].folded == "not":
        denial, length = f"{denial} not", 2
    after = clause[at + length].folded if at + length < len(clause) else ""
    if denial in _PERFECTS and (after == "been" or after.endswith("ed")):
        return length + (after == "been"), [_denial(word, "isn't")]
    is_of_thing = at > 0 and _is_noun(clause[at - 1])
    plain = _THINGS_DENIALS if is_of_thing else _PERSONS_DENIALS
    if denial not in plain or after in _ASKED_PERSONS:
        return 1, [word]
    return length, [_denial(word, known) for known in plain[denial].split()]


def _with_typed_verb(clause: Clause) -> Clause:
    """Correct the verb that a request begins with."""
    verb = mistyped_verb(clause[0].folded) if clause and not clause[0].is_code else None
    if verb is None or request_verb(clause[0].folded) is not None:
        return clause
    return (clause[0]._replace(written=verb.base, folded=verb.base), *clause[1:])


def _without_delegation(clause: Clause) -> Clause:
    """Leave out "spawn a worker to" and "ask the docs whether": who does it is not the subject."""
    for at, word in enumerate(clause[: MOST_DELEGATE_WORDS + 1]):
        if word.folded in _QUESTIONS and _INQUIRING_VERBS & {word.folded for word in clause[:at]}:
            return clause[at:]
        is_delegate = word.folded in DELEGATES and at + 2 < len(clause)
        if is_delegate and clause[at + 1].folded == "to" and _delegates(clause[:at]):
            return clause[at + 2 :]
    return clause


def _without_assurance(clause: Clause) -> Clause:
    """Leave out "make sure that"."""
    for at, word in enumerate(clause[: MOST_DELEGATE_WORDS + 1]):
        if word.folded in ("make", "making", "be") and at + 2 < len(clause):
            is_sure = clause[at + 1].folded in ("sure", "certain")
            if is_sure:
                return clause[at + 2 + (clause[at + 2].folded == "that") :]
    return clause


def _without_ability(clause: Clause) -> Clause:
    """Write "the scanner reading" for "the scanner is able to read"."""
    for at in range(1, len(clause) - 3):
        if clause[at].folded in ("is", "are", "was", "were") and clause[at + 1].folded == "able":
            verb = clause[at + 3]
            if clause[at + 2].folded == "to" and verb.written.isascii() and not verb.is_code:
                noun = _plain_word(verb, gerund(verb.folded))
                return (*clause[:at], noun, *clause[at + 4 :])
    return clause


def _with_state(clause: Clause) -> Clause:
    """Write "lost parcels" for "which parcels were lost"."""
    for at in range(len(clause) - 3):
        question, noun, copula, state = clause[at : at + 4]
        is_question = question.folded in ("what", "which") and copula.folded in ("are", "were")
        if is_question and _is_noun(noun) and state.folded.endswith("ed"):
            return (*clause[:at], state, noun, *clause[at + 4 :])
    return clause


def _with_purpose(clause: Clause) -> Clause:
    """Write "the page mentioning free software" for "the page so that it mentions that it's …"."""
    folded = [word.folded for word in clause]
    if "so" not in folded[1:-2]:
        return clause
    at = folded.index("so", 1)
    verb_at = at + 2 + (folded[at + 1] == "that")
    verb = request_verb(folded[verb_at]) if verb_at + 1 < len(clause) else None
    if verb is None or verb.form not in ("", "s") or folded[verb_at - 1] not in ("it", "they"):
        return clause
    noun = _plain_word(clause[verb_at], gerund(verb.base))
    rest = verb_at + 1
    if folded[rest : rest + 1] == ["that"] and folded[rest + 1 : rest + 2] in (["it's"], ["its"]):
        rest += 2
    return (*clause[:at], noun, *clause[rest:])


def _with_known_verbs(clause: Clause) -> Clause:
    """Write "remove" for "get rid of", and "opening" for what "it opens"."""
    words = list(clause)
    for at in reversed(range(len(words) - 1)):
        verb = request_verb(words[at + 1].folded)
        if words[at].folded in ("get", "getting") and words[at + 1].folded == "rid":
            words[at : at + 3] = [_plain_word(words[at], "remove")]
        elif words[at].folded == "it" and verb is not None and verb.form == "s":
            words[at + 1] = words[at + 1]._replace(written=gerund(verb.base))
    return tuple(words)


def _delegates(words: Sequence[Word]) -> bool:
    verbs = (request_verb(word.folded) for word in words)
    return any(verb is not None and verb.base in DELEGATING_VERBS for verb in verbs)


def _rewritten_words(clause: Clause) -> Iterator[Word]:
    at = 0
    while at < len(clause):
        if _is_unable_person(clause, at):
            at += 1
        length, words = _rewritten_group(clause, at)
        yield from words
        at += length


def _is_unable_person(clause: Clause, at: int) -> bool:
    """Say whether "we cannot" begins here: who cannot do it is not the subject."""
    is_person = clause[at].folded in ("we", "you", "they") and at + 2 < len(clause)
    return is_person and clause[at + 1].folded in _INABILITY


def _rewritten_group(clause: Clause, at: int) -> tuple[int, Sequence[Word]]:
    """Return how many words a verb group has, and what takes its place."""
    word = clause[at]
    after = at + 1
    while after < len(clause) and clause[after].folded in SKIPPED_WORDS:
        after += 1
    if after >= len(clause):
        return 1, [word]
    if word.folded in _SEEMING:
        return _without_seeming(clause, at, after)
    if word.folded in _DUTIES and at and _is_noun(clause[at - 1]):
        return _without_duty(clause, at, after)
    is_sight = clause[after].folded in _SIGHT
    if is_sight and word.folded in _INABILITY | _DENIALS and _is_counted(clause, after + 1):
        return after + 2 - at, [_grammar_word(word, "no")]
    if word.folded in _INABILITY and clause[after].folded not in _ASKED_PERSONS:
        return after - at, _inability_words(clause, at)
    return 1, [word]


def _inability_words(clause: Clause, at: int) -> Sequence[Word]:
    """Rewrite "cannot" as "unable to", and "parcels cannot be" as "parcels not"."""
    word, is_passive = clause[at], clause[at + 1].folded == "be"
    if is_passive and at and _is_noun(clause[at - 1]):
        return [_grammar_word(word, "not")]
    to = _grammar_word(word, "to")._replace(written="to be" if is_passive else "to")
    return [_plain_word(word, "unable"), to]


def _is_counted(clause: Clause, at: int) -> bool:
    return at + 1 < len(clause) and clause[at].folded in _COUNTED


def _is_noun(word: Word) -> bool:
    """Say whether a word can be the subject of a sentence."""
    return word.is_code or not (word.is_grammar or word.folded in BREAKS)


def _without_seeming(clause: Clause, at: int, after: int) -> tuple[int, Sequence[Word]]:
    """Rewrite "seems to (not) load" as "(not) loading", and leave out "seems to be"."""
    if clause[after].folded != "to" or after + 1 >= len(clause):
        return 1, [clause[at]]
    verb = clause[after + 1]
    if verb.folded in ("be", "have") or (at and clause[at - 1].is_negation):
        return after + 1 - at + (verb.folded == "be"), ()
    return _without_duty(clause, at, after + 1)


def _without_duty(clause: Clause, at: int, after: int) -> tuple[int, Sequence[Word]]:
    """Rewrite "the menu should close" as "the menu closing", and leave out "should be".

    "Must never show" becomes "never showing"; an adverb that denies nothing is left out.
    """
    negation: list[Word] = []
    while after < len(clause) and _is_adverb(clause[after]):
        negation += [clause[after]] if clause[after].folded in _DENYING_ADVERBS else []
        after += 1
    if after >= len(clause) or not clause[after].written.isascii():
        return 1, [clause[at]]
    verb = clause[after]
    if verb.folded == "be":
        return after + 1 - at, negation
    noun = verb._replace(written=gerund(verb.folded), folded=gerund(verb.folded))
    return after + 1 - at, [*negation, noun]


def _is_adverb(word: Word) -> bool:
    is_formed = word.folded.endswith("ly") and request_verb(word.folded) is None
    return is_formed or word.folded in _DENYING_ADVERBS or word.folded in _PLAIN_ADVERBS


def _grammar_word(word: Word, folded: str) -> Word:
    return word._replace(written=folded, folded=folded, is_grammar=True, is_negation=folded == "no")


def _denial(word: Word, folded: str) -> Word:
    return _grammar_word(word, folded)._replace(is_negation=is_negation(folded))


def _plain_word(word: Word, folded: str) -> Word:
    return word._replace(written=folded, folded=folded, is_grammar=False, is_negation=False)
