"""Find the sentences that answer a query: those of the hits, and the statements near to it.

A question leads to its answer, and what was superseded stands only below what holds now.
"""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from ai_smartness.model.search import Hit, RecalledLine
from ai_smartness.model.statement import Statement
from ai_smartness.ports import Embedder, ThreadStore
from ai_smartness.search.answer_lines import (
    answer_lines,
    is_answer,
    is_candidate,
    is_repetition,
)
from ai_smartness.search.current_lines import current_lines
from ai_smartness.search.later_lines import COMPARED_LINES, with_later_lines
from ai_smartness.search.query_parts import query_parts
from ai_smartness.search.rank import hit_from_event
from ai_smartness.search.rejected_sentences import rejected_hashes, without_rejected
from ai_smartness.search.statement_matches import StatementMatch, statement_matches
from ai_smartness.search.whole_lines import whole_lines
from ai_smartness.search.wording import answered_wording
from ai_smartness.text.display import short_date
from ai_smartness.text.keywords import shortened_addresses
from ai_smartness.text.stretches import ends_with_question

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ai_smartness.search.line_ranking import LineRanker

__all__ = [
    "AnswerReads",
    "AnsweringLines",
    "FurtherReads",
    "answer_material",
    "answering_lines",
    "has_old_text",
    "line_vectors",
    "passage_hits",
    "without_old_text",
]

OLD_TEXT_MARK = " (until "  # behind it, a line has what it superseded
_OLD_TEXT = re.compile(r" \((?:until|on) [^:()]{1,20}: ")
FOLLOWED_HITS = 20  # the first hits whose questions lead to their answers
FOLLOWING_EVENTS = 6  # messages after a question among which its answer is looked for

NEAREST_STATEMENTS = 20  # by meaning, beside those of the hits

FurtherReads: TypeAlias = Callable[[list[int], list[str]], Iterable[Callable[[], object]]]
"""Takes the messages that may answer and their threads, and yields what the caller will read about
them, so that it can be read together with the rest."""


def no_further_reads(_seqs: list[int], _thread_ids: list[str]) -> Iterable[Callable[[], object]]:
    """Read nothing else."""
    return ()


@dataclass(frozen=True, slots=True)
class AnswerReads:
    """What is read for an answer beside the hits: so many of the nearest statements, and more.

    Of the messages `in_sight`, of which the reader has a part, only what is new is quoted.
    """

    further: FurtherReads = no_further_reads
    statements: int = NEAREST_STATEMENTS
    in_sight: Container[int] = ()


USUAL_READS = AnswerReads()


@dataclass(frozen=True, slots=True)
class AnsweringLines:
    """The sentences that answer a query, the best first, and all messages they stand in."""

    lines: tuple[RecalledLine, ...]
    hits: tuple[Hit, ...]


def answering_lines(
    store: ThreadStore,
    embedder: Embedder | None,
    projects: Sequence[str],
    query: str,
    hits: Sequence[Hit],
    reads: AnswerReads = USUAL_READS,
) -> AnsweringLines:
    """Return the sentences that answer a query, with what holds now."""
    query = answered_wording(query, hits)
    ranker = _line_ranker(embedder, shortened_addresses(query))
    material = answer_material(store, embedder, projects, query, hits, reads)
    candidates, answers, matches = material
    best = answer_lines(query, *material, partial(ranker.scores, store) if ranker else None)
    quoted = {match.statement.id: match.statement for of in matches.values() for match in of}
    outdated = [one for one in quoted.values() if one.superseded_by]
    known = {one.id for one in outdated}
    best = with_later_lines(best, line_vectors(store, embedder, best), known)
    lines = current_lines(store, best, quoted)
    holding = _unsearched_hits(store, candidates, [line.seq for line in lines])
    told = (*candidates, *answers.values(), *holding)
    unseen = (hit for hit in told if hit.seq not in reads.in_sight)
    return AnsweringLines(whole_lines(lines, unseen, outdated), told)


def answer_material(
    store: ThreadStore,
    embedder: Embedder | None,
    projects: Sequence[str],
    query: str,
    hits: Sequence[Hit],
    reads: AnswerReads = USUAL_READS,
) -> tuple[list[Hit], dict[int, Hit], dict[int, list[StatementMatch]]]:
    """Return the messages that may answer, what followed their questions, and statements.

    What will be asked about them next is loaded at the same time, if the store remembers it.
    """
    rejected = rejected_hashes(store, projects)
    candidates = [hit for hit in without_rejected(hits, rejected) if is_candidate(hit, query)]
    answers = {
        seq: quotable
        for seq, answer in _following_answers(store, query, candidates).items()
        for quotable in without_rejected([answer], rejected)
    }
    told = shortened_addresses(query)
    queries = [told, *query_parts(told)]
    own = [*candidates, *answers.values()]
    matches = statement_matches(store, embedder, projects, queries, own, reads.statements)
    statements = [match.statement for of in matches.values() for match in of]
    sources: list[Hit | Statement] = [*own, *statements]
    threads = sorted({source.thread_id for source in sources})
    store.read_together(
        partial(store.events.by_seq, sorted(matches.keys() - {hit.seq for hit in candidates})),
        partial(store.threads.by_id, threads),
        *_later_statement_reads(store, statements),
        *reads.further(sorted({source.seq for source in sources}), threads),
        *(_vector_reads(store, embedder.space, projects, own, statements) if embedder else ()),
    )
    candidates += without_rejected(_unsearched_hits(store, candidates, matches), rejected)
    return candidates, answers, matches


