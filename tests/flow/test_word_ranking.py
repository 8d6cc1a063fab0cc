"""Both engines rank made-up texts alike by words: phrases, identifiers, several languages."""

import random
from contextlib import closing

import pytest

from ai_smartness.adapters.postgres.postgres_store import PostgresStore
from ai_smartness.adapters.sqlite.store import SqliteStore
from ai_smartness.model.search import IndexedWords, SearchScope
from ai_smartness.ports import ThreadStore
from ai_smartness.text.search_terms import indexed_parts, search_terms
from builders import a_thread, an_event
from engines import POSTGRES, TEMPORARY

TEXTS = 400
QUERIES = 150
SAID_WORDS = (
    "deploy key rotation jwt refresh token middleware src/auth/middleware.py getUserById "
    "token_store.py x86_64 don't café naïve Zürich Rechnungen bezahlt 数据库连接池 连接池 "
    "база данных billing service ingest worker Friday restart retry timeout PostgreSQL pgvector "
    "the a of is and to in it we should never always use because v2.3.1 #4711 "
    "https://example.com/a/b?c=d snake_case camelCase HTTPServer utf-8 C++ e-mail हिन्दी भाषा தமிழ்"
)
VOCABULARY = SAID_WORDS.split()


def made_up_text(chance: random.Random, words: int) -> str:
    # Common words are said more often, as people do.
    weights = [1 / (place + 3) for place in range(len(VOCABULARY))]
    return " ".join(chance.choices(VOCABULARY, weights, k=words))


def filled(store: ThreadStore, texts: list[str]) -> None:
    store.threads.save(a_thread())
    events = store.events.append(
        [an_event(f"m{number}", a_thread(), text) for number, text in enumerate(texts)]
    )
    store.word_index.add(
        "demo",
        [
            IndexedWords(event.seq, event.text, indexed_parts(event.text), before)
            for event, before in zip(events, ["", *texts], strict=False)
        ],
    )


def test_the_first_ten_by_words_are_the_same_with_the_same_scores() -> None:
    if reason := POSTGRES.missing():
        pytest.skip(f"{POSTGRES.name} is needed and cannot be had: {reason}")
    chance = random.Random(7)  # noqa: S311 - made-up texts need a seed, not a secret
    texts = [made_up_text(chance, chance.randint(0, 60)) for _ in range(TEXTS)]
    queries = [made_up_text(chance, chance.randint(1, 9)) for _ in range(QUERIES)]
    scope = SearchScope(project="demo")
    with (
        closing(SqliteStore.open(":memory:")) as file,
        closing(PostgresStore.open(POSTGRES.url(TEMPORARY))) as server,
    ):
        for store in (file, server):
            filled(store, texts)

        for query in queries:
            terms = search_terms(query)
            expected = file.word_index.match(scope, terms, 10)
            found = server.word_index.match(scope, terms, 10)
            assert [match.seq for match in found] == [match.seq for match in expected], query
            scores = [match.score for match in expected]
            assert [match.score for match in found] == pytest.approx(scores, rel=1e-9)
    POSTGRES.end_test()
