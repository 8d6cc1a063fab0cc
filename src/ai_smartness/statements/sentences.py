"""Split a message into its sentences and list items, one line each.

Code, diffs, quotations and pasted logs are no sentences. Of a tool's output only the few lines
that tell something count: a command with its result, an error, a name with its value. Small
talk is left out. A sentence that makes little sense alone carries the line before it, which
helps to judge it and is not shown.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ai_smartness.describe.phrases import MONTHS
from ai_smartness.model.statement import Speaker
from ai_smartness.text.stopwords import SMALL_TALK_SHARE, conversation_share

__all__ = [
    "Sentence",
    "is_question",
    "last_line",
    "message_sentences",
    "only_asks",
    "own_words",
    "says_only_value",
    "sentence_after",
    "short_order",
]

READ_CHARACTERS = 12_000  # of one message; more was pasted
SHORTEST_CHARACTERS = 2  # a single character says nothing
LONGEST_CHARACTERS = 320  # a longer sentence is cut at a clause
CLAUSE_CHARACTERS = 200  # from this length on, a sentence with semicolons is read part by part
WRAPPED_CHARACTERS = 60  # a line this long without an end goes on in the next
MOST_SENTENCES = 60  # of one message; a longer one is a document
MOST_TOOL_LINES = 6  # of one tool output
LOG_LINES = 4  # so many lines with a time in a row are a log
SHORT_WORDS = 6  # an answer of so few words needs its question
CONTEXT_CHARACTERS = 200  # of the line before
JOINED_CHARACTERS = 160  # a short answer is joined with its reason up to this length

_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~\n.*?(?:~~~|\Z)", re.DOTALL)
_TAGGED = re.compile(r"<([A-Za-z][\w-]{0,40})(?:\s[^<>\n]{0,200})?>.{0,20000}?</\1>", re.DOTALL)
_BULLET = re.compile(r"\s*(?:[-*•+–]|\(?\d{1,2}[.)]|\(?[a-z][)])\s+(?:\[[ xX]\]\s+)?")
_SKIPPED_LINE = re.compile(
    r"\s*(?:>|#{1,6}\s|\||[-=*_~]{3,}\s*$|@@|diff --git|index [0-9a-f]{6}|[+-]{3} [ab]/)"
    r"|\[… .{0,60} …\]|\s*(?:at |File \")\S"
)
_CODE_LINE = re.compile(
    r"(?: {4}|\t)(?!\s*(?:[-*•+]|\d{1,2}[.)])\s)"
    r"|\s*(?:[{}\[\]();,]+\s*$|(?:def|class|import|from|return|const|let|var|public|private|fn|func"
    r"|function|if|for|while|else|elif|try|except)\b.*[{(:;]\s*$)|.*[;{}]\s*$"
)
_TIMED_LINE = re.compile(
    r"\s*\[?(?:\d{4}-\d\d-\d\d[T ]|\d\d:\d\d:\d\d|[A-Z][a-z]{2} +\d+ \d\d:\d\d)"
)
_DIFF_MARK = re.compile(r"^(?:diff --git|@@ |[+-]{3} [ab]/)", re.MULTILINE)
_DIFF_LINE = re.compile(r"[+-](?![\s-])|[+-]\s{2,}|@@|index |diff ")
_END = re.compile(r"(?<=[.!?])[\"')\]*_]{0,3}\s+(?=\S)|(?<=[。！？])[」』”]?(?=\S)")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|ca|no|nr|dr|mr|mrs|ms|prof|st|resp|incl|max|min|fig|sec"
    r"|z\.\s?b|d\.\s?h|u\.\s?a|bzw|usw|evtl|ggf|p\.\s?ej|т\.\s?е|т\.\s?д)|^\w)\.$",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?:^|\s)\d{1,2}\.$")
_MONTH_NEXT = re.compile(rf"(?:{'|'.join(MONTHS.split())})\b", re.IGNORECASE)
_CLAUSE = re.compile(r"; +|；| [–—] ")
_LAST_CLAUSE = re.compile(r".*[,:;)](?=\s)", re.DOTALL)
_TELLING_LINE = re.compile(
    r"\$ \S|[>❯] ?(?:npm|git|make|docker)\b"
    r"|.{0,60}\b(?:error|fatal|panic|warning|failed|exception|denied|refused|not found)\b.{0,4}:"
    r"|(?:\w*(?:Error|Exception)|E[A-Z]{4,})\b"
    r"|[\w .()/@-]{2,40}(?:: | = |\s{2,})\S"
    r"|\S{1,40} v?\d+\.\d+",
    re.IGNORECASE,
)
_NOISE_LINE = re.compile(r"[\W\d_]*$|[+-]\s|\{|\}|(?:at|File)\s|(?:Edited|Created|Read) ")
_QUESTION_END = re.compile(r"[?？][\"'”)\]*_]{0,3}$")
_QUESTION_WORD = re.compile(
    r"(?:(?:and|so|but|ok|hm+|wait),? )*(?:what(?:'?s)?|which|where|who|when|why|how|is it|is there"
    r"|are (?:we|there|you)|do (?:we|you|i)|does|did|can (?:you|we|i)|could you|should (?:we|i)"
    r"|shall (?:we|i)|wie|wo|wer|warum|wieso|welche\w*|quel\w*|où|comment|pourquoi|qué|cómo|dónde"
    r"|cuál|как|где|кто|почему)\b",
    re.IGNORECASE,
)
_AUXILIARY = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|would|should|will)"
_ASKED = re.compile(
    rf"(?:(?:and|so|but|ok|hm+|wait|btw|again),? )*(?:in )?"
    rf"(?:what (?!(?:i|we|you|they|he|she|it)\b)(?:[\w'’-]+ ){{0,3}}?"
    rf"(?:do|does|did|can|could|would|should|will)"
    rf"|what(?:['’]?s| is| are| was| were)(?! (?:missing|left|open|still|not|to)\b)"
    rf"|(?:which|who|why|how(?: (?:long|many|much|often))?) (?:[\w'’-]+ ){{0,3}}?{_AUXILIARY}"
    rf"|where {_AUXILIARY})\b",
    re.IGNORECASE,
)
_TOLD = re.compile(r"[:;,]|\b(?:must|never|always|have to|has to)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SPACE = re.compile(r"\s+")
_POINTING = re.compile(
    r"(?:same|that|this|it|these|those|they|both|neither|likewise|also|too|then|yes|no|yep|nope|ok"
    r"|the (?:first|second|left|right|other|latter|former))\b",
    re.IGNORECASE,
)


_ADDED = re.compile(r" \((?:asked|about|error): .*\)$", re.DOTALL)
_BARE_WORDS = (
    r"ok|okay|yes|yeah|fine|right|then|so|well|hm+|let'?s|we'?ll|we|i|i'd|i'll|make|take|set|go|use|do"
    r"|raise|lower|bring|put|push|cut|bump|change|move|reduce|increase|drop|turn|stretch|up|down|it"
    r"|that|them|this|those|to|at|with|for|by|now|please|instead|rather|just|better|back|should|be"
    r"|is|was|only|mach|nimm|setz|dann|draus|daraus|auf|es|das|bitte|lieber|jetzt|mets|prends|alors"
    r"|passe|le|à|maintenant|plutôt|pon|ponlo|toma|entonces|a|ahora|mejor|да|тогда|сделай"
)
_BARE_NUMBERS = (
    r"\d+(?:[.,:]\d+)*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|zwei|drei|vier|fünf"
    r"|sechs|sieben|acht|neun|zehn|deux|trois|quatre|cinq|sept|huit|neuf|dix|dos|tres|cuatro|cinco"
    r"|seis|siete|ocho|nueve|diez"
)
_BARE_VALUE = re.compile(
    rf"(?=.*\b(?:{_BARE_NUMBERS})\b)(?:(?:{_BARE_WORDS}|{_BARE_NUMBERS})(?:[\s,:;.!–—-]+|$))+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, and the line before it where it makes little sense alone.

    `is_answer` says that the line before is the question it answers. `error` is the error that
    the sentence cures, where it does not name it.
    """

    words: str
    before: str = ""
    is_answer: bool = False
    error: str = ""

    @property
    def text(self) -> str:
        """The sentence as it is shown: with its question, its error, or what was said before it.

        A short answer has its question, a cure its error, and an order that names nothing but a
        value ("make it 12 then") the line that it follows.
        """
        if self.error:
            return f"{self.words} (error: {self.error})"
        if self.is_answer:
            return f"{self.words} (asked: {self.before})"
        is_bare = bool(self.before) and says_only_value(self.words)
        return f"{self.words} (about: {self.before})" if is_bare else self.words

    @property
    def judged_text(self) -> str:
        """The text whose vector stands for the sentence."""
        if self.error:
            return self.text
        return f"{self.words} ({self.before})" if self.before else self.words


