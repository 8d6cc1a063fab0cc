"""Find the messages, headings and commits of a thread that name its subject.

The subject comes first in the user's first message, unless that one only points at something
("continue", the address of an issue): then in the agent's first report. A heading names it
without a label like `Plan:`, its verb and its details, the subject of a commit without its type.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from ai_smartness.describe.clause_parts import is_content_word, is_issue_number, is_telling_word
from ai_smartness.describe.noun_phrases import (
    NounPhrase,
    noun_phrases,
    planned_object,
    request_object,
)
from ai_smartness.describe.parse_message import (
    Clause,
    ParsedLine,
    ParsedSentence,
    ThreadLine,
    Word,
    WordCache,
    parsed_words,
)
from ai_smartness.describe.phrase_form import (
    PHRASE_WORDS,
    cut_phrase,
    ends_with_result,
    names_action,
    phrase_length,
)
from ai_smartness.describe.request_words import (
    COMMANDS,
    ERRAND_WORDS,
    ERRANDS,
    LIGHT_ADJECTIVES,
    NARRATION,
    PROCESS_NOUNS,
    RESUMING_WORDS,
    request_verb,
)
from ai_smartness.text.stopwords import GRAMMAR_SHARE, conversation_share

__all__ = [
    "LEAST_SUBJECT_WORDS",
    "SHORT_CANDIDATE_WORDS",
    "chosen_row_line",
    "commit_subjects",
    "first_issue_numbers",
    "first_word",
    "heading_object",
    "is_announced",
    "is_errand",
    "is_full_subject",
    "is_pasted",
    "is_report",
    "issue_subjects",
    "issue_title",
    "main_issue_numbers",
    "names_issue",
    "names_subject",
    "opening_message",
    "searched_lines",
]

FIRST_ANSWERS, LAST_ANSWERS = 6, 2  # of the agent's messages that are searched for a title
FIRST_REPORTS = 2
REPORT_WORDS = 30  # an answer with so many different words is a report
ISSUE_SENTENCES = 2
OPENING_SENTENCES = 6
LEAST_SUBJECT_WORDS = 2
SHORT_CANDIDATE_WORDS = 3  # fewer words rarely name a subject

_PASTED_MARKS = frozenset("|│┌├└➜$")
_SHELL_VARIABLE = re.compile(r"\b[A-Z][A-Z_]{2,30}+=\S")
_LOG_LINE = re.compile(r"\[[\w :.-]{2,30}\]:? |(?:[A-Z][a-z]+)*Error: |error: |fatal: |hint: ")
_SPOKEN = frozenset(
    ("the", "a", "an", "is", "are", "to", "for", "of", "and", "i", "we", "not", "does")
)
_COUNTED = frozenset(("number", "no", "option", "step", "item", "phase", "bullet", "point"))
_CHOICE = re.compile(
    r"\s*(?:(?:ok|okay|yes|yeah|let'?s|do|go|take|pick|start|work|tackle|option|number|no|item|todo|task"
    r"|with|for|on|the|i|would|like|want|to)[ ,.:]+){0,8}+#?(?P<number>[0-9]{1,2})"
    r"(?:\s*$|[.,;!)](?:\s|$)| (?:seems|sounds|looks|is|but|and|please|first|then|now|it)\b)",
    re.IGNORECASE,
)
_ROW = re.compile(
    r"^[ \t]*(?:\|[ *]*(?P<cell_number>[0-9]{1,2})[ *]*\|[ \t]*(?P<cell>[^|\n]{3,200})"
    r"|\**(?P<item_number>[0-9]{1,2})[.)]\**[ \t]+(?P<item>[^\n]{3,200}))",
    re.MULTILINE,
)
_PUNCTUATION = "`*_\"'“”.,;:!?()[]"

SHORT_HEADING_WORDS = 3
SHORT_BRACKETED_WORDS = 4
LEAST_COLON_WORDS = 3  # before a colon that ends a heading

_LABEL = re.compile(r"[\w ]{2,12}:\s+")
_LINK = re.compile(r"\[([^\]\n]{1,100}+)\]\([^)\s]{0,300}+\)")
_ENDING_BRACKETS = re.compile(r" \([^()\n]{0,100}+\)$")
_BRACKETS = re.compile(r" \([^()\n]{0,100}+\)")
_BRACKETED_CODE = re.compile(r" \(`[^()\n]{0,100}+\)")
_HALVES = re.compile(r" [-–—] ")
_HEADING_ENDS = frozenset(("-", "–", "—", "|"))

_COMMIT = re.compile(
    r"\b(?:feat|fix|refactor|perf|docs|test|build|ci|chore)(?:\([^()\n]{1,40}+\))?!?: "
    r"([a-z][^\n`\"”*|\[\]]{9,100}+)"
    r"|\b[Cc]ommit(?:ted)?\b[^\n\"“]{0,40}[\"“*:`] ?([A-Z][^\n`\"”*|\[\]]{9,100}+)"
    r"|`[0-9a-f]{7,10} ([A-Z][^\n`\"”*|\[\]]{9,100}+)`"
)
_TYPE = re.compile(
    r"(?:feat|fix|refactor|perf|docs|test|build|ci|chore)(?:[/:]|\([^()]{1,40}\):) ?"
)
_ISSUE_SUBJECT = re.compile(
    r"#(?P<number>[0-9]{1,7})\b[*_)\]]{0,4}"
    r"(?: ?\(?[\"“](?P<name>[^\"”\n]{5,120}+)[\"”]"
    r"|(?: (?:asks? for|asked for|requests?|requested|reports?|reported|is about|was about|wants"
    r"|proposes?|describes?|adds?|introduces?)|:| [—–-]) (?P<matter>[^\n]{5,200}+))",
)
_ENDS = re.compile(r"\]\(|[,;]| — | – |\. ")


def first_issue_numbers(lines: Sequence[ParsedLine]) -> tuple[str, ...]:
    """List the issues that the user's first message begins with, as numbers."""
    first = next((line for line in lines if not line.by_agent), None)
    sentences = first.sentences[:ISSUE_SENTENCES] if first else ()
    clauses = (clause for sentence in sentences for clause in sentence.clauses)
    return tuple(
        word.written[1:]
        for clause in clauses
        for before, word in pairwise((*clause[:1], *clause))
        if is_issue_number(word) and before.folded not in _COUNTED
    )


