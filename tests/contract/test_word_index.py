"""What any `WordIndex` must do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.model.search import USER_PROJECT, Chunk, IndexedWords, SearchScope
from ai_smartness.ports import ThreadStore
from builders import a_thread, a_vector, an_event, stored
from engines import open_store

DEMO = SearchScope(project="demo")


def test_words_find_events_the_better_match_first(store: ThreadStore) -> None:
    jwt, _, login = stored(store, "rotate the jwt keys for jwt", "nothing", "a login with jwt")

    found = store.word_index.match(DEMO, ["jwt", "keys"], 10)

    assert [match.seq for match in found] == [jwt.seq, login.seq]
    assert found[0].score > found[1].score


def test_words_are_found_in_the_event_its_parts_and_its_context(store: ThreadStore) -> None:
    thread = a_thread()
    store.threads.save(thread)
    (event,) = store.events.append([an_event("m0", thread, "getUserById")])
    store.word_index.add(
        "demo", [IndexedWords(event.seq, event.text, "get user by id", "monday alice")]
    )

    for term in ("getuserbyid", "user", "Alice", "monday"):
        assert [match.seq for match in store.word_index.match(DEMO, [term], 5)] == [event.seq]


@pytest.mark.every_engine
@given(query=st.text(max_size=40))
def test_no_query_is_an_error(query: str) -> None:
    store = open_store()
    stored(store, "some words", query)

    store.word_index.match(DEMO, [query.replace("\x00", "")], 5)

    store.close()


@pytest.mark.parametrize(
    ("text", "term", "other"),
    [
        ("हिन्दी भाषा", "भाषा", "ष"),
        ("தமிழ் மொழி", "தமிழ்", "ழ"),
        ("café déjà", "cafe", "caf"),
        ("cafe\u0301", "café", "caf"),
        ("наша база данных", "данных", "данны"),
        ("Größe in Zürich", "zurich", "rich"),
    ],
)
def test_a_word_of_any_language_is_found_whole_and_not_by_a_piece(
    store: ThreadStore, text: str, term: str, other: str
) -> None:
    (event,) = stored(store, text)

    assert [match.seq for match in store.word_index.match(DEMO, [term], 5)] == [event.seq]
    assert store.word_index.match(DEMO, [other], 5) == []


def test_operators_of_the_index_are_just_words(store: ThreadStore) -> None:
    (event,) = stored(store, 'this AND that OR "those" NOT near(x) * ^ col:on - +')

    for term in ["AND", "OR", "NOT", '"those"', "near(x)", "col:on", "*", "^", "-", "text:this"]:
        found = store.word_index.match(DEMO, [term], 5)
        assert found == [] or found[0].seq == event.seq


def test_a_search_by_words_keeps_to_its_project_and_the_users_own(store: ThreadStore) -> None:
    (mine,) = stored(store, "alpha")
    stored(store, "alpha beta", thread=a_thread("t2", project="other"))
    (own,) = stored(store, "alpha gamma", thread=a_thread("t3", project=USER_PROJECT))

    found = store.word_index.match(DEMO, ["alpha", "beta"], 10)

    assert {match.seq for match in found} == {mine.seq, own.seq}
    own_only = store.word_index.match(SearchScope(project=USER_PROJECT), ["alpha"], 10)
    assert [match.seq for match in own_only] == [own.seq]
    nowhere = store.word_index.match(SearchScope(project="unknown"), ["beta"], 10)
    assert nowhere == []


def test_what_other_projects_say_does_not_change_the_score(store: ThreadStore) -> None:
    stored(store, "alpha", "beta")
    before = store.word_index.match(DEMO, ["alpha"], 10)

    stored(store, *["alpha"] * 20, thread=a_thread("t2", project="other"))

    assert store.word_index.match(DEMO, ["alpha"], 10) == before


def test_a_search_can_be_limited_to_a_session_and_to_what_was_before(store: ThreadStore) -> None:
    thread = a_thread()
    store.threads.save(thread)
    events = store.events.append(
        [
            an_event("m0", thread, "alpha", minute=0, session="a"),
            an_event("m1", thread, "alpha", minute=1, session="b"),
            an_event("m2", thread, "alpha", minute=2, session="a"),
        ]
    )
    store.word_index.add("demo", [IndexedWords(event.seq, event.text, "", "") for event in events])
    vectors = [Chunk(event.seq, 0, a_vector(n)) for n, event in enumerate(events)]
    store.vector_index.add("demo", "model@1", vectors, through=events[-1].seq)
    scopes = {
        (0, 2): SearchScope(project="demo", session="a"),
        (0, 1): SearchScope(project="demo", before=events[2].at),
        (0,): SearchScope(project="demo", before=events[2].at, session="a"),
        (): SearchScope(project="demo", before=events[0].at),
    }

    for expected, scope in scopes.items():
        seqs = {events[n].seq for n in expected}
        assert {match.seq for match in store.word_index.match(scope, ["alpha"], 5)} == seqs
        near = store.vector_index.nearest(scope, "model@1", a_vector(0), 5)
        assert {match.seq for match in near.matches} == seqs


@pytest.mark.parametrize("place", [0, 2])
def test_a_phrase_is_found_in_a_message_that_was_indexed_again(
    store: ThreadStore, place: int
) -> None:
    events = stored(store, *["alpha beta"] * 40)
    store.word_index.refresh_index("demo")
    again = events[place]

    store.erasure.remove_words([again.seq])
    store.word_index.add("demo", [IndexedWords(again.seq, again.text, "", "gamma")])

    found = store.word_index.match(DEMO, ["alpha beta"], 50)
    assert {match.seq for match in found} == {event.seq for event in events}


def test_cleared_words_are_gone_and_can_be_indexed_again(store: ThreadStore) -> None:
    (event,) = stored(store, "alpha")
    stored(store, "alpha", thread=a_thread("t2", project="other"))

    store.word_index.clear("demo")

    assert store.word_index.match(DEMO, ["alpha"], 5) == []
    assert store.word_index.match(SearchScope(project="other"), ["alpha"], 5)
    store.word_index.add("demo", [IndexedWords(event.seq, event.text, "", "")])
    assert [match.seq for match in store.word_index.match(DEMO, ["alpha"], 5)] == [event.seq]