def own_words(text: str) -> str:
    """Return a sentence that is shown with its question, its error or the line before, without."""
    return _ADDED.sub("", text)


def says_only_value(words: str) -> bool:
    """Say whether an order names a number, and not what it is of: "make it 12 then"."""
    return _BARE_VALUE.fullmatch(words) is not None


def message_sentences(text: str, speaker: Speaker, before: str = "") -> list[Sentence]:
    """Return the sentences of a message; `before` is what was said before it."""
    read = text[:READ_CHARACTERS]
    if speaker is Speaker.TOOL:
        return [sentence_after(before, line) for line in _telling_lines(read)]
    sentences: list[Sentence] = []
    for words, begins_line in _split_lines(_prose_lines(read)):
        previous = sentences[-1] if sentences else None
        if previous and previous.is_answer and not begins_line and _can_join(previous, words):
            sentences[-1] = replace(previous, words=f"{previous.words} {words}")
        elif len(words) >= SHORTEST_CHARACTERS and not _is_small_talk(words):
            sentences.append(sentence_after(previous.words if previous else before, words))
    return sentences[:MOST_SENTENCES]


def sentence_after(before: str, words: str) -> Sentence:
    """Return a sentence with the line before it, if it makes little sense alone."""
    if not before or not _needs_context(words):
        return Sentence(words)
    line = _one_line(before)[-CONTEXT_CHARACTERS:]
    is_answer = is_question(line) and _is_short(words) and not is_question(words)
    return Sentence(words, line, is_answer=is_answer)