def main_issue_numbers(lines: Sequence[ParsedLine]) -> tuple[str, ...]:
    """Return the issue that most messages name if the user opens with nothing but an errand."""
    first = next((line for line in lines if not line.by_agent), None)
    if first is None or not all(map(is_errand, first.sentences)):
        return ()
    numbers = Counter(
        word.written[1:] for line in lines for word in line.words.values() if is_issue_number(word)
    )
    ranked = [(count, number) for number, count in numbers.items() if count > 1]
    most = max(ranked, default=(0, ""))[0]
    return tuple(number for count, number in ranked if count == most)


def chosen_row_line(lines: Sequence[ThreadLine]) -> ThreadLine | None:
    """Return the row of an agent's list that the user's first message chooses, as a heading.

    "3", "option 2" and "5 seems a good one" choose; "40 parcels are missing" does not.
    """
    first = next((at for at, line in enumerate(lines) if not line.by_agent), 0)
    choice = _CHOICE.match(lines[first].text) if first else None
    if choice is None:
        return None
    number = int(choice["number"])
    rows = _ROW.finditer(lines[first - 1].text)
    rows = (row for row in rows if int(row["cell_number"] or row["item_number"]) == number)
    row = next(rows, None)
    text = (row["cell"] or row["item"]).replace("*", "") if row else ""
    return replace(lines[first], text=f"# {text}") if text else None


def searched_lines(lines: Sequence[ParsedLine]) -> Iterator[ParsedLine]:
    """Yield the user's messages, and the agent's first, last and first long ones."""
    answers = [number for number, line in enumerate(lines) if line.by_agent]
    reports = [number for number in answers if is_report(lines[number])]
    last = answers[FIRST_ANSWERS:][-LAST_ANSWERS:]
    searched = {*answers[:FIRST_ANSWERS], *last, *reports[:FIRST_REPORTS]}
    return (line for number, line in enumerate(lines) if not line.by_agent or number in searched)


def is_report(line: ParsedLine) -> bool:
    """Say whether an answer is long enough to be a report."""
    return len(line.words) >= REPORT_WORDS


def opening_message(lines: Sequence[ParsedLine]) -> ParsedLine | None:
    """Find the message that names the subject first.

    It is the user's first one, or else the agent's first long answer to it, about the issue
    that it named if it did so.
    """
    first = next((number for number, line in enumerate(lines) if not line.by_agent), 0)
    numbers = {*first_issue_numbers(lines)}
    is_named = names_subject(lines[first]) if lines else False
    if is_named and not _points_elsewhere(lines[first], numbers):
        return lines[first]
    naming = [line for line in searched_lines(lines[first:]) if names_subject(line)]
    answers = [line for line in naming if line.by_agent]
    reports = [line for line in answers if is_report(line)]
    about_issue = [line for line in reports if names_issue(line.words, numbers)]
    best = about_issue or reports or ([] if numbers else answers) or naming
    return best[0] if best else None


