"""Cut a clause into parts without finite verbs: what is left of each is a noun phrase or a request.

A clause is cut before relative words, auxiliaries, pronouns and finite verbs. A copula is left
out as in a headline: "the images are not rendered" becomes "the images not rendered".
"""

import re
from dataclasses import dataclass, field

from ai_smartness.describe.headline_clause import headline_clause
from ai_smartness.describe.parse_message import Clause, Word
from ai_smartness.describe.request_words import (
    ASIDES,
    BREAKS,
    COPULAS,
    DETERMINERS,
    FAILURES,
    LIGHT_ADJECTIVES,
    LIGHT_NOUNS,
    LINK_WORDS,
    NEGATED_AUXILIARIES,
    SKIPPED_WORDS,
    TECHNICAL_WORDS,
    gerund,
    request_verb,
)
from ai_smartness.text.stopwords import EVERYDAY_SHARE

__all__ = [
    "DEGREES",
    "ClausePart",
    "clause_parts",
    "is_content_word",
    "is_issue_number",
    "is_telling_word",
]

DEGREES = frozenset(("too", "enough", "unable"))
MOST_SUBJECT_WORDS = 2
ENOUGH_WORDS = 3  # a part with so many content words ends before "to do something"

_IDLE_VERBS = frozenset(("work", "look", "happen", "behave"))
_OBJECTS = frozenset(("that", "this", "the", "how", "why", "it", "them", "me"))
_ARTICLES = frozenset(("the", "an", "my", "our", "your", "this", "these", "its", "their"))
_POINTING = frozenset(("that", "this", "these", "those"))
_ABILITIES = frozenset(("can", "could", "will", "would", "may", "might"))
_QUESTION_VERBS = frozenset(("do", "does", "did"))
_SUBORDINATORS = frozenset(("whether", "if", "how", "why", "because"))
_TIMES = frozenset(("when", "while"))
_ASKING = frozenset(("what", "about", "happens", "happen", "happening", "me", "out", "as", "how"))
_CAUSES = frozenset(("make", "let", "help"))
_GUESSES = frozenset(("maybe", "perhaps", "possibly"))
_NO_NAME = re.compile(r"[^\w@.-]|\d{3}|^[A-Z0-9-]+$|^\W*$")
_MATTERS = frozenset(
    (
        "issue",
        "problem",
        "question",
        "idea",
        "option",
        "goal",
        "concern",
        "solution",
        "approach",
        "thinking",
    )
)
_NO_NOUNS = frozenset(("works", "helps", "looks"))
_LY_NOUNS = frozenset(("family", "assembly", "reply", "supply", "anomaly", "rally"))
_LEAST_ADVERB_CHARACTERS = 5