def short_order(text: str) -> str:
    """Return what a message ends with, on one line and not too long."""
    return _one_line(text)[-CONTEXT_CHARACTERS:]


def last_line(text: str) -> str:
    """Return the last sentence of a message, which the next message may answer."""
    lines = [words for words, _ in _split_lines(_prose_lines(text[-READ_CHARACTERS:]))]
    return lines[-1] if lines else ""


def is_question(text: str) -> bool:
    """Say whether a sentence asks, with or without a question mark."""
    return bool(_QUESTION_END.search(text) or _QUESTION_WORD.match(text))


def only_asks(text: str) -> bool:
    """Say whether a sentence asks and tells nothing: "what is missing is a retry" tells it."""
    if not _ASKED.match(text):
        return False
    return _QUESTION_END.search(text) is not None or not _TOLD.search(text)


def _telling_lines(text: str) -> Iterator[str]:
    lines = (_one_line(line) for line in text.split("\n"))
    telling = (
        line
        for line in lines
        if SHORTEST_CHARACTERS < len(line) <= LONGEST_CHARACTERS
        and _TELLING_LINE.match(line)
        and not _NOISE_LINE.match(line)
    )
    for _, line in zip(range(MOST_TOOL_LINES), telling, strict=False):
        yield line


def _prose_lines(text: str) -> Iterator[str]:
    """Yield the lines of a message that are prose, with wrapped lines joined."""
    is_diff = _DIFF_MARK.search(text) is not None
    text = _TAGGED.sub("\n", _FENCE.sub("\n", text))
    joined = ""
    for written in _without_logs(text.split("\n")):
        bullet = _BULLET.match(written)
        is_item = bullet is not None
        line = "" if _is_no_prose(written, is_item=is_item, is_diff=is_diff) else written
        goes_on = len(joined) >= WRAPPED_CHARACTERS and joined[-1] not in ".!?:;。！？"
        if line and goes_on and line.lstrip()[:1].islower() and not is_item:
            joined = f"{joined} {line.strip()}"
            continue
        if joined:
            yield joined
        joined = _one_line(line[bullet.end() if bullet else 0 :])
    if joined:
        yield joined


