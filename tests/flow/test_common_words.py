"""Large stores: common words cost nothing, and rare ones are found as ever."""

from pathlib import Path

from ai_smartness.adapters.sqlite.full_text import CommonWords
from ai_smartness.adapters.sqlite.open_database import open_database
from ai_smartness.adapters.sqlite.store import SqliteStore
from ai_smartness.adapters.words.common_words import BUDGET_EVENTS
from ai_smartness.adapters.words.tokenizer import Fts5Tokenizer
from ai_smartness.model.search import IndexedWords, SearchScope
from builders import a_thread, an_event

DEMO = SearchScope(project="demo")
EVENTS = BUDGET_EVENTS + 2_000


def a_large_store(path: Path) -> SqliteStore:
    """Return a store where `running` is everywhere, `half` in half, and each number once."""
    store = SqliteStore.open(path)
    store.threads.save(a_thread())
    events = store.events.append(
        [
            an_event(f"m{n}", a_thread(), f"running {'half' if n % 2 else 'other'} number{n}")
            for n in range(EVENTS)
        ],
    )
    store.word_index.add("demo", [IndexedWords(event.seq, event.text, "", "") for event in events])
    store.word_index.refresh_index("demo")
    return store


def test_in_a_large_store_the_commonest_words_are_left_out_when_there_are_rarer_ones(
    tmp_path: Path,
) -> None:
    store = a_large_store(tmp_path / "memory.db")
    database = open_database(tmp_path / "memory.db")
    common = CommonWords(database, Fts5Tokenizer())

    assert common.affordable_terms(1, ["runs", "half", "number7"]) == ["half", "number7"]
    assert common.affordable_terms(1, ["running"]) == ["running"]
    assert common.affordable_terms(1, ["number1", "number2"]) == ["number1", "number2"]
    assert common.affordable_terms(1, ["running/number3"]) == ["running/number3"]
    assert [m.seq for m in store.word_index.match(DEMO, ["running", "number7"], 1)] == [8]
    database.close()
    store.close()


def test_a_query_of_common_words_alone_still_finds_something(tmp_path: Path) -> None:
    store = a_large_store(tmp_path / "memory.db")

    assert len(store.word_index.match(DEMO, ["running", "half", "other"], 5)) == 5
    store.close()
