"""Propose what a message plainly states: an identity, a wish, a decision, a rule, a task, a fact.

Only proposals. Each rests on one sentence of the user's, quoted, and is there
to be confirmed: nothing becomes a rule by a pattern. A question, a quotation,
code or thinking aloud states nothing.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from ai_smartness.describe.kind_phrases import CONDITIONS, HEDGES, KIND_PHRASES
from ai_smartness.describe.phrases import any_phrase_pattern, phrase_lines
from ai_smartness.model.annotation import KindProposal
from ai_smartness.model.thread import Kind

__all__ = ["KindProposal", "kind_proposals", "settled_proposal"]

SPEECH_CHARACTERS = 2000
"""Of a message: nobody says more at once, what follows is a paste."""

SHORTEST_SENTENCE_CHARACTERS = 8
"""A shorter one states nothing; half of it where a character is a syllable or a word."""

LONGEST_SENTENCE_CHARACTERS = 300
"""A longer one is a paste or a list without full stops."""

CONDITIONAL_SHARE = 0.5
"""What is left of the plainness of a statement that holds only in a case."""

SETTLED_PLAINNESS = 0.5
"""Under it the best sentence was conditional: too little to name a thread after."""

SETTLED_SHARE = 2 / 3
"""Of all plainness: twice as much speaks for this kind as for all others together."""


def kind_proposals(text: str) -> tuple[KindProposal, ...]:
    """Propose kinds for the plain statements in a user's own words, in order."""
    said = _spoken_text(text)
    return tuple(
        KindProposal(kind, sentence, plainness)
        for sentence, bare in _stated_sentences(said)
        for kind, plainness in _sentence_kinds(bare)
    )


def settled_proposal(proposals: Sequence[KindProposal]) -> KindProposal | None:
    """Return the one proposal that characterises a thread, if one kind clearly leads.

    Of that kind it is the plainest sentence, and of equals the first.
    """
    weights: dict[Kind, float] = defaultdict(float)
    for proposal in proposals:
        weights[proposal.kind] += proposal.plainness
    if not weights:
        return None
    kind = max(weights, key=lambda each: weights[each])
    best = max((each for each in proposals if each.kind is kind), key=lambda each: each.plainness)
    leads = weights[kind] >= SETTLED_SHARE * sum(weights.values())
    return best if leads and best.plainness >= SETTLED_PLAINNESS else None


def _any_phrase(by_language: Mapping[str, str]) -> re.Pattern[str]:
    return any_phrase_pattern(line for each in by_language.values() for line in phrase_lines(each))


_KIND_PATTERNS = tuple(
    (kind, plainness, _any_phrase(each)) for kind, plainness, each in KIND_PHRASES
)
_HEDGE = _any_phrase(HEDGES)
_CONDITION = _any_phrase(CONDITIONS)

# Not the speaker's own words: fences, code, tags, citations, quotation marks.
_QUOTED_OR_CODE = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]{1,200}`|^[ \t]*>.*?$|^(?: {4}|\t).*?$"
    r"|<(\w{1,30})>.{0,2000}?</\1>"
    r'|"[^"\n]{1,200}"|“[^”\n]{1,200}”|«[^»\n]{1,200}»|„[^“”\n]{1,200}[“”]|「[^」\n]{1,200}」',
    re.DOTALL | re.MULTILINE,
)
# Below a heading it is a document, not speech.
_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)
_STOPS = "\n.!?。！？;；"  # noqa: RUF001 - punctuation of other scripts
_SENTENCE = re.compile(rf"[^{_STOPS}]+(?:\.(?=[\w\0])[^{_STOPS}]*){{0,20}}[.!?。！？]{{0,3}}")  # noqa: RUF001
_QUESTION_MARKS = ("?", "？")  # noqa: RUF001
_SENTENCE_MARGINS = " \t\n-*•"


def _spoken_text(text: str) -> str:
    said = text[:SPEECH_CHARACTERS]
    heading = _HEADING.search(said)
    return said[: heading.start()] if heading else said


def _stated_sentences(said: str) -> Iterator[tuple[str, str]]:
    """Yield each sentence as it was written, and what of it the speaker said himself."""
    masked = _QUOTED_OR_CODE.sub(lambda found: "\0" * len(found[0]), said)
    for match in _SENTENCE.finditer(masked):
        sentence = said[slice(*match.span())].strip(_SENTENCE_MARGINS)
        shortest = SHORTEST_SENTENCE_CHARACTERS // (1 if sentence.isascii() else 2)
        if shortest <= len(sentence) <= LONGEST_SENTENCE_CHARACTERS:
            # One character for one, so that no other letter takes its place.
            yield sentence, match[0].strip(_SENTENCE_MARGINS).lower().replace("’", "'")  # noqa: RUF001


def _sentence_kinds(bare: str) -> Iterator[tuple[Kind, float]]:
    """Yield the kind of a sentence, if it has one."""
    if bare.endswith(_QUESTION_MARKS) or _HEDGE.search(bare):
        return
    for kind, plainness, pattern in _KIND_PATTERNS:
        if pattern.search(bare):
            conditional = _CONDITION.search(bare) is not None
            yield kind, plainness * (CONDITIONAL_SHARE if conditional else 1.0)
            return
