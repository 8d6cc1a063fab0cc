"""Full-text search over posting blocks, with the words and the scores of SQLite's index.

Each project has its own postings: a search reads no other project's words, and the rarity of a
word does not depend on other projects.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby, islice
from typing import TYPE_CHECKING

from ai_smartness.adapters.postgres.postgres_database import PostgresDatabase
from ai_smartness.adapters.postgres.query import column_batches, rows_of_arrays
from ai_smartness.adapters.tables.rows import to_microseconds
from ai_smartness.adapters.tables.sql_database import ProjectIds, Row, Value
from ai_smartness.adapters.words.bm25 import EventTokens
from ai_smartness.adapters.words.common_words import (
    COMMON_SHARE,
    affordable_terms,
    is_survey_due,
)
from ai_smartness.adapters.words.tokenizer import Fts5Tokenizer
from ai_smartness.model.search import IndexedWords, QueryWords, SearchMatch, SearchScope

if TYPE_CHECKING:
    from ai_smartness.adapters.postgres.block_reads import TermParts
    from ai_smartness.adapters.postgres.posting_blocks import CollectionSize, Postings, ScoredSeqs

__all__ = ["PostgresWordIndex"]

READ_CHARACTERS = 8_000

_BLOCK_EVENTS = 4_096  # of one term, in a block that is joined no more
_BATCH_EVENTS = 200  # whose words are added with one statement
_JOINED_EVENTS = 64  # that a process has added before it looks for blocks to join
_MIN_JOINED_BLOCKS = 16  # a term with fewer is left as it is
_JOINED_TERMS = 200  # in one transaction

# The first line of the parts; the second has the runs of letters, which are no words.
_PARTS_OF_NAMES = "split_part(w.parts, chr(10), 1)"


_BLOCKS = "posting_blocks (project_id, term, first_seq, events, postings, positions)"
_BLOCK_TYPES = ("integer", "text", "bigint", "integer", "bytea", "bytea")

# An event that the index has already is left as it is.
_ADD_WORDS = (
    "WITH fresh AS (INSERT INTO event_words (seq, parts, context, words) "
    f"{rows_of_arrays(('bigint', 'text', 'text', 'bigint'))} "
    "ON CONFLICT DO NOTHING RETURNING seq, words), "
    f"given_blocks AS ({rows_of_arrays(_BLOCK_TYPES)}), "
    f"added AS (INSERT INTO {_BLOCKS} SELECT b.* FROM given_blocks b "
    "JOIN fresh ON fresh.seq = b.c2) "
    "UPDATE projects SET indexed = indexed + (SELECT count(*) FROM fresh), "
    "indexed_words = indexed_words + (SELECT coalesce(sum(words), 0) FROM fresh) WHERE id = ?"
)


class PostgresWordIndex:
    """Fulfils the port `WordIndex`."""

    def __init__(self, database: PostgresDatabase, projects: ProjectIds) -> None:
        self._database = database
        self._projects = projects
        self._tokenizer = Fts5Tokenizer()
        self._unjoined: dict[int, int] = {}

    def add(self, project: str, words: Iterable[IndexedWords]) -> None:
        from ai_smartness.adapters.postgres.posting_blocks import event_blocks

        with self._database.unit():
            project_id = self._projects.ensure_id(project)
            entries = iter({entry.seq: entry for entry in words}.values())
            while batch := list(islice(entries, _BATCH_EVENTS)):
                texts = [text for one in batch for text in (one.text, one.parts, one.context)]
                tokens = iter(self._tokenizer.tokens_of(texts))
                events = [EventTokens(next(tokens), next(tokens), next(tokens)) for _ in batch]
                both = list(zip(batch, events, strict=True))
                blocks = (
                    (project_id, key, entry.seq, 1, postings, positions)
                    for entry, event in both
                    for key, postings, positions in event_blocks(entry.seq, event)
                )
                rows = [(one.seq, one.parts, one.context, event.length) for one, event in both]
                self._database.run(
                    _ADD_WORDS, (*_columns(rows, 4), *_columns(blocks, 6), project_id)
                )
                if project_id in self._unjoined:
                    self._unjoined[project_id] += len(batch)

    def _insert_blocks(self, rows: Iterable[Row]) -> None:
        for columns in column_batches(rows):
            self._database.run(f"INSERT INTO {_BLOCKS} {rows_of_arrays(_BLOCK_TYPES)}", columns)

    def _count(self, project_id: int, events: int, words: int) -> None:
        self._database.run(
            "UPDATE projects SET indexed = indexed + ?, indexed_words = indexed_words + ? "
            "WHERE id = ?",
            (events, words, project_id),
        )

    def clear(self, project: str) -> None:
        project_id = self._projects.find_id(project)
        with self._database.unit():
            self._database.run("DELETE FROM posting_blocks WHERE project_id = ?", (project_id,))
            self._database.run(
                "DELETE FROM event_words w USING events e WHERE e.seq = w.seq AND e.project_id = ?",
                (project_id,),
            )
            self._database.run(
                "UPDATE projects SET indexed = 0, indexed_words = 0 WHERE id = ?", (project_id,)
            )

    def remove(self, seqs: Collection[int]) -> None:
        """Remove events from the blocks of their words."""
        rows = self._database.all_in(
            "SELECT e.project_id, e.seq, e.text, w.parts, w.context, w.words FROM event_words w "
            "JOIN events e ON e.seq = w.seq WHERE w.seq IN ({}) ORDER BY e.project_id",
            seqs,
        )
        for project_id, group in groupby(rows, key=lambda row: row[0]):
            leaving = list(group)
            texts = [text for row in leaving for text in row[2:5]]
            terms = set[str]().union(*self._tokenizer.tokens_of(texts))
            self._remove_from_blocks(project_id, [row[1] for row in leaving], terms)
            self._count(project_id, -len(leaving), -sum(row[5] for row in leaving))
        self._database.all_in(
            "DELETE FROM event_words WHERE seq IN ({}) RETURNING seq", [row[1] for row in rows]
        )

    def _remove_from_blocks(self, project_id: int, seqs: Sequence[int], terms: set[str]) -> None:
        import numpy as np

        from ai_smartness.adapters.postgres.posting_blocks import Postings, index_key

        gone = np.array(seqs, np.int64)
        blocks = self._database.all_in(
            "SELECT term, first_seq, postings, positions FROM posting_blocks "
            "WHERE project_id = ? AND term IN ({})",
            sorted(map(index_key, terms)),
            (project_id,),
        )
        for term, first_seq, packed, positions in blocks:
            block = Postings.of_block(packed, positions)
            left = block.without(gone)
            if len(left) == len(block):
                continue
            key = (project_id, term, first_seq)
            if len(left):
                self._database.run(
                    "UPDATE posting_blocks SET first_seq = ?, events = ?, postings = ?, "
                    "positions = ? WHERE project_id = ? AND term = ? AND first_seq = ?",
                    # A block is known by an event that it has: another may come back alone.
                    (int(left.seqs[0]), len(left), *left.packed(), *key),
                )
            else:
                self._database.run(
                    "DELETE FROM posting_blocks "
                    "WHERE project_id = ? AND term = ? AND first_seq = ?",
                    key,
                )

    def indexed_seqs(self, words: Sequence[str]) -> Iterator[tuple[str, list[int]]]:
        """Yield the events that the blocks have under each word, in any project."""
        from ai_smartness.adapters.postgres.posting_blocks import Postings, index_key

        for word, stems in zip(words, self._tokenizer.tokens_of(list(words)), strict=True):
            rows = self._database.all_in(
                "SELECT postings, positions FROM posting_blocks WHERE term IN ({})",
                {index_key(stem) for stem in stems},
            )
            if rows:
                yield (
                    word,
                    sorted({seq for row in rows for seq in Postings.of_block(*row).seqs.tolist()}),
                )

    def match(self, scope: SearchScope, terms: Sequence[str], limit: int) -> list[SearchMatch]:
        by_project = self._database.read_together(
            *(
                partial(self._matches_in_project, project, scope, terms, limit)
                for project in scope.projects
            )
        )
        matches: list[SearchMatch] = [match for found in by_project for match in found]
        return sorted(matches, key=lambda match: (-match.score, match.seq))[:limit]

    def _matches_in_project(
        self, project: str, scope: SearchScope, terms: Sequence[str], limit: int
    ) -> list[SearchMatch]:
        from ai_smartness.adapters.postgres.block_reads import read_blocks, read_rare_blocks
        from ai_smartness.adapters.postgres.posting_blocks import index_key, scored_events

        project_id = self._projects.find_id(project)
        if project_id is None or not terms:
            return []
        words_of_terms = self._tokenizer.words_of(terms)
        phrases = [words for words in self._tokenizer.tokens_of(terms) if words]
        (surveyed, events, size), shares, blocks = self._database.read_together(
            partial(self._sizes, project_id),
            partial(self._shares, project_id, frozenset[str]().union(*words_of_terms)),
            partial(read_rare_blocks, self._database, project_id, *_keys(phrases)),
        )
        if surveyed:
            terms = affordable_terms(terms, words_of_terms, shares, events)
            phrases = [words for words in self._tokenizer.tokens_of(terms) if words]
            keys, placed = _keys(phrases)
            blocks |= read_blocks(
                self._database, project_id, keys & set(map(index_key, shares)), placed
            )
        found = scored_events(_phrase_postings(phrases, blocks), size)
        return self._best_in_scope(project_id, scope, found, limit)

    def _best_in_scope(
        self, project_id: int, scope: SearchScope, found: "ScoredSeqs", limit: int
    ) -> list[SearchMatch]:
        import numpy as np

        seqs, scores = found
        if scope.session is not None or scope.before is not None:
            seen = self._seqs_in_scope(project_id, scope, seqs.tolist())
            inside = np.isin(seqs, np.array(seen, np.int64))
            seqs, scores = seqs[inside], scores[inside]
        if len(seqs) > limit:
            # Everything that ties with the last place stays in for the order below.
            reaching = scores >= np.partition(scores, -limit)[-limit]
            seqs, scores = seqs[reaching], scores[reaching]
        best = np.lexsort((seqs, -scores))[:limit]
        pairs = zip(seqs[best].tolist(), scores[best].tolist(), strict=True)
        return [SearchMatch(seq, score) for seq, score in pairs]

    def _seqs_in_scope(self, project_id: int, scope: SearchScope, seqs: Sequence[int]) -> list[int]:
        conditions, values = "", list[Value]()
        if scope.session is not None:
            conditions, values = " AND session = ?", [scope.session]
        if scope.before is not None:
            conditions, values = (
                conditions + " AND at < ?",
                [*values, to_microseconds(scope.before)],
            )
        rows = self._database.all_in(
            f"SELECT seq FROM events WHERE project_id = ?{conditions} AND seq IN ({{}})",
            seqs,
            (project_id, *values),
        )
        return [row[0] for row in rows]

    def _sizes(self, project_id: int) -> "tuple[int, int, CollectionSize]":
        """Return how many events were surveyed, how many there are, and the index's size."""
        from ai_smartness.adapters.postgres.posting_blocks import CollectionSize

        row = self._database.first_row(
            "SELECT surveyed, events, indexed, indexed_words FROM projects WHERE id = ?",
            (project_id,),
        )
        surveyed, events, *size = row or (0, 0, 0, 0)
        return surveyed, events, CollectionSize(*size)

    def _shares(self, project_id: int, words: Iterable[str]) -> dict[str, float]:
        from ai_smartness.adapters.postgres.posting_blocks import index_key

        by_key = {index_key(word): word for word in words}
        rows = self._database.all_in(
            "SELECT word, share FROM common_words WHERE project_id = ? AND word IN ({})",
            by_key,
            (project_id,),
        )
        return {by_key[key]: share for key, share in rows}

    def compare_words(
        self, scope: SearchScope, question: str, recent_text: str, seqs: Sequence[int]
    ) -> QueryWords:
        wanted = self._tokenizer.words_of([question])[0]
        texts, *counted = self._database.read_together(
            partial(self._texts_by_seq, seqs),
            *(partial(self._event_counts, name, wanted) for name in dict.fromkeys(scope.projects)),
        )
        said, *held = self._tokenizer.words_among([recent_text, *texts.values()], wanted)
        events, counts = 0, dict.fromkeys(wanted, 0)
        for known, in_project in counted:
            events += known
            for word, count in in_project.items():
                counts[word] += count
        return QueryWords(
            events=events,
            spread=counts,
            said=said,
            held=dict(zip(texts, held, strict=True)),
        )

    def _texts_by_seq(self, seqs: Sequence[int]) -> dict[int, str]:
        rows = self._database.all_in(
            f"SELECT e.seq, substr(e.text, 1, {READ_CHARACTERS}), "
            f"substr({_PARTS_OF_NAMES}, 1, {READ_CHARACTERS}), w.context FROM events e "
            "JOIN event_words w ON w.seq = e.seq WHERE e.seq IN ({}) ORDER BY e.seq",
            seqs,
        )
        return {row[0]: "\n".join(row[1:]) for row in rows}

    def _event_counts(self, project: str, words: Collection[str]) -> tuple[int, Mapping[str, int]]:
        """Count the events with each word; the common words of a large project are estimated."""
        project_id = self._projects.find_id(project)
        if project_id is None:
            return 0, {}
        (_, events, _), shares, counts = self._database.read_together(
            partial(self._sizes, project_id),
            partial(self._shares, project_id, words),
            partial(self._indexed_counts, project_id, words),
        )
        counts |= {word: round(share * events) for word, share in shares.items()}
        return events, {word: min(count, events) for word, count in counts.items()}

    def _indexed_counts(self, project_id: int, words: Collection[str]) -> dict[str, int]:
        """Count the events with each word; those with a common one are known by their share."""
        from ai_smartness.adapters.postgres.block_reads import RARE_TERMS
        from ai_smartness.adapters.postgres.posting_blocks import index_key

        by_key = {index_key(word): word for word in words}
        rows = self._database.all(
            "SELECT term, sum(events)::bigint FROM posting_blocks "
            f"WHERE project_id = ? AND term = ANY({RARE_TERMS}) GROUP BY term",
            (project_id, list[Value](by_key), project_id),
        )
        return {by_key[key]: count for key, count in rows}

    def refresh_index(self, project: str) -> None:
        """Join small blocks, and note the common words if the project has doubled.

        It is not looked at after every message: this process has to have added some.
        """
        project_id = self._projects.find_id(project)
        if project_id is None:
            return
        if self._unjoined.get(project_id, _JOINED_EVENTS) < _JOINED_EVENTS:
            return
        self._unjoined[project_id] = 0
        self._join_blocks(project, project_id)
        surveyed, events, _ = self._sizes(project_id)
        if is_survey_due(events, surveyed):
            self._update_shares(project_id, events)

    def _join_blocks(self, project: str, project_id: int) -> None:
        while True:
            with self._database.unit():
                self._database.lock_projects([project])
                rows = self._database.all(
                    "SELECT term FROM posting_blocks WHERE project_id = ? AND events < ? "
                    "GROUP BY term HAVING count(*) >= ? LIMIT ?",
                    (project_id, _BLOCK_EVENTS, _MIN_JOINED_BLOCKS, _JOINED_TERMS),
                )
                if not rows:
                    return
                self._join_terms(project_id, [row[0] for row in rows])

    def _join_terms(self, project_id: int, terms: Sequence[str]) -> None:
        rows = self._database.all_in(
            "DELETE FROM posting_blocks WHERE project_id = ? AND term IN ({}) "
            f"AND events < {_BLOCK_EVENTS} RETURNING term, first_seq, events, postings, positions",
            terms,
            (project_id,),
        )
        rows.sort(key=lambda row: (row[0], row[1]))
        joined = list[Row]()
        for term, group in groupby(rows, key=lambda row: row[0]):
            parts, events = list[Row](), 0
            for row in group:
                parts.append(row)
                events += row[2]
                if events >= _BLOCK_EVENTS:
                    joined.append(_joined_block(project_id, term, parts))
                    parts, events = [], 0
            if parts:
                joined.append(_joined_block(project_id, term, parts))
        self._insert_blocks(joined)

    def _update_shares(self, project_id: int, events: int) -> None:
        with self._database.unit():
            self._database.run("DELETE FROM common_words WHERE project_id = ?", (project_id,))
            self._database.run(
                "INSERT INTO common_words (project_id, word, share) "
                "SELECT project_id, term, sum(events) / ?::double precision FROM posting_blocks "
                "WHERE project_id = ? GROUP BY project_id, term HAVING sum(events) >= ?",
                (events, project_id, COMMON_SHARE * events),
            )
            self._database.run(
                "UPDATE projects SET surveyed = ? WHERE id = ?", (events, project_id)
            )

    def close(self) -> None:
        """Close the tokenizer."""
        self._tokenizer.close()