@dataclass(slots=True)
class ClausePart:
    """Some words of a clause, and where they began.

    `failure` is the adjective for a predicate like "fails". `owner` is the part before a "has".
    `is_statement` if it had a copula, as "the build is clean" has. `is_subordinate` if it
    follows "whether" or the like, `is_question` if it is what is asked there. `is_matter` if it
    tells what "the problem" is. `is_aside` if it is a condition or a cause, `is_guess` after
    "maybe". `verb` is the past tense that was left out before it: "dropped | several columns".
    """

    start: int
    words: list[Word] = field(default_factory=list)
    failure: str = ""
    owner: "ClausePart | None" = None
    content: int = 0
    asks: bool = False
    is_statement: bool = False
    is_subordinate: bool = False
    is_matter: bool = False
    is_question: bool = False
    is_aside: bool = False
    is_guess: bool = False
    verb: Word | None = None

    def add(self, word: Word) -> None:
        """Add one word."""
        self.words.append(word)
        self.content += is_content_word(word)

    @property
    def has_degree(self) -> bool:
        """Say whether a "to do something" belongs to the part: "too small to read"."""
        return any(word.folded in DEGREES for word in self.words)

    @property
    def is_caused(self) -> bool:
        """Say whether a verb belongs to the part: "make the importer accept both formats"."""
        is_noun = is_content_word(self.words[-1])
        return is_noun and any(word.folded in _CAUSES for word in self.words[:-1])

    def drop_verb(self) -> None:
        """Remove the last word, which an article shows to be a verb unless it is the only noun."""
        is_request = any(request_verb(word.folded) for word in self.words[:-2])
        is_verb = len(self.words) > 1 and is_content_word(self.words[-2])
        if is_verb and not is_request and not self.words[-1].is_code:
            self.words.pop()

    def intransitive_length(self) -> int:
        """Count the words up to a verb that a preposition follows in place of its object."""
        for at, word in enumerate(self.words[:-1]):
            verb = request_verb(word.folded)
            if verb is not None and not verb.form:
                return at + 1 if self.words[at + 1].folded in ("in", "on", "at", "from") else 0
        return 0

    def drop_subject(self) -> None:
        """Remove "and drivers" from a request that goes on with "and drivers can …"."""
        at = max((at for at, word in enumerate(self.words) if word.folded == "and"), default=0)
        is_request = any(request_verb(word.folded) for word in self.words[:at])
        if is_request and any(map(is_telling_word, self.words[:at])):
            del self.words[at:]

    def restore_verb(self) -> None:
        """Put the verb that was left out behind its object: "columns dropped (when moving)"."""
        if self.verb is not None and self.content:
            self.add(self.verb)
            self.verb = None

    def drop_joined_verb(self) -> None:
        """Remove "and link" from a request that goes on with "and link it to …"."""
        verb = request_verb(self.words[-1].folded)
        is_joined = any(word.folded == "and" for word in self.words[1:-1][-1:])
        if is_joined and verb is not None and not verb.form:
            del self.words[-2:]


def clause_parts(clause: Clause) -> list[ClausePart]:
    """Cut a clause."""
    cutter = _ClauseCutter(headline_clause(clause))
    at = 0
    while at < len(cutter.clause):
        at = cutter.next_position(at)
    return cutter.parts


def is_content_word(word: Word) -> bool:
    """Say whether a word is more than grammar, filler or an adverb."""
    folded = word.folded
    if folded in TECHNICAL_WORDS:
        return True
    if word.is_grammar or word.is_negation or folded in BREAKS or folded in SKIPPED_WORDS:
        return False
    is_adverb = folded.endswith("ly") and len(folded) >= _LEAST_ADVERB_CHARACTERS
    return not is_adverb or word.is_code or folded in _LY_NOUNS


def is_telling_word(word: Word) -> bool:
    """Say whether a word names something: no grammar, everyday word, number, adverb or verb."""
    if not is_content_word(word) or word.background_share >= EVERYDAY_SHARE or word.is_slight:
        return False
    if word.is_code:
        return word.written[0] not in "#0123456789" and not _is_address(word)
    verb = request_verb(word.folded)
    is_verb = verb is not None and (verb.is_dropped or verb.form != "") and not verb.is_noun_too
    return not is_verb and word.folded not in LIGHT_ADJECTIVES


def is_issue_number(word: Word) -> bool:
    """Say whether a word is the number of an issue, like `#12`."""
    return word.is_code and word.written[0] == "#" and word.written[1:].isdigit()


def _is_address(word: Word) -> bool:
    first, slash, _ = word.written.partition("/")
    is_host = "." in first.strip(".") or first.startswith("localhost:")
    return bool(slash) and word.is_code and not word.is_file and is_host


def _page_name(word: Word) -> str:
    """Return the last two parts of an address, if they are names: `@acme/parcels`."""
    parts = word.written.split("/")[1:]
    is_named = len(parts) > 1 and not any(_NO_NAME.search(part) for part in parts[-2:])
    return "/".join(parts[-2:]) if is_named else ""


