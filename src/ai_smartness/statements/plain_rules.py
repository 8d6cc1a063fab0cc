"""Judge a sentence by plain phrases, where there is no model or no fit for it.

The phrases are those that propose the kind of a thread, and a few for reports and tool output.
They find fewer statements than a fitted head, and ask for more clarity.
"""

import re

from ai_smartness.capture.mentions.error_messages import find_error_messages
from ai_smartness.describe.kinds import kind_proposals
from ai_smartness.model.statement import Speaker, StatementKind
from ai_smartness.model.thread import Kind
from ai_smartness.statements.sentences import Sentence, is_question

__all__ = ["plain_kind"]

REPORT_CONFIDENCE = 0.5  # an agent's report was matched by one phrase
LINE_CONFIDENCE = 0.4  # a line of a tool is a fact of its moment

_KINDS = {
    Kind.IDENTITY: StatementKind.ENVIRONMENT,
    Kind.FACT: StatementKind.ENVIRONMENT,
    Kind.PREFERENCE: StatementKind.PREFERENCE,
    Kind.DECISION: StatementKind.DECISION,
    Kind.CONSTRAINT: StatementKind.RULE,
    Kind.TODO: StatementKind.OPEN_TASK,
    Kind.GOAL: StatementKind.OPEN_TASK,
}
_CAUSE = re.compile(
    r"\b(?:root cause|the (?:fix|culprit|cause) (?:is|was)|turned out"
    r"|(?:fails?|failed|crash\w*|broke|error\w*|missing|wrong|hang\w*|leak\w*)\b.{0,80}"
    r"\b(?:because|since|due to|fixed by))\b",
    re.IGNORECASE,
)
_COMMAND = re.compile(
    r"\$ \S|`[^`]+ [^`]+` (?:runs?|starts?|builds?|prints?|shows?|checks?|deploys?|tests?|does"
    r"|lists?|to )|(?:run|use|with) `[^`]+ [^`]+`",
    re.IGNORECASE,
)
_ENVIRONMENT = re.compile(
    r"\bversion:? v?\d|\b[A-Za-z][\w+#-]* v?\d+\.\d+(?:\.\d+)*(?![\w.,:])"
    r"|\b(?:lives?|listens?|is hosted|is stored|are stored|is at|stands?) (?:on|in|at|under)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:todo|still (?:open|missing|needs?|to do)|not (?:done|fixed) yet|left for later|next step"
    r"|follow-?up|remains? (?:to|open))\b",
    re.IGNORECASE,
)
_DECIDED = re.compile(
    r"\b(?:as (?:agreed|decided|requested)|is now|are now|no longer|instead of|replaced .{1,60}"
    r" (?:by|with)|switched .{0,60}\bto|moved .{0,60}\bto)\b",
    re.IGNORECASE,
)
_REPORTS = (
    (_CAUSE, StatementKind.ERROR_CURE),
    (_OPEN, StatementKind.OPEN_TASK),
    (_DECIDED, StatementKind.DECISION),
    (_COMMAND, StatementKind.COMMAND),
    (_ENVIRONMENT, StatementKind.ENVIRONMENT),
)


def plain_kind(sentence: Sentence, speaker: Speaker) -> tuple[StatementKind, float] | None:
    """Return the kind of a sentence and the confidence in it, if it is a statement."""
    if is_question(sentence.words):
        return None
    if speaker is Speaker.TOOL:
        return _tool_kind(sentence.words)
    if speaker is Speaker.USER and (proposals := kind_proposals(sentence.words)):
        best = max(proposals, key=lambda proposal: proposal.plainness)
        if best.kind in _KINDS:
            return _KINDS[best.kind], best.plainness
    for pattern, kind in _REPORTS:
        if pattern.search(sentence.words):
            return kind, REPORT_CONFIDENCE
    return None


def _tool_kind(line: str) -> tuple[StatementKind, float] | None:
    if line.startswith("$ "):
        return StatementKind.COMMAND, LINE_CONFIDENCE
    if _ENVIRONMENT.search(line) and not any(find_error_messages(line)):
        return StatementKind.ENVIRONMENT, LINE_CONFIDENCE
    return None
