"""Read the label that a sentence begins with: "TODO: …", "Still open: …", "Fix: …", "Never …".

A label says the kind outright, however short the sentence is, and the fitted head has seen too
few of them to be sure.
"""

import re

from ai_smartness.model.statement import Speaker, StatementKind
from ai_smartness.statements.sentences import Sentence, is_question

__all__ = ["LABEL_CONFIDENCE", "is_done", "labelled_kind"]

LABEL_CONFIDENCE = 0.8

_OPEN = re.compile(
    r"(?:(?-i:TODO|FIXME)\b|todo:|to-do:|fixme:)\s*\w"
    r"|(?:[^:.]{0,40}\b)?(?:still (?:open|missing|to do)|noch (?:offen|zu tun)|left open|as open"
    r"|left for (?:tomorrow|later|next \w+)|reste à faire|queda pendiente|pendiente|осталось)\b"
    r"[^:.]{0,40}:\s*\w"
    r"|(?:open|remaining|outstanding|pending|unfinished|not done(?: yet)?)(?: tasks?| points?)?: \w"
    r"|.{0,60}\b(?:we|i|you|somebody|someone) still (?:have|has|needs?) to \w",
    re.IGNORECASE,
)
_CURE = re.compile(
    r"(?:the )?(?:fix|cure|solution|workaround|lösung|solución)(?: (?:is|was)|:) \S"
    r"|(?:root )?cause: \S",
    re.IGNORECASE,
)
_COMMAND = re.compile(
    r"(?:you )?(?:run|start|build|deploy|lint)(?: (?:the|all|it|them|everything))?"
    r"(?: \w+){0,2} with `?[\w./-]+ ?[^`]*`?[.!]?$"
    r"|(?:the )?(?:tests?|build|linter|deploy(?:ment)?) ?(?::|is|are|run with) `[^`]+`",
    re.IGNORECASE,
)
_RULE = re.compile(
    r"(?:(?:please|btw|and|oh|also|but|so),? )*(?:never|always|niemals|nunca|jamais)"
    r"(?! (?:mind|seen?|saw|had|tried|been|again|fun|a |the same|heard|worked|knew|thought|liked"
    r"|something|in that))\s\w+",
    re.IGNORECASE,
)
_FORBIDDING = re.compile(
    r"(?:(?:please|pls|btw|and|oh|also|but|so|ok),? )*(?:do ?n[o']?t|no)\b"
    r"(?! (?:worry|know|think|care|mind|bother|forget|more|longer|idea|problem|need))\s\S",
    re.IGNORECASE,
)
_STANDING = re.compile(
    r"\bon (?:mon|tues|wednes|thurs|fri|satur|sun)days\b|\bat (?:night|weekends)\b"
    r"|\b(?:ever|anywhere|everywhere|by hand|unless)\b|\bwithout (?:asking|my|an?)\b",
    re.IGNORECASE,
)
"""What makes a prohibition hold beyond the work at hand."""

_AGAIN = re.compile(r"\b(?:again|once more|now|this time|and (?:tell|show))\b", re.IGNORECASE)
_DONE = re.compile(
    r"\b(?:is|are|it's|that's|was|were|got) (?:now |all |finally )*"
    r"(?:done|finished|completed?|closed|settled|resolved|wrapped up)\b"
    r"|\b(?:is|are|it's|that's|went|goes) (?:now |all |finally )*"
    r"(?:live|merged|deployed|shipped|in production)\b"
    r"|\b(?:scratch|tick|cross|check|strike) (?:it|that|this|them) off\b"
    r"|\b(?:i|we)(?:'ve| have)? (?:now |just |already )*(?:finished|completed|done)\b"
    r"|^(?:all )?done\b|^finished\b|\bist (?:jetzt )?(?:erledigt|fertig)\b"
    r"|\b(?:está (?:hecho|terminad[oa]|list[oa])|est (?:terminée?|faite?)|c'est fait|готово)\b",
    re.IGNORECASE,
)
_NOT_YET = re.compile(
    r"\b(?:not|never|until|till|unless|once|when|before|after|if|nicht|bis|wenn)\b|n't\b",
    re.IGNORECASE,
)
_NOTHING = re.compile(r":\s*(?:nothing|none|nichts|rien|nada)\b", re.IGNORECASE)


def is_done(words: str) -> bool:
    """Say whether a sentence tells that something is done, which then is no open task."""
    return _DONE.search(words) is not None and _NOT_YET.search(words) is None


def labelled_kind(sentence: Sentence, speaker: Speaker) -> StatementKind | None:
    """Return the kind that a sentence says itself, if it does."""
    words = sentence.words
    if speaker is Speaker.TOOL or is_question(words) or _NOTHING.search(words):
        return None
    if _OPEN.match(words):
        return StatementKind.OPEN_TASK
    if _CURE.match(words):
        return StatementKind.ERROR_CURE
    return _users_label(words) if speaker is Speaker.USER else None


def _users_label(words: str) -> StatementKind | None:
    forbids = _FORBIDDING.match(words) is not None and _STANDING.search(words) is not None
    if forbids or _RULE.match(words):
        return StatementKind.RULE
    is_command = _COMMAND.match(words) is not None and _AGAIN.search(words) is None
    return StatementKind.COMMAND if is_command else None
