"""The library as a program would use it: capture, search, read back."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ai_smartness import Memory, Message
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.event import EventType
from ai_smartness.model.thread import Status
from ai_smartness.testing import HashEmbedder, SetClock
from asking import KEYS, QUESTION, a_told_memory
from builders import NOON, a_memory, said
from made_secrets import made

pytestmark = pytest.mark.every_engine

words = st.sampled_from(
    ["alpha", "beta", "gamma", "getUserById", "src/auth/jwt.py", "数据库", "über", "the"],
)
messages = st.builds(
    lambda number, session, text, minute: said(
        " ".join(text),
        id_=f"m{number}",
        session=session,
        minute=minute,
    ),
    st.integers(0, 60),
    st.sampled_from(["s1", "s2", "s3"]),
    st.lists(words, max_size=6),
    st.integers(0, 500),
)
batches = st.lists(st.lists(messages, max_size=15), max_size=6)


def everything(memory: Memory) -> list[tuple[str, str]]:
    return [
        (event.id, thread.id)
        for thread in memory.threads()
        for event in memory.all_events(thread.id)
    ]


@given(batches)
@settings(max_examples=60)
def test_every_message_is_in_exactly_one_thread_once(batches: list[list[Message]]) -> None:
    with a_memory() as memory:
        for batch in batches:
            memory.capture(batch)

        stored = [id_ for id_, _ in everything(memory)]

        assert sorted(stored) == sorted({m.id for batch in batches for m in batch if m.id})
        first = {m.id: m.text for batch in reversed(batches) for m in reversed(batch)}
        assert {id_: memory.message(id_).text for id_ in stored} == first


@given(batches)
@settings(max_examples=30)
def test_capturing_again_changes_nothing(batches: list[list[Message]]) -> None:
    with a_memory() as memory:
        for batch in batches:
            memory.capture(batch)
        before = (everything(memory), memory.threads())

        again = [memory.capture(batch) for batch in batches]

        assert all(captured.stored == 0 for captured in again)
        assert (everything(memory), memory.threads()) == before


@given(batches, st.lists(words, min_size=1, max_size=3).map(" ".join))
@settings(max_examples=40)
def test_reindexing_gives_the_same_answers(batches: list[list[Message]], query: str) -> None:
    with a_memory() as memory:
        for batch in batches:
            memory.capture(batch)
        before = (memory.search(query), memory.threads())

        memory.reindex()

        assert (memory.search(query), memory.threads()) == before


def test_a_message_reads_back_as_it_was_given() -> None:
    with a_memory() as memory:
        memory.capture(
            Message(id="m1", session="s1", role="user", text="why did we drop JWT?", at=NOON),
        )

        event = memory.message("m1")

        assert (event.text, event.role, event.session, event.at) == (
            "why did we drop JWT?",
            "user",
            "s1",
            NOON,
        )
        assert event.type is EventType.USER_MESSAGE
        assert memory.thread(event.thread_id).project == "demo"


def test_a_time_without_a_zone_is_utc_and_any_zone_is_the_same_moment() -> None:
    east = NOON.astimezone(datetime.strptime("+0530", "%z").tzinfo)
    with a_memory() as memory:
        memory.capture(
            [
                Message(id="naive", text="x", at=NOON.replace(tzinfo=None)),
                Message(id="east", text="y", at=east),
            ],
        )

        assert memory.message("naive").at == memory.message("east").at == NOON
        assert memory.message("east").at.tzinfo is UTC


def test_a_message_without_an_id_gets_one_and_is_not_stored_twice() -> None:
    with a_memory() as memory:
        first = memory.capture([said("yes"), said("yes"), said("no")])
        second = memory.capture([said("yes"), said("yes"), said("no")])

        assert (first.stored, first.known) == (3, 0)
        assert (second.stored, second.known) == (0, 3)


def test_each_session_has_its_thread_and_a_thread_knows_its_times() -> None:
    with a_memory() as memory:
        memory.capture(
            [
                said("Rotate the JWT keys\nplease", session="s1", minute=0),
                said("Add a login page", session="s2", minute=1),
                said("done", session="s1", minute=5),
            ],
        )

        jwt, login = memory.threads()

        assert (jwt.title, login.title) == ("Rotating the JWT keys", "Login page")
        assert jwt.id.startswith("thread_20260302_120000_")
        assert jwt.last_active == NOON + timedelta(minutes=5)
        assert [event.text for event in memory.events(login.id)] == ["Add a login page"]


def test_the_weight_of_a_thread_is_what_it_is_now() -> None:
    clock = SetClock(NOON)
    with a_memory(clock=clock) as memory:
        memory.capture(said("hello"))

        clock.advance(days=14)
        (thread,) = memory.threads()
        assert thread.weight == pytest.approx(0.5)

        clock.advance(days=80)
        assert memory.thread(thread.id).status is Status.SUSPENDED


def test_a_hit_says_where_it_is_from_and_why_it_was_found() -> None:
    with a_memory() as memory:
        memory.capture([said("we dropped JWT for sessions", id_="m1"), said("lunch", id_="m2")])

        hit = memory.search("why did we drop JWT?")[0]

        assert (hit.id, hit.session, hit.role, hit.at) == ("m1", "s1", "user", NOON)
        assert hit.thread_id == memory.message("m1").thread_id
        assert 0 < hit.score <= 1
        assert "words #1" in str(hit.why)
        assert "meaning #1" in str(hit.why)


def test_before_and_session_limit_a_search() -> None:
    with a_memory() as memory:
        memory.capture(
            [said("alpha", id_=f"m{n}", session=f"s{n % 2}", minute=n) for n in range(6)],
        )

        earlier = memory.search("alpha", before=NOON + timedelta(minutes=3))
        one = memory.search("alpha", session="s1")

        assert sorted(hit.id for hit in earlier) == ["m0", "m1", "m2"]
        assert sorted(hit.id for hit in one) == ["m1", "m3", "m5"]


def test_a_short_line_is_found_by_the_line_before_it() -> None:
    with a_memory(embedder=lambda: None) as memory:
        memory.capture([said("Shall we use PostgreSQL?", id_="q"), said("yes", id_="a", minute=1)])

        assert {hit.id for hit in memory.search("PostgreSQL")} == {"q", "a"}


def test_what_is_in_the_users_own_project_is_found_from_every_other(tmp_path: Path) -> None:
    file = tmp_path / "memory"
    with a_memory(file, project="*") as own:
        own.capture(said("prefers dark mode", id_="own"))
    with a_memory(file, project="other") as other:
        other.capture(said("dark matter", id_="foreign"))

    with a_memory(file, project="demo") as memory:
        assert [hit.id for hit in memory.search("dark")] == ["own"]


def test_without_an_embedder_everything_works_by_words() -> None:
    with a_memory(embedder=lambda: None) as memory:
        memory.capture(said("rotate the keys", id_="m1"))

        assert [hit.id for hit in memory.search("keys")] == ["m1"]
        assert memory.embed() == 0
        assert memory.status().space is None


def test_changing_the_model_embeds_anew_and_never_mixes_the_two(tmp_path: Path) -> None:
    file = tmp_path / "memory"
    with a_memory(file) as memory:
        memory.capture([said(f"line {n} alpha", id_=f"m{n}") for n in range(5)])
        memory.embed()

    with a_memory(file, embedder=lambda: HashEmbedder(dimension=32)) as memory:
        assert memory.status().pending == 5
        assert memory.search("alpha", wait=False)
        assert memory.embed() == 5
        assert memory.status().pending == 0
        assert len(memory.status().spaces) == 2
        assert "meaning" in str(memory.search("line 3 alpha")[0].why)


def test_appending_puts_a_message_on_the_thread_that_is_named() -> None:
    with a_memory() as memory:
        memory.capture([said("one", session="s1"), said("two", session="s2")])
        (thread, _) = memory.threads()

        event = memory.append(thread.id, Message(id="n1", text="a note", type=EventType.NOTE))
        again = memory.append(thread.id, Message(id="n1", text="a note", type=EventType.NOTE))

        assert event == again
        assert event.type is EventType.NOTE
        assert memory.all_events(thread.id)[-1] == event
        assert memory.search("note")[0].id == "n1"
        with pytest.raises(NotFoundError, match="thread_x"):
            memory.append("thread_x", Message(text="lost?"))


def test_an_empty_query_finds_nothing_and_a_limit_of_none_is_refused() -> None:
    with a_memory() as memory:
        memory.capture(said("alpha"))

        assert memory.search("   ") == []
        with pytest.raises(RefusedError, match="0 messages"):
            memory.search("alpha", limit=0)


@pytest.mark.file_store
def test_open_makes_the_file_for_its_owner_alone(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "new" / "memory", project="demo") as memory:
        memory.capture(said("hello"))
        modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "new").iterdir()}

    assert set(modes.values()) == {0o600}
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("session", ["s1", None])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_messages_with_and_without_a_session_are_kept(
    session: str | None,
    data: st.DataObject,
) -> None:
    text = data.draw(st.text(max_size=20))
    with a_memory() as memory:
        captured = memory.capture(Message(session=session, text=text, at=NOON))

        assert captured.stored == 1


def test_append_keeps_what_it_is_given_whole() -> None:
    code = "\n".join(
        ["import colours", *(f"PALETTE_{n} = colours.shade({n}, 0.5)" for n in range(20)), "done"]
    )
    blob = "data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUgAA" * 40
    memory = a_memory(embedder=lambda: None)
    thread = memory.create("My own log")

    for number, text in enumerate((code, blob)):
        memory.append(thread, Message(id=f"m{number}", text=text, role="tool"))

    assert [event.text for event in memory.events(thread)] == [code, blob]
    assert [event.text for event in memory.all_events(thread)] == [code, blob]


def test_append_still_takes_out_secrets_and_what_the_memory_said_itself() -> None:
    memory = a_told_memory()
    shown = memory.inject(QUESTION).text
    thread = memory.create("My own log")

    secret = made("github", 1)
    event = memory.append(thread, Message(text=f"{shown}\nthe token is {secret}"))

    assert KEYS not in event.text
    assert secret not in event.text
    assert event.text.startswith("the token is ")


def test_a_log_of_old_messages_is_as_old_as_they_are() -> None:
    clock = SetClock(NOON + timedelta(days=30))
    memory = a_memory(clock=clock, embedder=lambda: None)
    thread = memory.create("The work of March")

    memory.append(thread, said("rotate the keys", minute=5))
    memory.append(thread, said("the first word", minute=1))

    stored = memory.thread(thread)
    assert stored.created_at == NOON + timedelta(minutes=1)
    assert stored.last_active == NOON + timedelta(minutes=5)


def test_a_log_that_grows_by_an_old_message_stays_as_recent_as_it_was() -> None:
    clock = SetClock(NOON + timedelta(days=30))
    memory = a_memory(clock=clock, embedder=lambda: None)
    thread = memory.create("The work of March")

    memory.append(thread, Message(text="just now"))
    memory.append(thread, said("rotate the keys", minute=5))

    assert memory.thread(thread).last_active == clock()