def _points_elsewhere(line: ParsedLine, numbers: Collection[str]) -> bool:
    """Say whether a message is "continue …", or is about an issue that it only names."""
    if line.sentences[0].clauses[0][0].folded in RESUMING_WORDS:
        return True
    about = [
        sentence
        for sentence in line.sentences[:ISSUE_SENTENCES]
        if any(
            names_issue((word.folded for word in clause), numbers) for clause in sentence.clauses
        )
    ]
    return bool(about) and not any(map(_has_subject, about))


def names_issue(words: Iterable[str], numbers: Collection[str]) -> bool:
    """Say whether one of the words is the number of an issue, with or without its `#`."""
    return any(word.lstrip("#") in numbers for word in words)


def names_subject(line: ParsedLine) -> bool:
    """Say whether a message names something; what an agent announces to do does not count."""
    sentences = line.sentences[:OPENING_SENTENCES]
    return any(_has_subject(sentence, by_agent=line.by_agent) for sentence in sentences)


def _has_subject(sentence: ParsedSentence, *, by_agent: bool = False) -> bool:
    names = _names_more_than_errand if _mentions_errand(sentence) else _names_something
    return not is_pasted(sentence) and any(
        names(phrase)
        and not phrase.is_adverbial
        and not (by_agent and (is_announced(phrase) or ends_with_result(phrase.words)))
        for clause in sentence.clauses
        for phrase in noun_phrases(clause)
    )


def _names_something(phrase: NounPhrase) -> bool:
    return _named_words(phrase) >= LEAST_SUBJECT_WORDS


def _names_more_than_errand(phrase: NounPhrase) -> bool:
    """Say whether a phrase names a subject beside the review, the branch or the worker."""
    named = sum(_is_named(word) and word.folded not in ERRAND_WORDS for word in phrase.words)
    return named >= (LEAST_SUBJECT_WORDS if phrase.is_request else SHORT_CANDIDATE_WORDS)


def is_errand(sentence: ParsedSentence) -> bool:
    """Say whether a sentence is only about reviews, branches or workers, and names no subject."""
    return _mentions_errand(sentence) and not _has_subject(sentence)


def _mentions_errand(sentence: ParsedSentence) -> bool:
    return any(word.folded in ERRANDS for clause in sentence.clauses for word in clause)


def _named_words(phrase: NounPhrase) -> int:
    """Count the words of a phrase that name something; a name in code counts twice."""
    return sum([1 + word.is_code for word in phrase.words if _is_named(word)])


def is_full_subject(phrase: NounPhrase) -> bool:
    """Say whether a phrase says enough to be the subject: no mere label like "tiny drama"."""
    is_asked = phrase.is_request or phrase.is_question
    least = LEAST_SUBJECT_WORDS if is_asked else SHORT_CANDIDATE_WORDS
    words = _named_words(phrase) + names_action(phrase.words)
    return words >= least and len(phrase.words) > 1 and not phrase.is_adverbial


def _is_named(word: Word) -> bool:
    is_idle = word.folded in LIGHT_ADJECTIVES or word.folded in PROCESS_NOUNS
    return is_content_word(word) and not is_idle


def is_announced(phrase: NounPhrase) -> bool:
    """Say whether an agent announces something: "let me check", "reading the files"."""
    first = request_verb(phrase.words[0].folded)
    if phrase.words[0].folded in NARRATION:
        return True
    return phrase.is_request or (first is not None and first.form == "ing")


def is_pasted(sentence: ParsedSentence) -> bool:
    """Say whether a sentence was copied from a terminal: a prompt, a command or a line of a log."""
    if sentence.text[0] in _PASTED_MARKS or _LOG_LINE.match(sentence.text):
        return True
    if _SHELL_VARIABLE.search(sentence.text):
        return True
    words = [word for clause in sentence.clauses for word in clause]
    is_command = words[0].folded in COMMANDS and len(words) > 1
    return is_command and not any(word.folded in _SPOKEN for word in words)


def first_word(sentence: ParsedSentence) -> str:
    """Return the word that a sentence begins with, folded and without its punctuation."""
    return sentence.text.split(maxsplit=1)[0].strip(_PUNCTUATION).casefold()


def heading_object(text: str) -> list[Word]:
    """Return what a heading is about."""
    label = _LABEL.match(text)
    text = text[label.end() :] if label else text
    words = _heading_words(text)
    named = planned_object(words) if label else request_object(words)[0]
    named = _without_punctuation(cut_phrase(named))
    if len(named) <= SHORT_HEADING_WORDS:
        named = _with_second_half(named, text)
    return [*named, *_bracketed_words(text, len(named))]


