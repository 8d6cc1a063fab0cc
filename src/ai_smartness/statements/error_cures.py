"""Join an error with its cure: what a program printed, and what somebody said helped.

A cure is often told in two sentences, and without the error, which stands in the output before
it. A statement about an error has both. An error alone is no statement. An error that was cured
takes no cure of a later message: that is of something else.
"""

import re
from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ai_smartness.capture.mentions.error_messages import find_error_messages
from ai_smartness.model.event import Event
from ai_smartness.model.statement import Speaker, StatementKind
from ai_smartness.statements.judge import JudgedSentence
from ai_smartness.text.display import one_line, shortened_text
from ai_smartness.text.keywords import extract_keywords

__all__ = [
    "NO_ERROR",
    "SeenError",
    "SentencePlace",
    "cures_error",
    "event_error",
    "joined_cures",
]

ERROR_CHARACTERS = 140
JOINED_CHARACTERS = 300  # cause and cure together: more is an account, not a line
CURE_WORDS = 5  # fewer name an error and have no room for a cure
QUOTED_SHARE = 0.6  # of a person's sentence, from which on it only reports an error
NAMED_WORDS = 2  # of an error that a sentence repeats: it names the error itself

_CURED = re.compile(
    r"\b(?:fix(?:ed|es)?|cure[sd]?|solved|resolved|helps|helped|gone|goes away|went away|instead"
    r"|behoben|gelöst|corrigé\w*|résolu\w*|arregl\w*)\b",
    re.IGNORECASE,
)
_FAILED = re.compile(
    r"not found|denied|refused|fail(?:ed|ure)|\w*[Ee]rror\b|[Ee]xception|:\d+(?::|$)"
)
_NO_MESSAGE = re.compile(r"[Ee]xit(?:ed)?\b.{0,30}|Traceback\b.*|(?:FAILED|FAIL|ERROR) \S+")


class SeenError(NamedTuple):
    """An error of a session, the event that printed it, and how many events ago that was."""

    text: str
    event_id: str
    age: int


NO_ERROR = SeenError("", "", 0)


@dataclass(frozen=True, slots=True)
class SentencePlace:
    """Where a sentence stands: its event, and the error that was seen last before it."""

    event_id: str
    error: SeenError = NO_ERROR


def event_error(event: Event, speaker: Speaker | None) -> str:
    """Return the last error message in a tool's output or in a user's words, if there is one."""
    if speaker in (None, Speaker.ASSISTANT):
        return ""
    messages = [one for one in find_error_messages(event.text) if not _NO_MESSAGE.fullmatch(one)]
    return shortened_text(one_line(messages[-1]), ERROR_CHARACTERS) if messages else ""


def cures_error(words: str, error: str) -> bool:
    """Say whether a cure names an error."""
    shared = set(extract_keywords(words)) & set(extract_keywords(error))
    return error in words or len(shared) >= NAMED_WORDS


def joined_cures(
    judged: Sequence[JudgedSentence | None],
    places: Sequence[SentencePlace],
    cured: MutableMapping[str, str],
) -> list[JudgedSentence | None]:
    """Return the verdicts with neighbouring cures made one, each with its error.

    What changed has no vector. The place of a sentence that was joined to the one before it is
    empty, as is that of an error alone. `cured` has the event that cured each error, by the event
    of the error; those that are cured here are added.
    """
    joined: list[JudgedSentence | None] = []
    last: int | None = None
    for number, (verdict, place) in enumerate(zip(judged, places, strict=True)):
        joined.append(verdict)
        if verdict is not None and _is_bare_error(verdict):
            joined[number] = None
        elif verdict is None or verdict.kind is not StatementKind.ERROR_CURE:
            last = None
        elif (
            last is not None
            and places[last].event_id == place.event_id
            and (both := _joined_verdict(joined[last], verdict))
        ):
            joined[last], joined[number] = both, None
        else:
            last = number
    return [
        _with_error(verdict, _error_to_cure(verdict, place, cured)) if verdict else None
        for verdict, place in zip(joined, places, strict=True)
    ]


def _error_to_cure(
    verdict: JudgedSentence, place: SentencePlace, cured: MutableMapping[str, str]
) -> str:
    """Return the error before a cure, unless an earlier message cured it; from now on it is."""
    error, words = place.error, verdict.spoken.sentence.words
    if verdict.kind is not StatementKind.ERROR_CURE or not error.text:
        return ""
    if any(find_error_messages(words)) and not cures_error(words, error.text):
        return ""
    is_first = cured.setdefault(error.event_id, place.event_id) == place.event_id
    return error.text if is_first else ""


def _is_bare_error(verdict: JudgedSentence) -> bool:
    """Say whether it is only an error: a line that a tool printed, or "arm build broken"."""
    words = verdict.spoken.sentence.words
    if _CURED.search(words):
        return False
    is_cure = verdict.kind is StatementKind.ERROR_CURE
    if verdict.spoken.speaker is Speaker.TOOL:
        return is_cure or _FAILED.search(words) is not None
    return (is_cure and len(words.split()) < CURE_WORDS) or _quotes_error(verdict)


def _quotes_error(verdict: JudgedSentence) -> bool:
    """Say whether a person's sentence has hardly more than an error: it states no rule."""
    words = verdict.spoken.sentence.words
    error = sum(map(len, find_error_messages(words)))
    return verdict.spoken.speaker is Speaker.USER and error >= QUOTED_SHARE * len(words)


def _joined_verdict(first: JudgedSentence | None, second: JudgedSentence) -> JudgedSentence | None:
    """Return two sentences as one, if they are short enough."""
    if first is None:
        return None
    words = f"{first.spoken.sentence.words} {second.spoken.sentence.words}"
    if len(words) > JOINED_CHARACTERS:
        return None
    sentence = replace(first.spoken.sentence, words=words)
    confidence = max(first.confidence, second.confidence)
    spoken = replace(first.spoken, sentence=sentence)
    return replace(first, spoken=spoken, confidence=confidence, vector=None)


def _with_error(verdict: JudgedSentence, error: str) -> JudgedSentence:
    """Return a cure with the error that was seen before it, unless it names one."""
    sentence = verdict.spoken.sentence
    if not error or any(find_error_messages(sentence.words)) or cures_error(sentence.words, error):
        return verdict
    spoken = replace(verdict.spoken, sentence=replace(sentence, error=error))
    return replace(verdict, spoken=spoken, vector=None)