class _ClauseCutter:
    """Reads a clause word by word."""

    def __init__(self, clause: Clause) -> None:
        self.clause = clause
        self.parts = [ClausePart(0)]
        self.is_aside = False
        self.is_guess = False

    def next_position(self, at: int) -> int:
        """Read the word at a position and return the position of the next one to read."""
        word, part = self.clause[at], self.parts[-1]
        self.note_aside(at)
        if word.folded in SKIPPED_WORDS:
            return self.begin_part(at + 1) if self.asks_for_state(at) else at + 1
        if is_issue_number(word) or _is_address(word):
            return self.read_reference(at)
        if not part.content:
            return self.read_leading_word(at)
        for read in (
            self.read_predicate,
            self.read_auxiliary,
            self.read_subordinate_verb,
            self.read_verb,
        ):
            position = read(at)
            if position > at:
                return position
        if self.begins_noun(at):
            verb = part.words[: part.intransitive_length()]
            del part.words[: len(verb)]
            part.drop_verb()
            self.is_aside = self.is_aside and not self.opens_with_aside()
            self.begin_part(at)
            for word_before in () if self.names_ability(at + 1) else verb:
                self.parts[-1].add(word_before)  # "not show in the menu | the prices"
        self.parts[-1].add(word)
        return at + 1

    def note_aside(self, at: int) -> None:
        """Note that a condition, a cause or a guess begins: none of it is what is asked for."""
        if self.clause[at].folded in _GUESSES:
            self.is_guess = True
        elif self.begins_aside(at):
            self.is_aside = True
        else:
            return
        if not self.parts[-1].content:
            self.parts[-1].is_aside, self.parts[-1].is_guess = self.is_aside, self.is_guess

    def asks_for_state(self, at: int) -> bool:
        """Say whether a question asks for something "already logged": it is not about the log."""
        is_question = self.clause[0].folded in COPULAS and self.parts[-1].content > 1
        is_state = self.folded_at(at + 1).endswith("ed")
        return is_question and is_state and self.clause[at].folded in ("already", "still", "now")

    def begins_aside(self, at: int) -> bool:
        folded, after = self.clause[at].folded, self.folded_at(at + 1)
        if folded == "in":
            return after == "case" and self.folded_at(at + 2) != "of"
        if folded not in ASIDES:
            return False
        before = self.clause[at - 1].folded if at else ""
        if before in _ASKING:
            return False
        if folded == "if":  # "check if" asks for it
            return request_verb(before) is None and before not in COPULAS
        return not (at and folded in _TIMES and after.endswith("ing"))

    def opens_with_aside(self) -> bool:
        """Say whether a clause begins with its condition: "when it runs | the bar is empty"."""
        return self.clause[0].folded in ASIDES

    def read_reference(self, at: int) -> int:
        """End the part before an issue or an address; its name is the object of a verb."""
        part, name = self.parts[-1], _page_name(self.clause[at])
        if name and part.words and request_verb(part.words[-1].folded):
            part.add(self.clause[at]._replace(written=name))
        return self.begin_part(at + 1)

    def names_ability(self, at: int) -> bool:
        """Say whether a noun stands for the verb after it: "the possibility to choose"."""
        return self.folded_at(at) in LIGHT_NOUNS and self.folded_at(at + 1) == "to"

    def begin_part(self, at: int, owner: ClausePart | None = None) -> int:
        is_subordinate = at > 0 and self.clause[at - 1].folded in _SUBORDINATORS
        is_question = at > 0 and self.clause[at - 1].folded == "whether"
        part = ClausePart(at, owner=owner, is_subordinate=is_subordinate, is_question=is_question)
        part.is_aside, part.is_guess = self.is_aside, self.is_guess
        self.parts.append(part)
        return at

    def folded_at(self, at: int) -> str:
        while at < len(self.clause) and self.clause[at].folded in SKIPPED_WORDS:
            at += 1
        return self.clause[at].folded if at < len(self.clause) else ""

    def read_leading_word(self, at: int) -> int:
        """Read a word before the first content word: what a pronoun is said to be is no request."""
        word, part = self.clause[at], self.parts[-1]
        if word.folded in COPULAS or (word.folded in _POINTING and self.is_finite_verb(at + 1)):
            return self.begin_part(at + 1)
        part.asks = part.asks or word.folded in _QUESTION_VERBS
        if word.folded in _SUBORDINATORS:
            part.is_subordinate, part.is_question = True, word.folded == "whether"
        part.add(word)
        return at + 1

    def read_predicate(self, at: int) -> int:
        """Read a copula or a failure after a subject."""
        folded, part = self.clause[at].folded, self.parts[-1]
        if folded in COPULAS:
            return self.read_copula(at)
        after = self.folded_at(at + 1)
        is_last = not after or after in LINK_WORDS or after in BREAKS or after in DETERMINERS
        if self.follows_link(at):
            return at
        if folded in FAILURES and is_last and not part.failure:
            part.failure = FAILURES[folded]
            return at + 1
        if folded == "works" and not after:
            part.add(self.clause[at]._replace(written="working", folded="working"))
            return at + 1
        return at

    def read_copula(self, at: int) -> int:
        """Leave out a copula, or end the part before what a subject is said to be."""
        part, after = self.parts[-1], self.folded_at(at + 1)
        is_matter = self.names_matter(at)
        is_degree = after == "a" and self.folded_at(at + 2) == "bit"  # "is a bit too small"
        is_noun = after in DETERMINERS and not is_degree
        if is_matter or is_noun or after in BREAKS or self.begins_action(at + 1):
            self.begin_part(at + 1)
            self.parts[-1].is_matter = is_matter
            return at + 1
        part.is_statement = True
        if self.clause[at].folded.endswith("n't"):
            part.add(_negation(self.clause[at]))
        return at + 1

    def names_matter(self, at: int) -> bool:
        """Say whether a copula tells what "our biggest problem" is: that is the subject."""
        after = self.folded_at(at + 1)
        verb = request_verb(after)
        is_state = verb is not None and verb.form == "ed"
        is_state = is_state or after in LIGHT_ADJECTIVES | BREAKS | {"not", "no", "too"}
        return bool(after) and self.parts[-1].words[-1].folded in _MATTERS and not is_state

    def begins_action(self, at: int) -> bool:
        """Say whether a copula is followed by an action: "my idea was moving the cache"."""
        verb = request_verb(self.clause[at].folded) if at + 1 < len(self.clause) else None
        is_action = verb is not None and verb.form == "ing" and not verb.is_noun_too
        return is_action and self.folded_at(at + 1) in DETERMINERS

    def follows_link(self, at: int) -> bool:
        before = self.clause[at - 1].folded
        return before in LINK_WORDS or before in DETERMINERS

    def read_auxiliary(self, at: int) -> int:
        """Read "does not load" as "not loading", and end the part before any other auxiliary."""
        folded, after = self.clause[at].folded, self.folded_at(at + 1)
        is_split = folded in _QUESTION_VERBS and after == "not"
        if folded in NEGATED_AUXILIARIES or is_split:
            verb = at + 1 + is_split
            if verb < len(self.clause) and self.clause[verb].written.isascii():
                word = self.clause[verb]
                self.parts[-1].add(_negation(self.clause[at]))
                self.parts[-1].add(word._replace(written=gerund(word.folded)))
                return verb + 1
        if folded in ("has", "have", "does") and self.owns_noun(at) and not self.follows_link(at):
            return self.begin_part(at + 1, owner=self.parts[-1])
        if folded in _POINTING and self.is_finite_verb(at + 1):
            return self.begin_part(at + 1)
        if folded in _POINTING and self.is_determiner(at):
            return at
        is_state = after.endswith("ing") or after == "unable"
        if folded in _TIMES and is_state:  # "errors when running it"
            self.parts[-1].restore_verb()
            return self.keep_word(at)
        return self.end_part(at) if folded in BREAKS else at

    def end_part(self, at: int) -> int:
        """End the part before a word, without the beginning of what comes next."""
        if self.clause[at].folded in _ABILITIES:
            self.parts[-1].drop_subject()
        if self.clause[at].folded in ("it", "them"):
            self.parts[-1].drop_joined_verb()
        return self.begin_part(at + 1)

    def owns_noun(self, at: int) -> bool:
        """Say whether a "has" is followed by a noun: "has gaps", not "has changed"."""
        after = self.folded_at(at + 1)
        if after in DETERMINERS:
            return True
        is_participle = after.endswith(("ed", "en", "ne")) or request_verb(after) is not None
        return bool(after) and not is_participle and after not in BREAKS and after != "to"

    def is_determiner(self, at: int) -> bool:
        """Say whether a "that" belongs to the noun after it: "comments on that pr"."""
        after = self.folded_at(at + 1)
        is_before_noun = bool(after) and after not in BREAKS and after not in COPULAS
        return self.follows_link(at) and is_before_noun

    def read_verb(self, at: int) -> int:
        """End the part before a finite verb or a "to do something"."""
        word, part = self.clause[at], self.parts[-1]
        verb, after = request_verb(word.folded), self.folded_at(at + 1)
        if word.folded == "to" and part.content >= ENOUGH_WORDS and not part.has_degree:
            infinitive = request_verb(after)
            is_verb = infinitive is not None and not infinitive.is_noun_too and not infinitive.form
            return self.begin_part(at) + 1 if is_verb and self.keep_word(at) else at
        if verb is None or verb.form in ("foreign", "ing"):
            return at
        if self.follows_link(at):
            is_finite = bool(verb.form) and self.clause[at - 1].folded in ("and", "or")
            return self.begin_part(at + 1) if is_finite and after in _OBJECTS else at
        if part.asks and not verb.form and not self.clause[at - 1].is_grammar:
            return at + 1 if verb.base in _IDLE_VERBS else self.begin_part(at + 1)
        has_object = after in _OBJECTS or self.is_name_at(at + 1)
        has_object = has_object or (after in DETERMINERS and after not in LINK_WORDS)
        is_third_person = verb.form == "s" and (not verb.is_noun_too or word.folded in _NO_NOUNS)
        is_caused = not verb.form and part.is_caused
        if (has_object or is_third_person) and not is_caused:
            self.begin_part(at if not verb.form else at + 1)
            self.parts[-1].verb = word if word.folded.endswith("ed") else None
            return at + 1 if verb.form else self.keep_word(at)
        return at

    def is_finite_verb(self, at: int) -> bool:
        """Say whether a verb follows, so that the "this" before it stands for some noun."""
        verb = request_verb(self.folded_at(at))
        return verb is not None and verb.form in ("s", "ed") and not verb.is_noun_too

    def read_subordinate_verb(self, at: int) -> int:
        """Read "whether the depot limits deliveries" as "the depot limiting deliveries"."""
        if not self.parts[-1].is_subordinate or not self.follows_subject(at):
            return at
        word = self.clause[at]
        self.parts[-1].add(word._replace(written=gerund(word.folded.removesuffix("s"))))
        self.parts[-1].is_subordinate = False
        return at + 1

    def follows_subject(self, at: int) -> bool:
        """Say whether a word is the verb of a clause after its subject and before its object."""
        word, verb = self.clause[at], request_verb(self.clause[at].folded)
        is_third_person = word.folded.endswith("s") and not word.folded.endswith(("ss", "us"))
        if word.is_code or not is_third_person or self.parts[-1].content > MOST_SUBJECT_WORDS:
            return False
        after = self.clause[at + 1] if at + 1 < len(self.clause) else word
        is_object = after.folded not in LINK_WORDS | BREAKS | COPULAS and after is not word
        is_verb = verb is not None and (verb.is_noun_too or verb.form == "s")
        return is_verb and is_object and not self.follows_link(at)

    def is_name_at(self, at: int) -> bool:
        return at < len(self.clause) and self.clause[at].is_code

    def begins_noun(self, at: int) -> bool:
        """Say whether another noun phrase begins: "in my config | the status bar"."""
        before = self.clause[at - 1]
        is_noun = is_content_word(before) and request_verb(before.folded) is None
        is_article = self.clause[at].written in _ARTICLES  # not a "My" in a name
        is_verb = before.folded.endswith("ing") or (at > 1 and self.clause[at - 2].folded == "to")
        is_noun = is_noun and not is_verb
        return is_article and is_noun and before is self.parts[-1].words[-1]

    def keep_word(self, at: int) -> int:
        """Add a word to the last part whatever it is."""
        self.parts[-1].add(self.clause[at])
        return at + 1


def _negation(word: Word) -> Word:
    return word._replace(written="not", folded="not", is_grammar=True, is_negation=True)