def _later_statement_reads(
    store: ThreadStore, statements: Sequence[Statement]
) -> Iterator[Callable[[], object]]:
    """Yield the reads of what may have superseded statements."""
    for project in sorted({statement.project for statement in statements}):
        here = [statement for statement in statements if statement.project == project]
        yield partial(store.statements.possible_changes, project, [one.id for one in here])
        later = [one.superseded_by for one in here if one.superseded_by]
        yield partial(store.statements.by_id, project, later)


def _vector_reads(
    store: ThreadStore,
    space: str,
    projects: Sequence[str],
    hits: Sequence[Hit],
    statements: Sequence[Statement],
) -> Iterator[Callable[[], object]]:
    """Yield the reads of the vectors by which lines are ranked, and compared with others."""
    seqs = sorted({hit.seq for hit in hits} | {statement.seq for statement in statements})
    yield partial(store.statements.line_vectors, space, seqs)
    seen = {hit.project for hit in hits} | set(projects)
    yield from (
        partial(store.vector_index.event_centres, project, space, seqs) for project in sorted(seen)
    )


def line_vectors(
    store: ThreadStore, embedder: Embedder | None, lines: Sequence[RecalledLine]
) -> "dict[tuple[int, int], NDArray[np.float32]]":
    """Return the vectors of the first lines, by message and place."""
    if embedder is None:
        return {}
    first = lines[:COMPARED_LINES]
    stored = store.statements.line_vectors(embedder.space, {line.seq for line in first})
    return {
        (line.seq, line.place): stored[line.seq][line.place]
        for line in first
        if line.seq in stored and 0 <= line.place < len(stored[line.seq])
    }


def _line_ranker(embedder: Embedder | None, query: str) -> "LineRanker | None":
    """Return what ranks the lines; nothing without a model for which it was fitted."""
    if embedder is None:
        return None
    from ai_smartness.search.line_ranking import line_ranker

    return line_ranker(query, embedder)


def passage_hits(answering: AnsweringLines, now: datetime) -> list[Hit]:
    """Return the sentences as hits, each with what it superseded behind it."""
    by_seq = {hit.seq: hit for hit in reversed(answering.hits)}
    return [
        replace(
            by_seq[line.seq],
            text=_with_old_text(line, now),
            score=line.score,
            # What was found is the older line: the newer one may not have a word of the query.
            relevance=max(by_seq[one.seq].relevance for one in (line, *line.superseded)),
        )
        for line in answering.lines
    ]


def _with_old_text(line: RecalledLine, now: datetime) -> str:
    older = (
        f"{OLD_TEXT_MARK}{short_date(old.until, now)}: {old.text})"
        if old.until
        else f" (on {short_date(old.at, now)}: {old.text})"
        for old in line.superseded
        # It would stand in the line of somebody else, without its own source beside it.
        if old.origin == line.origin
    )
    return line.text + "".join(older)


def has_old_text(text: str) -> bool:
    """Say whether a passage has an older line behind it, which it superseded or may have."""
    return _OLD_TEXT.search(text) is not None


def without_old_text(text: str) -> str:
    """Return the text of a passage as far as it says what holds now."""
    return text.partition(OLD_TEXT_MARK)[0]


def _unsearched_hits(store: ThreadStore, hits: Sequence[Hit], seqs: Iterable[int]) -> list[Hit]:
    """Return those of the messages that the search did not return, without a score."""
    missing = set(seqs) - {hit.seq for hit in hits}
    events = store.events.by_seq(sorted(missing)) if missing else {}
    return [hit_from_event(event, 0.0, None, 0.0) for event in events.values()]


def _following_answers(store: ThreadStore, query: str, hits: Sequence[Hit]) -> dict[int, Hit]:
    """Find for messages that ask something, or repeat the query, the message that answered."""
    asking = [
        hit
        for hit in hits[:FOLLOWED_HITS]
        if ends_with_question(hit.text) or is_repetition(hit, query)
    ]
    following = store.read_together(
        *(partial(store.events.after_seq, hit.project, hit.seq, FOLLOWING_EVENTS) for hit in asking)
    )
    answers: dict[int, Hit] = {}
    for hit, events in zip(asking, following, strict=True):
        same_session = (hit_from_event(e) for e in events if e.session == hit.session)
        answer = next(filter(is_answer, same_session), None)
        if answer is not None:
            answers[hit.seq] = replace(answer, score=hit.score, relevance=hit.relevance)
    return answers
