"""Make the statement that a judged sentence of a message is, with the words it is about."""

from ai_smartness.capture.mentions.extract import extract_mentions
from ai_smartness.model.event import Event
from ai_smartness.model.statement import Statement, statement_id
from ai_smartness.statements.judge import JudgedSentence
from ai_smartness.text.keywords import extract_keywords

__all__ = ["new_statement"]

SPEECH_CHARACTERS = 800  # nobody says more at once: what is longer is a document, or was pasted
LEAST_SPEECH_SHARE = 0.15
MOST_SUBJECT_TERMS = 12  # of a statement: enough to compare, few enough to read


def _subject_terms(text: str) -> tuple[str, ...]:
    """Return the words that name what a sentence is about: files and names, then keywords."""
    mentions = extract_mentions(text)
    names = (*mentions.files, *mentions.identifiers, *mentions.urls)
    terms = dict.fromkeys((*names, *extract_keywords(text)))
    return tuple(terms)[:MOST_SUBJECT_TERMS]


def new_statement(event: Event, judged: JudgedSentence) -> Statement:
    """Return a judged sentence of an event as a statement."""
    sentence = judged.spoken.sentence
    return Statement(
        id=statement_id(event.project, event.id, sentence.text),
        project=event.project,
        seq=event.seq,
        thread_id=event.thread_id,
        session=event.session or "",
        speaker=judged.spoken.speaker,
        at=event.at,
        kind=judged.kind,
        text=sentence.text,
        subject=_subject_terms(sentence.text),
        confidence=round(judged.confidence * _speech_share(event), 3),
    )


def _speech_share(event: Event) -> float:
    """Return how far a message is speech: few sentences of a document hold beyond it."""
    return max(LEAST_SPEECH_SHARE, min(1.0, SPEECH_CHARACTERS / max(1, len(event.text))))
