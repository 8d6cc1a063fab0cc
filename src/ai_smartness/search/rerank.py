"""Rerank matches by their position, and put newer statements above those they supersede.

A user's message counts more than an agent's. A message next to a good match, in a session
with several matches, or of a recent day gains a little. Each shift is small and bounded.

"The limit is 50" and, weeks later, "the limit is 80 now" both match, but only one is true.
A user's message moves right above an older one among the first hits if both speak of the
question in similar words, the more so with another number. Words decide this; vectors of
whole messages cannot. See docs/recall.md for the measurements.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from ai_smartness.model.event import ANSWERING_ROLES
from ai_smartness.model.search import EventPosition, SearchMatch
from ai_smartness.search.word_rarity import WordRarity, stemmed_words

__all__ = ["SUPERSEDING_HITS", "newest_first", "reranked_matches", "seqs_to_compare"]


PERSON_SHARE = 0.2
"""Gain of a user's message. All four were fitted on five sets of conversations together."""

NEIGHBOUR_SHARE = 0.2
"""Gain of a user's message from its better neighbour: an answer names the subject."""

SESSION_SHARE = 0.1  # gain of the messages in the session with the most matches
RECENT_SHARE = 0.1
RECENT_HALF_LIFE_DAYS = 14  # gain of a message of today; half of it two weeks later

_MAX_SCORE = (1 + NEIGHBOUR_SHARE + SESSION_SHARE) * (1 + PERSON_SHARE) * (1 + RECENT_SHARE)


def reranked_matches(
    matches: Sequence[SearchMatch], positions: Mapping[int, EventPosition], now: datetime
) -> list[SearchMatch]:
    """Return matches in their new order, with scores of at most 1."""
    best = max((match.score for match in matches), default=0.0) or 1.0
    scores = {match.seq: match.score / best for match in matches}
    neighbours = _neighbour_scores(scores, positions)
    sessions = _session_scores(scores, positions)
    reranked = []
    for seq, score in scores.items():
        position = positions[seq]
        session_score = sessions[position.project, position.session]
        total = _reranked_score(score, position, neighbours[seq], session_score, now)
        reranked.append(SearchMatch(seq, total / _MAX_SCORE))
    return sorted(reranked, key=lambda match: (-match.score, match.seq))


def _reranked_score(
    score: float, position: EventPosition, neighbour: float, session: float, now: datetime
) -> float:
    total = score + SESSION_SHARE * session
    if position.role.casefold() not in ANSWERING_ROLES:
        total = (total + NEIGHBOUR_SHARE * neighbour) * (1 + PERSON_SHARE)
    # In whole days, so that a question asked twice in a row gets exactly the same answer.
    age_days = max(now - position.at, timedelta(0)).days
    return float(total * (1 + RECENT_SHARE * 0.5 ** (age_days / RECENT_HALF_LIFE_DAYS)))


def _neighbour_scores(
    scores: Mapping[int, float], positions: Mapping[int, EventPosition]
) -> dict[int, float]:
    """Return for each match the better score of its direct neighbours."""
    neighbours: dict[int, float] = dict.fromkeys(scores, 0.0)
    for seq in scores:
        previous = positions[seq].previous
        if previous is not None and previous in scores:
            neighbours[seq] = max(neighbours[seq], scores[previous])
            neighbours[previous] = max(neighbours[previous], scores[seq])
    return neighbours


def _session_scores(
    scores: Mapping[int, float], positions: Mapping[int, EventPosition]
) -> dict[tuple[str, str | None], float]:
    """Return the sum of each session's scores, 1 for the highest."""
    sums: dict[tuple[str, str | None], float] = defaultdict(float)
    for seq, score in scores.items():
        sums[positions[seq].project, positions[seq].session] += score
    most = max(sums.values(), default=0.0) or 1.0
    return {session: total / most for session, total in sums.items()}


SUPERSEDING_HITS = 12  # the first matches among which a newer statement may be
SUPERSEDED_HITS = 3  # the first matches that may be superseded; below them the order matters little
RARITY_MESSAGES = 100
"""Matches among which the rarity of a word is counted."""

MAX_READ_CHARACTERS = 2_000
SPAN_WORDS = 32  # a longer sentence is read in overlapping spans
MIN_SIMILARITY = 0.425
NUMBER_BONUS = 0.15
"""The least similarity of two spans, and the bonus if each has a number the other lacks."""

MIN_SCORE_SHARE = 0.5  # the least share of the older message's score that the newer must have

_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")  # noqa: RUF001 - full width
_DIGIT = re.compile(r"\d")


class _Span(NamedTuple):
    """A sentence, or part of one: its words, those of the question, and their weight."""

    words: frozenset[str]
    query_words: frozenset[str]
    weight: float


