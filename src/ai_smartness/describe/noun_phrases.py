"""Find the noun phrases of a clause: what a request is about, without its verbs.

A part of a clause that begins with the verb of a request loses it ("fix the login page" is
about the login page), or turns it into a noun ("rename the table" into "renaming the table").
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ai_smartness.describe.clause_parts import (
    ClausePart,
    clause_parts,
    is_content_word,
    is_telling_word,
)
from ai_smartness.describe.parse_message import Clause, Word
from ai_smartness.describe.phrase_form import (
    PHRASE_WORDS,
    cut_phrase,
    phrase_length,
    without_ending,
    without_pointing,
)
from ai_smartness.describe.request_words import (
    DEICTIC_WORDS,
    DETERMINERS,
    IDLE_ADJECTIVES,
    LIGHT_ADJECTIVES,
    LIGHT_NOUNS,
    LINK_WORDS,
    NAMING_VERBS,
    PARTICLES,
    PROCESS_NOUNS,
    UNSPACED_ENDINGS,
    UNSPACED_VERBS,
    RequestVerb,
    gerund,
    request_verb,
)

__all__ = [
    "NounPhrase",
    "noun_phrases",
    "planned_object",
    "request_object",
]

CACHED_CLAUSES = 4_096  # a growing thread is described again and again
LEAST_OBJECT_WORDS = 2  # a request keeps its verb if its object has fewer content words
ASKING_WORDS = 5  # at the head of a request

_JOINING = frozenset(("and", "or", "&", "+", "then"))
_DIRECTIONS = frozenset(("to", "from", "into", "by", "behind", "through", "as"))
_LIGHT_LINKS = frozenset(("of", "for", "to", "with", "on", "about"))
_DONE = frozenset(("done", "needed", "required", "made", "left"))
_TROUBLES = frozenset(("issue", "issues", "problem", "problems", "bug", "bugs", "question"))
_MEANS = frozenset(("with", "using", "via"))
_ADVERBIAL_LINKS = frozenset(
    ("in", "on", "at", "for", "after", "before", "with", "by", "from", "using", "via", "without")
)
_TIMES = frozenset(("after", "before", "by"))
_CONDITIONS = frozenset(("when", "if", "while", "unless", "until"))
_ABILITIES = frozenset(("can", "could", "will", "would"))
_TELLING_PERSONS = frozenset(("we", "you", "it", "this", "that"))
_REQUESTING = frozenset(
    ("can", "could", "should", "would", "must", "need", "want", "please", "let's", "lets", "to")
)
_ASKED_PERSONS = frozenset(("we", "you", "i", "this", "it", "there"))
_PLACES = frozenset(("to", "in", "into", "from"))
_ASKING = frozenset(
    ("to", "you", "we", "please", "should", "must", "let's", "lets", "let", "not", "can", "could")
)
_CASE_ENDINGS = (("ую", "ая"), ("юю", "яя"), ("у", "а"), ("ю", "я"))
_NOUN_ENDING_CHARACTERS = 1


class NounPhrase(NamedTuple):
    """The words of a phrase, where it began in its clause, and what it was in there.

    It is the object of a request, or adverbial like "in this branch", or neither. A statement
    says how something is: "footer too small". A question is what "whether" asks,
    or what "the problem" is. An aside is a condition, a cause, a guess or a means, and adverbial.
    `link` is the preposition before an adverbial phrase, or the "when" before an aside.
    """

    words: Clause
    start: int
    is_request: bool = False
    is_adverbial: bool = False
    is_statement: bool = False
    is_question: bool = False
    is_aside: bool = False
    link: str = ""


class _Request(NamedTuple):
    """The object of a request, its last verb, and the word that negates it.

    `after_verb` is what follows the verb, with its preposition.
    """

    words: list[Word]
    verb: RequestVerb | None = None
    verb_word: Word | None = None
    after_verb: Sequence[Word] = ()
    negation: Word | None = None

    @property
    def names_nothing(self) -> bool:
        """Say whether the object only points at something: "this feature request"."""
        is_deictic = any(word.folded in DEICTIC_WORDS for word in self.words[:2])
        return is_deictic and sum(map(is_telling_word, self.words)) < LEAST_OBJECT_WORDS


@lru_cache(maxsize=CACHED_CLAUSES)
def noun_phrases(clause: Clause) -> tuple[NounPhrase, ...]:
    """Return the noun phrases of a clause, in their order."""
    return tuple(_found_phrases(clause))


def _found_phrases(clause: Clause) -> Iterator[NounPhrase]:
    for part in clause_parts(clause):
        words, is_request = request_object(part.words)
        words = _with_failure(_with_owner(words, part), part.failure)
        words = cut_phrase(without_pointing(words))
        if any(map(is_telling_word, words)):
            first = part.words[0].folded
            is_link = first in _ADVERBIAL_LINKS and (not is_request or first in _TIMES)
            is_request = is_request and _is_asked(part.words)
            is_aside = _is_aside(part, words)
            yield NounPhrase(
                tuple(words),
                part.start,
                is_request and not is_aside,
                is_link or is_aside or (part.is_guess and not is_request),
                part.is_statement,
                (part.is_question or part.is_matter) and not is_aside,
                is_aside,
                first if is_link else _condition_word(clause, part),
            )


def _condition_word(clause: Clause, part: ClausePart) -> str:
    """Return the "when" or "if" before a part."""
    before = clause[part.start - 1].folded if part.start else ""
    return before if part.is_aside and before in _CONDITIONS else ""


def _is_aside(part: ClausePart, words: Sequence[Word]) -> bool:
    """Say whether a part tells when, why or how something is done, and not what it is."""
    if part.is_aside:
        return True
    if words[0].folded in LIGHT_NOUNS and len(words) > 1 and words[1].folded in _MEANS:
        return words[0].folded not in _TROUBLES  # "an analysis with Quiver"
    verb = request_verb(part.words[0].folded)
    is_passive = verb is not None and verb.form == "ed" and len(part.words) > 1
    return is_passive and part.words[1].folded in _ADVERBIAL_LINKS  # "(this is) hidden in …"


def _is_asked(words: Sequence[Word]) -> bool:
    """Say whether something is asked for.

    "We just copy the file" tells how it is, and "use the old notes" with what it is done.
    """
    verb = next((verb for word in words if (verb := request_verb(word.folded))), None)
    if verb is not None and verb.base == "use" and not verb.form:
        return False
    if words[0].folded in _ABILITIES and len(words) > 1:  # "(I) can see the table"
        return request_verb(words[1].folded) is None
    tells = words[0].folded in _TELLING_PERSONS and not words[0].is_code
    return not tells or any(word.folded in _REQUESTING for word in words[:ASKING_WORDS])


def request_object(words: Sequence[Word]) -> tuple[list[Word], bool]:
    """Return what a request is about, and whether the words were a request at all."""
    return _request_object(_parsed_request(_without_unspaced_verbs(list(words))))


def planned_object(words: Sequence[Word]) -> list[Word]:
    """Return what a plan is about: a word that may be a verb at its head is one."""
    verb = request_verb(words[0].folded) if words else None
    if verb is None or verb.form or not verb.is_noun_too or words[0].is_code:
        return request_object(words)[0]
    rest = list(words[1:])
    return _request_object(_Request(rest, verb, words[0], rest))[0]


def _request_object(request: _Request) -> tuple[list[Word], bool]:
    if request.names_nothing:
        return [], False
    at = _second_request(request.words)
    if at:
        shorter = request.after_verb[: len(request.after_verb) - len(request.words) + at]
        first = request._replace(words=request.words[:at], after_verb=shorter)
        joined = _joined_requests(
            first, request.words[at], _parsed_request(request.words[at + 1 :])
        )
        if joined:
            return joined, True
        request = first
    return _named_request(request), request.verb is not None


def _joined_requests(first: _Request, link: Word, second: _Request) -> list[Word]:
    """Name two requests together, with their verbs if one says what happens to its object."""
    if second.names_nothing or not any(map(_is_named, second.words)):
        return []
    objects = [*_without_determiner(first.words), link, *_without_determiner(second.words)]
    gerunds = [*_with_gerund(first), link, *_with_gerund(second)]
    forms = [objects] if _is_dropped(first) else []
    if not (_is_dropped(first) and _is_dropped(second)):
        forms.insert(0, gerunds)
    return next((words for words in forms if phrase_length(words) <= PHRASE_WORDS), [])


def _is_dropped(request: _Request) -> bool:
    return request.verb is None or request.verb.is_dropped


def _with_gerund(request: _Request) -> list[Word]:
    if request.verb is None or request.verb_word is None:
        return _without_determiner(request.words)
    return [request.verb_word._replace(written=gerund(request.verb.base)), *request.after_verb]


def _with_owner(words: list[Word], part: ClausePart) -> list[Word]:
    """Turn "the importer has a leak" into "leak in the importer"."""
    if part.owner is None or not words:
        return words
    owner = part.owner.words
    link = owner[0]._replace(written="in", folded="in", is_code=False, is_grammar=True)
    together = [*without_ending(words), link, *owner]
    return together if phrase_length(together) <= PHRASE_WORDS else words


def _with_failure(words: list[Word], failure: str) -> list[Word]:
    """Turn "the job fails" into "failing job"."""
    if not failure or not words:
        return words
    adjective = Word(failure, failure, words[0].background_share, cost=0.0)
    is_gerund = words[0].written != words[0].folded and words[0].written.endswith("ing")
    return [*words, adjective] if is_gerund else [adjective, *words]


def _parsed_request(words: list[Word]) -> _Request:
    """Read the verbs, particles and light nouns that a request begins with."""
    at, after_verb = 0, 0
    verb: RequestVerb | None = None
    verb_word: Word | None = None
    negation: Word | None = None
    while at < len(words):
        spoken = _verb_at(words, at)
        if spoken is not None:
            verb, verb_word, after_verb = spoken, words[at], at + 1
            at = _after_verb(words, at + 1, spoken)
            if _has_pronoun_object(words, at):
                return _Request([])
        else:
            length = _filler_length(words, at, is_light=verb is None or verb.is_dropped)
            if not length:
                break
            negation = words[at] if _is_negation_at(words, at) else negation
            at += length
    return _Request(words[at:], verb, verb_word, words[after_verb:], negation)


def _is_negation_at(words: Sequence[Word], at: int) -> bool:
    """Say whether a word negates a request: "can't we reuse it" does not."""
    asks = at + 1 < len(words) and words[at + 1].folded in _ASKED_PERSONS
    return words[at].is_negation and not asks


def _filler_length(words: Sequence[Word], at: int, *, is_light: bool) -> int:
    """Count the words before the object that say nothing: grammar, or "a fix for"."""
    if is_light:
        start = at + (words[at].folded in DETERMINERS)
        light = _light_phrase_length(words, start)
        if light:
            return start - at + light
    after = words[at + 1].folded if at + 1 < len(words) else ""
    if words[at].folded in LIGHT_ADJECTIVES and after == "to":  # "possible to create"
        return 2
    if words[at].folded in DETERMINERS:  # before more grammar it is another language's word
        return int(at + 1 < len(words) and words[at + 1].is_grammar)
    is_link = words[at].folded in LINK_WORDS and not words[at].is_code
    return int(is_link or words[at].is_negation or not is_content_word(words[at]))


def _has_pronoun_object(words: Sequence[Word], at: int) -> bool:
    """Say whether a verb is followed by a "this" without a noun: nothing after it is the object."""
    if at + 1 >= len(words) or words[at].folded not in DEICTIC_WORDS:
        return False
    after = words[at + 1]
    if after.folded in DETERMINERS:  # "these two buttons"
        return False
    return (after.is_grammar or after.folded in LINK_WORDS) and after.folded not in _PLACES


def _verb_at(words: Sequence[Word], at: int) -> RequestVerb | None:
    """Return the verb at a position before the object; a noun like "release" needs evidence."""
    word = words[at]
    verb = request_verb(word.folded)
    before = words[at - 1].folded if at else ""
    if word.is_code or before == "no" or request_verb(before):  # "no mention of the keys"
        return None
    after = words[at + 1].folded if at + 1 < len(words) else ""
    if verb is None:
        is_typo = at > 0 and words[at - 1].folded in _ASKING and after in DETERMINERS
        return RequestVerb(word.folded) if is_typo and is_content_word(word) else None
    if verb.form == "foreign":
        return verb
    if verb.form == "ing" and (after != "to" if at == 0 else words[at - 1].folded == "to"):
        return None
    if not verb.is_noun_too or _has_evidence(words, at, verb):
        return verb
    return None


def _has_evidence(words: Sequence[Word], at: int, verb: RequestVerb) -> bool:
    """Say whether a word that may be a noun is used as a verb."""
    if verb.form == "s":
        return False
    after = words[at + 1].folded if at + 1 < len(words) else ""
    if after in DETERMINERS or after in PARTICLES or (at and words[at - 1].folded in _ASKING):
        return True
    is_directed = any(word.folded in _DIRECTIONS for word in words[at + 2 :])
    return at == 0 and not verb.form and (verb.is_dropped or is_directed)


def _after_verb(words: Sequence[Word], at: int, verb: RequestVerb) -> int:
    """Return where the object of a verb begins."""
    while verb.is_dropped and at < len(words) and words[at].folded in PARTICLES:
        at += 1
    is_joined = at + 1 < len(words) and words[at].folded in _JOINING
    return at + 1 if is_joined and _verb_at(words, at + 1) else at


def _light_phrase_length(words: Sequence[Word], at: int) -> int:
    """Count the words of "fix for" or "easy fix for", if one begins at a position."""
    noun = at + (at < len(words) and words[at].folded in LIGHT_ADJECTIVES)
    if noun + 2 >= len(words) or words[noun].folded not in LIGHT_NOUNS:
        return 0
    link = noun + 1 + (words[noun + 1].folded in _DONE)
    is_light = link < len(words) and words[link].folded in _LIGHT_LINKS
    if is_light and words[link].folded == "with" and words[noun].folded not in _TROUBLES:
        return 0  # "an analysis with Quiver" is not about Quiver
    return link + 1 - at if is_light and any(map(is_telling_word, words[link + 1 :])) else 0


def _second_request(words: Sequence[Word]) -> int:
    """Return where the "and" of "the old page and add tests" stands, or 0."""
    for at in range(1, len(words) - 1):
        verb = request_verb(words[at + 1].folded)
        if words[at].folded in _JOINING and verb is not None and not verb.form:
            after = words[at + 2].folded if at + 2 < len(words) else ""
            if not verb.is_noun_too or after in DETERMINERS or not after:
                return at
    return 0


def _is_named(word: Word) -> bool:
    return is_content_word(word) and word.folded not in LIGHT_NOUNS


def _named_request(request: _Request) -> list[Word]:
    """Name a request by its object, or by the noun of its verb if that says more."""
    verb = request.verb
    named = _without_determiner(_without_ending_verbs(request.words))
    negation = [_negating_word(request.negation)] if request.negation and named else []
    if verb is None or request.verb_word is None:
        return [*negation, *named]
    if verb.form == "foreign":
        return [*negation, *_in_nominative(named)]
    is_full = sum(map(_is_subject_word, named)) >= LEAST_OBJECT_WORDS
    is_dropped = verb.is_dropped and (is_full or verb.base not in NAMING_VERBS)
    if verb.form in ("ed", "s") or (is_dropped and not negation):
        return [*negation, *(_with_place(named) if verb.base == "add" else named)]
    noun = request.verb_word._replace(written=gerund(verb.base))
    return [*negation, noun, *request.after_verb]


def _is_subject_word(word: Word) -> bool:
    return is_telling_word(word) and word.folded not in PROCESS_NOUNS


def _negating_word(word: Word) -> Word:
    """Return "not" for a "don't", and any other negation as it is."""
    is_auxiliary = word.folded.endswith(("n't", "nnot"))
    written = "not" if is_auxiliary else word.folded
    return word._replace(written=written, is_grammar=True)


def _with_place(words: list[Word]) -> list[Word]:
    """Turn "limits to the endpoint", which were to be added, into "limits in the endpoint"."""
    for at, word in enumerate(words):
        if word.folded == "to" and at:
            return [*words[:at], word._replace(written="in"), *words[at + 1 :]]
    return words


def _without_determiner(words: list[Word]) -> list[Word]:
    at = 0
    while at < len(words) and words[at].folded in DETERMINERS:
        at += 1
    is_idle = at < len(words) and words[at].folded in IDLE_ADJECTIVES
    is_named = sum(map(is_content_word, words[at + 1 :])) >= LEAST_OBJECT_WORDS
    return words[at + (is_idle and is_named) :]


def _without_ending_verbs(words: list[Word]) -> list[Word]:
    end = len(words)
    while end > 1:
        verb = request_verb(words[end - 1].folded)
        if verb is None or verb.form != "foreign":
            break
        end -= 1
    return words[:end]


def _in_nominative(words: list[Word]) -> list[Word]:
    """Turn a Russian object into a subject, as far as its first noun."""
    named = list(words)
    for at, word in enumerate(words):
        for ending, nominative in _CASE_ENDINGS:
            if word.written.endswith(ending):
                named[at] = word._replace(written=word.written.removesuffix(ending) + nominative)
                break
        else:
            break
        if len(ending) == _NOUN_ENDING_CHARACTERS:
            break
    return named


def _without_unspaced_verbs(words: list[Word]) -> list[Word]:
    """Remove the verbs at the head of a Chinese phrase and at the end of a Japanese one."""
    while words and words[0].is_unspaced:
        head = "".join(word.written for word in words[:4] if word.is_unspaced)
        verb = next((verb for verb in UNSPACED_VERBS if head.startswith(verb)), "")
        if not verb or len(verb) >= len(words):
            break
        words = words[len(verb) :]
    if not words or not words[-1].is_unspaced:
        return words
    tail = "".join(word.written for word in words[-12:] if word.is_unspaced)
    at = max((tail.rfind(ending) for ending in UNSPACED_ENDINGS), default=-1)
    return words[: len(words) - (len(tail) - at)] if at > 0 else words
