"""Thousands of small projects do not fill the file with indexes, and rank as large ones do."""

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.adapters.sqlite.migrations import MIGRATIONS
from ai_smartness.adapters.sqlite.small_projects import EVENT_CHARACTERS, MOST_LOADED
from ai_smartness.adapters.sqlite.store import SqliteStore
from ai_smartness.model.search import IndexedWords, SearchMatch, SearchScope
from ai_smartness.ports import ThreadStore
from ai_smartness.text.search_terms import indexed_parts, search_terms
from builders import a_memory, a_thread, an_event, said

TEXTS = st.lists(
    st.sampled_from(["token", "tokens", "src/auth.py", "getUserById", "Zürich", "数据库", "key"])
).map(" ".join)
BEFORE_SMALL_PROJECTS = next(
    step.number - 1 for step in MIGRATIONS if step.description == "small projects"
)


class RollBackError(Exception):
    """Ends a unit."""


def index_names(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as file:
        rows = file.execute("SELECT name FROM sqlite_master WHERE name GLOB 'words_*'").fetchall()
    return sorted(row[0] for row in rows)


def add(store: ThreadStore, project: str, *texts: str) -> None:
    """Store texts in a project and index them."""
    thread = a_thread(f"thread_{project}", project=project)
    store.threads.save(thread)
    first = sum(counts.events for counts in store.project_counts())
    events = store.events.append(
        [an_event(f"m{first + number}", thread, text) for number, text in enumerate(texts)]
    )
    store.word_index.add(
        project,
        [IndexedWords(one.seq, one.text, indexed_parts(one.text), "before") for one in events],
    )


def match(store: ThreadStore, query: str, project: str = "demo") -> list[SearchMatch]:
    return store.word_index.match(SearchScope(project=project), search_terms(query), 20)


def test_the_file_has_no_more_tables_with_many_projects_than_with_one(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with a_memory(path) as memory:
        for number in range(5):
            memory.seen_from(f"/code/p{number}").capture(said(f"rotate key {number}"))

        hits = memory.seen_from("/code/p3").search("rotate", words_only=True)

    assert [hit.text for hit in hits] == ["rotate key 3"]
    assert index_names(path) == []


@given(texts=st.lists(TEXTS, min_size=1, max_size=6), query=TEXTS)
def test_a_small_project_has_exactly_the_scores_of_an_indexed_one(
    texts: list[str], query: str
) -> None:
    with (
        closing(SqliteStore.open(":memory:")) as small,
        closing(SqliteStore.open(":memory:", small_project=0)) as indexed,
    ):
        for store in (small, indexed):
            add(store, "demo", *texts)

        assert match(small, query) == match(indexed, query)
        in_scope = SearchScope(project="demo")
        assert small.word_index.compare_words(
            in_scope, query, "", [1]
        ) == indexed.word_index.compare_words(in_scope, query, "", [1])


def test_a_project_that_outgrows_the_limit_gets_an_index_with_all_it_has(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with closing(SqliteStore.open(path, small_project=3 * EVENT_CHARACTERS)) as store:
        add(store, "demo", "rotate the keys", "rotate the logo")
        assert index_names(path) == []
        before = match(store, "rotate keys")

        add(store, "demo", "nothing of the kind")
        add(store, "demo", "rotate again")

        assert "words_1" in index_names(path)
        assert [one.seq for one in before] == [1, 2]
        assert {one.seq for one in match(store, "rotate keys")} == {1, 2, 4}


def test_more_projects_than_are_in_memory_are_searched_in_turn() -> None:
    names = [f"project-{number}" for number in range(MOST_LOADED + 2)]
    with closing(SqliteStore.open(":memory:")) as store:
        for name in names:
            add(store, name, f"rotate the keys of {name}")

        found = [match(store, name, name) for name in names + names]

    assert [one[0].seq for one in found] == [*range(1, len(names) + 1)] * 2


def test_what_another_process_adds_is_found(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with closing(SqliteStore.open(path)) as mine, closing(SqliteStore.open(path)) as other:
        add(mine, "demo", "rotate the keys")
        assert len(match(mine, "rotate")) == 1

        add(other, "demo", "rotate the logo")

        assert len(match(mine, "rotate")) == 2


def test_what_is_rolled_back_is_not_found(tmp_path: Path) -> None:
    with closing(SqliteStore.open(tmp_path / "memory.db")) as store:
        add(store, "demo", "rotate the keys")

        with suppress(RollBackError), store.unit("demo"):
            add(store, "demo", "rotate the logo")
            assert len(match(store, "rotate")) == 2
            raise RollBackError

        assert len(match(store, "rotate")) == 1


def test_an_older_file_loses_the_indexes_of_its_small_projects_alone(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    long_text = "a long log of the build " * 200
    with closing(SqliteStore.open(path, small_project=0)) as store:
        add(store, "small", "rotate the keys", "rotate the logo")
        add(store, "large", *(f"{long_text} rotate {number}" for number in range(60)))
        before = {name: match(store, "rotate keys", name) for name in ("small", "large")}
    with closing(sqlite3.connect(path)) as file:
        file.execute(f"PRAGMA user_version = {BEFORE_SMALL_PROJECTS}")

    with closing(SqliteStore.open(path)) as store:
        after = {name: match(store, "rotate keys", name) for name in ("small", "large")}
        add(store, "small", "rotate them monthly")
        added = match(store, "rotate", "small")

        assert store.check() == ""
    assert after == before
    assert len(added) == 3
    assert {name.removesuffix("_source") for name in index_names(path)} >= {"words_2"}
    assert not any(name.startswith("words_1") for name in index_names(path))
    (copy,) = tmp_path.glob(f"memory.db.before-*-layout-{BEFORE_SMALL_PROJECTS}")
    assert "words_1" in index_names(copy)