def _with_second_half(named: list[Word], text: str) -> list[Word]:
    """Go on behind the dash of "Depot Search - Show Empty State": the first half says little."""
    halves = _HALVES.split(_BRACKETS.sub("", _LINK.sub(r"\1", text)), maxsplit=1)
    second = _heading_words(halves[1]) if len(halves) > 1 and named else []
    if not any(map(is_telling_word, second)) or second[0].folded in {w.folded for w in named}:
        return named
    verb = request_verb(second[0].folded)
    is_verb = verb is not None and not verb.form and len(second) > 1
    added = _without_punctuation(second[1:] if is_verb else second)
    if len(named) + len(added) <= PHRASE_WORDS:
        return [*named[:-1], named[-1]._replace(written=f"{named[-1].written}:"), *added]
    alone = _without_punctuation(cut_phrase(planned_object(second)))
    return alone if len(alone) >= SHORT_CANDIDATE_WORDS else named


def _bracketed_words(text: str, named_words: int) -> list[Word]:
    """Return the words in brackets that end a heading, if it says little without them."""
    brackets = _ENDING_BRACKETS.search(text)
    words = [_heading_word(piece) for piece in brackets[0].split()] if brackets else []
    fits = (
        named_words < SHORT_BRACKETED_WORDS and named_words + phrase_length(words) <= PHRASE_WORDS
    )
    return words if fits else []


def _heading_words(text: str) -> list[Word]:
    """Return the words of a heading with their punctuation, up to a colon or dash."""
    words: list[Word] = []
    for piece in _BRACKETS.sub("", _LINK.sub(r"\1", text)).split():
        if piece in _HEADING_ENDS or piece[0] == "#":
            if any(map(is_telling_word, words)):
                break
            words = []  # "Analysis: issue #12 — parcel sizes" is about the sizes
            continue
        words.append(_heading_word(piece))
        is_process = words[-1].folded in PROCESS_NOUNS
        if piece[-1] == ":" and (is_process or len(words) >= LEAST_COLON_WORDS):
            words[-1] = words[-1]._replace(written=piece[:-1])
            if not is_process:
                break
            words = []  # "Importer Update: Retries" is about the retries
    return words


def _heading_word(piece: str) -> Word:
    folded = piece.strip(_PUNCTUATION).casefold()
    share = conversation_share(folded)
    is_code = piece[0] in '`#"“'
    is_grammar = not is_code and (share >= GRAMMAR_SHARE or not folded)
    return Word(piece, folded, share, is_code=is_code, is_grammar=is_grammar)


def _without_punctuation(words: list[Word]) -> list[Word]:
    """Remove the mark that ends a heading."""
    if not words:
        return words
    return [*words[:-1], words[-1]._replace(written=words[-1].written.rstrip("?!.,;:"))]


def commit_subjects(line: ParsedLine) -> Iterator[Clause]:
    """Yield what each commit is about that an agent's message names."""
    if not line.by_agent:
        return
    for sentence in line.sentences:
        for match in _COMMIT.finditer(sentence.text):
            subject = _ENDS.split(match[match.lastindex or 0])[0].rstrip(". ")
            words = parsed_words(subject, WordCache())
            about = cut_phrase(planned_object(words))
            if about:
                yield tuple(about)


def issue_subjects(line: ParsedLine, numbers: Collection[str]) -> Iterator[Clause]:
    """Yield what an agent's message says that an issue is about: "#12 asks for an archive"."""
    if not line.by_agent:
        return
    for sentence in line.sentences:
        text = _BRACKETED_CODE.sub("", _LINK.sub(r"\1", sentence.text))
        for match in _ISSUE_SUBJECT.finditer(text) if "#" in text else ():
            if match["number"] in numbers:
                subject = match["name"] or match["matter"]
                subject = _ENDS.split(_TYPE.sub("", subject))[0].replace("*", "").rstrip(". ")
                words = parsed_words(subject, WordCache())
                about = cut_phrase(planned_object(words))
                if about:
                    yield tuple(about)


def issue_title(lines: Sequence[ParsedLine]) -> str:
    """Return the title of a thread that only names an issue: its number, and what is to be done."""
    numbers = first_issue_numbers(lines)
    first = next((line for line in lines if not line.by_agent), None)
    if first is None or len({*numbers}) != 1:
        return ""
    text = " ".join(sentence.text for sentence in first.sentences).casefold()
    is_pull_request = "/pull" in text or "/merge_requests/" in text or "pr" in first.words
    name = f"{'PR' if is_pull_request else 'issue'} #{numbers[0]}"
    if "root cause" in text:
        return f"Root cause of {name}"
    return f"Review of {name}" if "review" in first.words else name[0].upper() + name[1:]