def newest_first(
    query: str,
    matches: Sequence[SearchMatch],
    positions: Mapping[int, EventPosition],
    texts: Mapping[int, str],
) -> list[SearchMatch]:
    """Return matches, best first, with newer statements above those they supersede.

    `texts` are those of `seqs_to_compare`. Only the first `SUPERSEDING_HITS` change places.
    """
    if not texts:
        return list(matches)
    head = matches[:SUPERSEDING_HITS]
    pairs = list(_older_newer_pairs(head, positions))
    superseded = _superseded_seqs(query, pairs, positions, texts)
    if not superseded:
        return list(matches)
    scores = {match.seq: match.score for match in head}
    for newer in sorted(superseded):
        scores[newer] = max([scores[newer], *(scores[older] for older in superseded[newer])])
    moved = sorted(scores.items(), key=lambda item: (-item[1], -item[0]))
    return [*(SearchMatch(seq, score) for seq, score in moved), *matches[SUPERSEDING_HITS:]]


def seqs_to_compare(
    matches: Sequence[SearchMatch], positions: Mapping[int, EventPosition]
) -> list[int]:
    """Return the messages whose texts `newest_first` needs; none if nothing can change places."""
    if next(_older_newer_pairs(matches[:SUPERSEDING_HITS], positions), None) is None:
        return []
    return [match.seq for match in matches[:RARITY_MESSAGES]]


def _older_newer_pairs(
    head: Sequence[SearchMatch], positions: Mapping[int, EventPosition]
) -> Iterator[tuple[int, int]]:
    """Yield the older and the newer of two user messages that could change places."""
    by_user = [m for m in head if positions[m.seq].role.casefold() not in ANSWERING_ROLES]
    first = {match.seq for match in head[:SUPERSEDED_HITS]}
    for old in by_user:
        for new in by_user:
            is_later = old.seq in first and old.seq < new.seq
            is_close = MIN_SCORE_SHARE * old.score <= new.score < old.score
            if is_later and is_close and positions[new.seq].previous != old.seq:
                yield old.seq, new.seq


def _superseded_seqs(
    query: str,
    pairs: Sequence[tuple[int, int]],
    positions: Mapping[int, EventPosition],
    texts: Mapping[int, str],
) -> dict[int, list[int]]:
    """Return for each newer message the older ones that it supersedes."""
    query_words = frozenset(stemmed_words(query))
    words_by_seq = {
        seq: list(_word_spans(texts[seq])) for seq in {seq for pair in pairs for seq in pair}
    }
    about = {
        seq
        for seq, of_spans in words_by_seq.items()
        if any(words & query_words for words in of_spans)
    }
    pairs = [pair for pair in pairs if about.issuperset(pair)]
    if not pairs:  # nobody speaks twice of the question
        return {}
    rarity = WordRarity(texts.values())
    total = rarity.total_weight(query_words)
    spans = {
        seq: [
            _Span(words, words & query_words, rarity.total_weight(words))
            for words in words_by_seq[seq]
        ]
        for seq in {seq for pair in pairs for seq in pair}
    }
    superseded: dict[int, list[int]] = {}
    for old, new in pairs:
        similarity, has_new_number = _span_similarity(spans[old], spans[new], total, rarity)
        # Repetition within one session is mostly the conversation going on.
        is_statement = has_new_number or positions[old].session != positions[new].session
        if is_statement and similarity + NUMBER_BONUS * has_new_number >= MIN_SIMILARITY:
            superseded.setdefault(new, []).append(old)
    return superseded


def _span_similarity(
    old: Sequence[_Span], new: Sequence[_Span], total: float, rarity: WordRarity
) -> tuple[float, bool]:
    """Measure how similarly two messages speak of the question; tell if their numbers differ."""
    about = max(
        old,
        key=lambda span: (rarity.total_weight(span.query_words), -len(span.words)),
        default=None,
    )
    if about is None or not about.query_words or not total:
        return 0.0, False
    best, similarity, has_new_number = 0.0, 0.0, False
    for span in new:
        shared = rarity.total_weight(about.query_words & span.query_words) / total
        if not shared:
            continue
        same = 2 * rarity.total_weight(about.words & span.words) / (about.weight + span.weight)
        if same + shared > best:
            best, similarity = same + shared, math.sqrt(same * shared)
            old_only, new_only = about.words - span.words, span.words - about.words
            has_new_number = _has_number(old_only) and _has_number(new_only)
    return similarity, has_new_number


def _word_spans(text: str) -> Iterator[frozenset[str]]:
    for sentence in _SENTENCE.split(text[:MAX_READ_CHARACTERS]):
        words = stemmed_words(sentence)
        for start in range(0, len(words), SPAN_WORDS // 2):
            yield frozenset(words[start : start + SPAN_WORDS])
            if start + SPAN_WORDS >= len(words):
                break


def _has_number(words: Iterable[str]) -> bool:
    return any(_DIGIT.search(word) for word in words)
