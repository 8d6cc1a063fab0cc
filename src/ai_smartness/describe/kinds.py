"""Propose the kind of a thread from plain statements of the user.

A statement can be an identity, a preference, a decision, a constraint, a task or a fact. Each
proposal quotes one sentence of the user's and waits for confirmation: nothing becomes a rule
by a pattern. Questions, quotations, code and thinking aloud state nothing.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from ai_smartness.describe.phrases import any_phrase_pattern
from ai_smartness.model.annotation import KindProposal
from ai_smartness.model.thread import Kind

__all__ = ["is_rule", "kind_proposals", "settled_proposal"]

# The lists of `kinds.txt`, by name, without their comments.
_PHRASES = dict(
    re.findall(
        r"^\[(\w+)\]\n(?:#.*\n)*([^#]+?)(?=\n\[\w+\]\n|\Z)",
        Path(__file__).with_suffix(".txt").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
)
KIND_PHRASES: tuple[tuple[Kind, float, str], ...] = (
    (Kind.IDENTITY, 0.9, _PHRASES["identity"]),
    (Kind.CONSTRAINT, 0.9, _PHRASES["constraint"]),
    (Kind.PREFERENCE, 0.8, _PHRASES["preference"]),
    (Kind.DECISION, 0.8, _PHRASES["decision"]),
    (Kind.TODO, 0.7, _PHRASES["todo"]),
    (Kind.FACT, 0.5, _PHRASES["fact"]),
)
"""Kind, plainness (0–1), and phrases. The first kind that matches wins: "from now on
I always want" is a constraint, not a preference. Plainness is a judgement, not a measure: a name
or a rule is hardly ambiguous, a fact reads like any description."""

SPEECH_CHARACTERS = 2000  # nobody says more at once; the rest of a message was pasted
SHORTEST_SENTENCE_CHARACTERS = 8  # half of this where a character is a syllable or a word
LONGEST_SENTENCE_CHARACTERS = 300  # a longer one was pasted, or is a list without full stops
CONDITIONAL_SHARE = 0.5  # the remaining plainness of a statement that holds only under a condition
SETTLED_PLAINNESS = 0.5  # below this the best sentence was conditional: too little for a thread
RULE_CHARACTERS = 400  # a longer message tells more than a rule
RULE_SHARE = 0.8  # of a message's characters: the rest is a courtesy
SETTLED_SHARE = 2 / 3  # twice as much speaks for this kind as for all others together


def kind_proposals(text: str) -> tuple[KindProposal, ...]:
    """Propose kinds for the plain statements in a user's own words, in order."""
    speech = text[:SPEECH_CHARACTERS]
    heading = _HEADING.search(speech)
    return tuple(
        KindProposal(kind, sentence, plainness)
        for sentence, bare in _stated_sentences(speech[: heading.start()] if heading else speech)
        for kind, plainness in _sentence_kinds(bare)
    )


def is_rule(text: str) -> bool:
    """Say whether a message only states how to work or who the user is, and asks for nothing."""
    if len(text) > RULE_CHARACTERS:
        return False
    rules = {proposal.sentence for proposal in kind_proposals(text) if proposal.kind in _RULE_KINDS}
    return bool(rules) and sum(map(len, rules)) >= RULE_SHARE * len(text.strip())


def settled_proposal(proposals: Sequence[KindProposal]) -> KindProposal | None:
    """Return the one proposal that characterises a thread, if one kind clearly leads.

    It is the plainest sentence of that kind, and the first of equals.
    """
    weights: dict[Kind, float] = defaultdict(float)
    for proposal in proposals:
        weights[proposal.kind] += proposal.plainness
    if not weights:
        return None
    kind = max(weights, key=weights.__getitem__)
    of_kind = (proposal for proposal in proposals if proposal.kind is kind)
    best = max(of_kind, key=lambda proposal: proposal.plainness)
    leads = weights[kind] >= SETTLED_SHARE * sum(weights.values())
    return best if leads and best.plainness >= SETTLED_PLAINNESS else None


_KIND_PATTERNS = tuple(
    (kind, plainness, any_phrase_pattern(phrases)) for kind, plainness, phrases in KIND_PHRASES
)
_RULE_KINDS = frozenset({Kind.CONSTRAINT, Kind.PREFERENCE, Kind.IDENTITY})
_HEDGE = any_phrase_pattern(_PHRASES["hedges"])
_CONDITION = any_phrase_pattern(_PHRASES["conditions"])

# Not the speaker's own words: fences, code, tags, citations, quotation marks.
_QUOTED_OR_CODE = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]{1,200}`|^[ \t]*>.*?$|^(?: {4}|\t).*?$"
    r"|<(\w{1,30})>.{0,2000}?</\1>"
    r'|"[^"\n]{1,200}"|“[^”\n]{1,200}”|«[^»\n]{1,200}»|„[^“”\n]{1,200}[“”]|「[^」\n]{1,200}」',
    re.DOTALL | re.MULTILINE,
)
# Below a heading it is a document, not speech.
_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)
_STOPS = "\n.!?。！？;；"
_SENTENCE = re.compile(rf"[^{_STOPS}]+(?:\.(?=[\w\0])[^{_STOPS}]*){{0,20}}[.!?。！？]{{0,3}}")
_QUESTION_MARKS = ("?", "？")
_SENTENCE_MARGINS = " \t\n-*•"


def _stated_sentences(speech: str) -> Iterator[tuple[str, str]]:
    """Yield each sentence as written, and its part in the speaker's own words."""
    masked = _QUOTED_OR_CODE.sub(lambda match: "\0" * len(match[0]), speech)
    for match in _SENTENCE.finditer(masked):
        sentence = speech[slice(*match.span())].strip(_SENTENCE_MARGINS)
        shortest = SHORTEST_SENTENCE_CHARACTERS // (1 if sentence.isascii() else 2)
        if shortest <= len(sentence) <= LONGEST_SENTENCE_CHARACTERS:
            # One character for one, so that no other letter takes its place.
            yield sentence, match[0].strip(_SENTENCE_MARGINS).lower().replace("’", "'")


def _sentence_kinds(bare: str) -> Iterator[tuple[Kind, float]]:
    """Yield the kind of a sentence, if it has one."""
    if bare.endswith(_QUESTION_MARKS) or _HEDGE.search(bare):
        return
    for kind, plainness, pattern in _KIND_PATTERNS:
        if pattern.search(bare):
            is_conditional = _CONDITION.search(bare) is not None
            yield kind, plainness * (CONDITIONAL_SHARE if is_conditional else 1.0)
            return
