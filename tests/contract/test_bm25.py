"""Every engine gives the scores of the formula in `adapters/words/bm25.py`."""

from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ai_smartness.adapters.words.bm25 import EventTokens, bm25_scores
from ai_smartness.adapters.words.tokenizer import Fts5Tokenizer
from ai_smartness.model.search import IndexedWords, SearchScope
from ai_smartness.ports import ThreadStore
from ai_smartness.text.search_terms import indexed_parts, search_terms
from builders import a_thread, an_event

PROJECTS = (f"project-{number}" for number in count())
TEXTS = (
    "getUserById fails in src/auth/token_store.py",
    "src/auth/token_store.py has the refresh token",
    "token token token store",
    "Die Rechnungen für Zürich sind noch offen und werden später bezahlt",
    "die Rechnung ist bezahlt",
    "数据库连接池太小了",
    "连接池的大小",
    "наша база данных медленная, и это известно",
    "caring cared CARES — naïve café",
    "हिन्दी भाषा",
    "",
    "…",
)
some_text = st.one_of(
    st.sampled_from(TEXTS),
    st.lists(
        st.sampled_from(
            ["a", "b", "token_store", "src/auth", "Rechnung", "数据", "don't", "x86_64"]
        )
    ).map(" ".join),
    st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0"), max_size=20),
)


def indexed(store: ThreadStore, texts: list[str]) -> tuple[str, list[IndexedWords]]:
    """Index texts in a project of their own, each with the one before as its context."""
    project = next(PROJECTS)
    thread = a_thread(f"thread_{project}", project=project)
    store.threads.save(thread)
    events = store.events.append(
        [an_event(f"m{number}", thread, text) for number, text in enumerate(texts)]
    )
    words = [
        IndexedWords(event.seq, event.text, indexed_parts(event.text), before)
        for event, before in zip(events, ["", *texts], strict=False)
    ]
    store.word_index.add(project, words)
    return project, words


def formula_scores(words: list[IndexedWords], terms: list[str]) -> dict[int, float]:
    tokenizer = Fts5Tokenizer()
    events = {
        one.seq: EventTokens(*tokenizer.tokens_of([one.text, one.parts, one.context]))
        for one in words
    }
    scores = bm25_scores(events, tokenizer.tokens_of(terms))
    tokenizer.close()
    return scores


def assert_scores_of_the_formula(store: ThreadStore, texts: list[str], terms: list[str]) -> None:
    project, words = indexed(store, texts)

    found = store.word_index.match(SearchScope(project=project), terms, len(texts))

    scores = formula_scores(words, terms)
    assert {match.seq: match.score for match in found} == pytest.approx(scores, rel=1e-9, abs=1e-12)
    assert found == sorted(found, key=lambda match: (-match.score, match.seq))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(some_text, min_size=1, max_size=8), query=some_text)
def test_the_scores_of_any_texts_are_those_of_the_formula(
    store: ThreadStore, texts: list[str], query: str
) -> None:
    assert_scores_of_the_formula(store, texts, search_terms(query))


@pytest.mark.parametrize(
    "terms",
    [
        ["token"],
        ["token", "tokens"],
        ["src/auth/token_store.py"],
        ["token token"],
        ["token_store.py", "user", "getuserbyid"],
        ["数据", "连接池"],
        ["*", "token"],
        ["nowhere"],
        search_terms("Was ist mit den Rechnungen, die offen sind?"),
    ],
    ids=str,
)
def test_phrases_parts_and_other_scripts_score_by_the_formula(
    store: ThreadStore, terms: list[str]
) -> None:
    assert_scores_of_the_formula(store, list(TEXTS), terms)


def test_a_phrase_is_found_where_its_words_follow_each_other(store: ThreadStore) -> None:
    texts = ["the token store", "the store of a token", "token, store!", "token"]
    project, words = indexed(store, texts)

    found = store.word_index.match(SearchScope(project=project), ["token_store"], 10)

    # The other two have it only in their context, the message before.
    assert {match.seq for match in found[:2]} == {words[0].seq, words[2].seq}
    assert found[1].score > found[2].score


def test_a_removed_event_no_longer_counts_for_the_scores_of_others(store: ThreadStore) -> None:
    project, words = indexed(store, ["token store", "token", "another thing with many words"])

    with store.erasure.deletion_allowed(), store.unit():
        store.erasure.remove_words([words[1].seq])
        store.erasure.remove_events([words[1].seq])

    found = store.word_index.match(SearchScope(project=project), ["token"], 10)
    left = [words[0], words[2]]
    assert {match.seq: match.score for match in found} == pytest.approx(
        formula_scores(left, ["token"]), rel=1e-9
    )