def _keys(phrases: Sequence[Sequence[str]]) -> tuple[set[str], set[str]]:
    """Return the keys of all words, and of those whose positions a phrase needs."""
    from ai_smartness.adapters.postgres.posting_blocks import index_key

    keys = {index_key(word) for words in phrases for word in words}
    return keys, {index_key(word) for words in phrases if len(words) > 1 for word in words}


def _phrase_postings(phrases: Sequence[Sequence[str]], parts: "TermParts") -> "list[Postings]":
    """Return where each phrase occurs."""
    from ai_smartness.adapters.postgres.posting_blocks import Postings, index_key, phrase_postings

    def postings_of(words: Sequence[str]) -> Postings:
        terms = [parts.get(index_key(word), []) for word in words]
        return Postings.of_parts(terms[0]) if len(terms) == 1 else phrase_postings(terms)

    return [postings_of(words) for words in phrases]


def _columns(rows: Iterable[Row], count: int) -> list[list[Value]]:
    return [list(column) for column in zip(*rows, strict=True)] or [[] for _ in range(count)]


def _joined_block(project_id: int, term: str, parts: Sequence[Row]) -> Row:
    return (
        project_id,
        term,
        parts[0][1],
        sum(row[2] for row in parts),
        b"".join(row[3] for row in parts),
        b"".join(row[4] for row in parts),
    )