def _is_no_prose(line: str, *, is_item: bool, is_diff: bool) -> bool:
    if _SKIPPED_LINE.match(line) or (is_diff and _DIFF_LINE.match(line)):
        return True
    return not is_item and _CODE_LINE.match(line) is not None


def _without_logs(lines: Iterable[str]) -> Iterator[str]:
    run: list[str] = []
    for line in lines:
        if _TIMED_LINE.match(line):
            run.append(line)
            continue
        if len(run) < LOG_LINES:
            yield from run
        run = []
        yield line
    if len(run) < LOG_LINES:
        yield from run


def _split_lines(lines: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield each sentence, and whether it begins its line."""
    for line in lines:
        for number, sentence in enumerate(_sentences_in(line)):
            yield from ((part, number == 0) for part in _clauses_of(sentence))


def _sentences_in(line: str) -> Iterator[str]:
    start = 0
    for match in _END.finditer(line):
        head, tail = line[start : match.start()].rstrip(), line[match.end() :]
        if _ends_sentence(head, tail):
            yield line[start : match.end()].strip()
            start = match.end()
    if rest := line[start:].strip():
        yield rest


def _ends_sentence(head: str, tail: str) -> bool:
    if _ABBREVIATION.search(head):
        return False
    if _NUMBERED.search(head):
        return tail[:1].isupper() and not _MONTH_NEXT.match(tail)
    return True


def _clauses_of(sentence: str) -> Iterator[str]:
    parts = [sentence]
    if len(sentence) > CLAUSE_CHARACTERS:
        parts = [part.strip() for part in _CLAUSE.split(sentence) if part.strip()]
    for part in parts:
        yield part if len(part) <= LONGEST_CHARACTERS else _cut_at_clause(part)


def _cut_at_clause(text: str) -> str:
    head = text[: LONGEST_CHARACTERS - 1]
    match = _LAST_CLAUSE.match(head)
    cut = match[0] if match and len(match[0]) > CLAUSE_CHARACTERS else head.rpartition(" ")[0]
    return (cut or head).rstrip(" ,:;") + "…"


def _can_join(answer: Sentence, words: str) -> bool:
    """Say whether the sentence after a short answer is its reason, and short enough."""
    return len(answer.words) + len(words) < JOINED_CHARACTERS and not is_question(words)


def _needs_context(text: str) -> bool:
    return _is_short(text) or _POINTING.match(text) is not None


def _is_small_talk(text: str) -> bool:
    """Say whether a sentence has no word but grammar and courtesy: "ok, thanks!"."""
    words = _WORD.findall(text.casefold())
    return all(conversation_share(word) >= SMALL_TALK_SHARE for word in words)


def _is_short(text: str) -> bool:
    return len(text.split()) <= SHORT_WORDS and len(text) <= CLAUSE_CHARACTERS // 2


def _one_line(text: str) -> str:
    return _SPACE.sub(" ", text).strip()
