"""The events of a large project get FTS5's scores, whatever another process does to its index."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_smartness.adapters.sqlite.open_database import open_database
from ai_smartness.adapters.sqlite.store import SqliteStore
from ai_smartness.adapters.sqlite.word_places import REMEMBERED_FROM_EVENTS
from ai_smartness.adapters.sqlite.word_scores import WordScores
from ai_smartness.adapters.words.tokenizer import Fts5Tokenizer
from ai_smartness.model.search import IndexedWords, SearchMatch, SearchScope
from builders import a_thread, an_event

DEMO = SearchScope(project="demo")
INDEX = "words_1"
TERMS = ("token", "store", "token_store", "src/auth/store.py", "Rechnungen", "数据库", "*", "token")
some_words = st.lists(
    st.sampled_from(["token", "tokens", "store", "src/auth/store.py", "Rechnung", "数据库", "x"]),
    min_size=1,
    max_size=200,
).map(" ".join)
some_entry = st.tuples(some_words, some_words, some_words)
a_step = st.one_of(
    st.tuples(st.just("add"), some_entry),
    st.tuples(st.just("index anew"), some_entry),
    st.tuples(st.just("forget"), some_entry),
)


class OtherProcess:
    """Another process that writes to the same file."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store
        self._ids = count()
        self._entries: list[IndexedWords] = []
        store.threads.save(a_thread())
        self.change("add", ("token store", "", ""))

    def change(self, step: str, words: tuple[str, str, str]) -> None:
        """Change the index in one of the ways that it can change."""
        text, parts, context = words
        if step == "add":
            event = an_event(f"m{next(self._ids)}", a_thread(), text)
            (stored,) = self._store.events.append([event])
            self._entries.append(IndexedWords(stored.seq, text, parts, context))
            self._store.word_index.add("demo", self._entries[-1:])
        elif step == "index anew":
            first, *others = self._entries
            self._entries = [IndexedWords(first.seq, first.text, parts, context), *others]
            self._store.word_index.clear("demo")
            self._store.word_index.add("demo", self._entries)
        elif len(self._entries) > 1:
            self._store.erasure.remove_words([self._entries.pop().seq])


@given(
    st.lists(a_step, max_size=8),
    st.lists(st.sampled_from(TERMS), min_size=1),
    st.sampled_from([1, 3, REMEMBERED_FROM_EVENTS]),
)
@settings(max_examples=30)
def test_scores_are_those_of_fts5_after_any_change_by_another_process(
    steps: Sequence[tuple[str, tuple[str, str, str]]], terms: Sequence[str], remembered_from: int
) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        with (
            closing(SqliteStore.open(path, small_project=0)) as store,
            closing(open_database(path)) as database,
        ):
            other = OtherProcess(store)
            scores = WordScores(database, Fts5Tokenizer(), remembered_from)
            for step in [None, *steps]:
                if step is not None:
                    other.change(*step)

                matches = scores.best_matches(INDEX, terms, 100)

                assert pairs(matches) == pytest.approx(pairs(fts5_matches(path, terms)))


def pairs(matches: Sequence[SearchMatch]) -> list[float]:
    """Return matches as plain numbers, in the order of their events."""
    by_seq = sorted(matches, key=lambda match: match.seq)
    return [number for match in by_seq for number in (match.seq, match.score)]


def fts5_matches(path: Path, terms: Sequence[str]) -> list[SearchMatch]:
    """Return what a process finds that has never searched: it has FTS5 score the events."""
    with closing(SqliteStore.open(path, small_project=0)) as fresh:
        return fresh.word_index.match(DEMO, terms, 100)


@pytest.fixture
def large(tmp_path: Path) -> Iterator[tuple[SqliteStore, SqliteStore]]:
    """Return two stores of one large project, in which many events score alike."""
    path = tmp_path / "memory.db"
    with closing(SqliteStore.open(path)) as store, closing(SqliteStore.open(path)) as other:
        store.threads.save(a_thread())
        texts = [f"{'token ' * (n % 7)}store number{n % 900}" for n in range(16_000)]
        events = store.events.append(
            [an_event(f"m{n}", a_thread(), text) for n, text in enumerate(texts)]
        )
        entries = [IndexedWords(event.seq, event.text, "", "") for event in events]
        store.word_index.add("demo", entries)
        store.word_index.refresh_index("demo")
        yield store, other


def test_a_second_search_of_a_large_project_finds_what_the_first_one_does(
    large: tuple[SqliteStore, SqliteStore],
) -> None:
    store, other = large
    first = store.word_index.match(DEMO, ["token", "number8"], 30)

    again = store.word_index.match(DEMO, ["token", "number8"], 30)

    assert [match.seq for match in again] == [match.seq for match in first]
    (event,) = other.events.append([an_event("new", a_thread(), "number8 token " * 4)])
    other.word_index.add("demo", [IndexedWords(event.seq, event.text, "", "")])
    assert store.word_index.match(DEMO, ["token", "number8"], 30)[0].seq == event.seq
