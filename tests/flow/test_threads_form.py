"""Threads form by themselves: what is said ends up on the right one."""

import os
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_smartness import Memory, Message
from ai_smartness.model.event import EventType
from ai_smartness.model.split import SplitPart
from builders import NOON, a_memory

AUTH = [
    "Users get logged out at random, look at src/auth/middleware.py please",
    "verifyToken() compares the JWT expiry in local time, I changed it to UTC",
    "good, now rotate the JWT signing keys every month in src/auth/keys.py",
    "rotateKeys() runs from cron and keeps the last two signing keys",
]
INVOICE = [
    "The invoice PDF breaks when a customer's name has an umlaut, see billing/render.py",
    "renderInvoice() asked for Helvetica without that glyph, DejaVu Sans is embedded now",
    "invoices must never be sent twice, add an idempotency key to sendInvoice()",
    "sendInvoice() stores the idempotency key with the invoice number",
]


def talk(lines: list[str], session: str, *, day: float = 0) -> list[Message]:
    """Return a conversation of a user and an assistant, a minute a line."""
    return [
        Message(
            id=f"{session}-{number}",
            session=session,
            role=("user", "assistant")[number % 2],
            text=text,
            at=NOON + timedelta(days=day, minutes=number),
        )
        for number, text in enumerate(lines)
    ]


def threads_of(memory: Memory, *ids: str) -> set[str]:
    return {memory.message(id_).thread_id for id_ in ids}


def test_a_session_on_one_subject_is_one_thread() -> None:
    with a_memory(embedder=lambda: None) as memory:
        memory.capture(talk(AUTH, "s1"))

        assert len(memory.threads()) == 1


def test_two_sessions_at_once_do_not_get_mixed_up() -> None:
    mixed = [m for pair in zip(talk(AUTH, "a"), talk(INVOICE, "b"), strict=True) for m in pair]
    with a_memory(embedder=lambda: None) as memory:
        for message in mixed:
            memory.capture(message)

        first = threads_of(memory, *(f"a-{n}" for n in range(4)))
        second = threads_of(memory, *(f"b-{n}" for n in range(4)))

        assert len(first) == len(second) == 1
        assert first != second


def test_a_new_session_on_old_work_goes_back_to_its_thread() -> None:
    again = ["rotateKeys() in src/auth/keys.py: rotate the JWT signing keys from cron every month"]
    with a_memory(embedder=lambda: None) as memory:
        memory.capture(talk(AUTH, "s1"))
        memory.capture(talk(INVOICE, "s2", day=1))
        memory.capture(talk(again, "s3", day=5))

        assert threads_of(memory, "s3-0") == threads_of(memory, "s1-0")


def times_of(memory: Memory) -> dict[str, tuple[datetime, datetime]]:
    """Return for each thread when its first and its last message were said."""
    found = {
        each.id: [event.at for event in memory.all_events(each.id)] for each in memory.threads()
    }
    return {id_: (min(times), max(times)) for id_, times in found.items()}


def test_a_thread_that_held_messages_leave_ends_before_them_and_theirs_begins_with_them() -> None:
    with a_memory(embedder=lambda: None) as memory:
        for message in talk(AUTH + INVOICE, "s1"):
            memory.capture(message)

        (auth,), (invoice,) = threads_of(memory, "s1-0"), threads_of(memory, "s1-4", "s1-6")

        assert memory.thread(auth).last_active == NOON + timedelta(minutes=3)
        assert memory.thread(invoice).created_at == NOON + timedelta(minutes=4)
        assert memory.thread(invoice).last_active == NOON + timedelta(minutes=7)


def test_a_held_message_that_was_split_off_since_keeps_its_thread() -> None:
    with a_memory(embedder=lambda: None) as memory:
        messages = talk(AUTH + INVOICE, "s1")
        memory.capture(messages[:5])
        (auth,) = threads_of(memory, "s1-4")
        memory.split(auth, [SplitPart("Invoices", ("s1-4",))])
        (child,) = threads_of(memory, "s1-4")

        for message in messages[5:]:
            memory.capture(message)

        assert threads_of(memory, "s1-4") == {child}
        assert all(memory.all_events(each.id) for each in memory.threads())


def test_a_named_thread_wins() -> None:
    with a_memory() as memory:
        memory.capture(talk(AUTH, "s1"))
        (auth,) = threads_of(memory, "s1-0")
        odd = Message(id="odd", session="s9", text=INVOICE[0], at=NOON, thread=auth)

        memory.capture(odd)

        assert threads_of(memory, "odd") == {auth}
        reasons = {note.seq: note.placed.reason for note in memory.notes(auth)}
        assert reasons[memory.message("odd").seq] == "explicit"


def test_a_title_says_what_a_thread_is_about_and_no_two_are_alike() -> None:
    with a_memory(embedder=lambda: None) as memory:
        memory.capture([*talk(AUTH, "s1"), *talk(INVOICE, "s2", day=1)])

        titles = [thread.title for thread in memory.threads()]

        assert len(set(titles)) == 2
        assert any("nvoice" in title for title in titles)
        assert all("please" not in title for title in titles)


def test_a_summary_is_verbatim_and_says_who_said_it() -> None:
    with a_memory(embedder=lambda: None) as memory:
        memory.capture(talk(AUTH, "s1"))
        (thread,) = memory.threads()

        lines = [line.split(": ", 1) for line in thread.summary.splitlines()]

        assert 2 <= len(lines) <= 5
        spoken = {event.role: "" for event in memory.events(thread.id)}
        for event in memory.events(thread.id):
            spoken[event.role] += event.text + "\n"
        assert all(sentence in spoken[who] for who, sentence in lines)


def test_a_later_change_of_a_value_is_bridged_to_where_it_was_stated() -> None:
    before = ["The session lifetime in src/auth/session.py is 12 hours.", "ok, 12 hours it is"]
    after = ["The session lifetime in src/auth/session.py is now 30 days instead of 12 hours."]
    with a_memory(embedder=lambda: None) as memory:
        memory.capture([*talk(before, "s1"), *talk(INVOICE, "s2", day=1)])
        (old,) = threads_of(memory, "s1-0")
        fresh = memory.capture(
            [Message(id="new", session="s3", text=after[0], at=NOON + timedelta(days=9))],
        ).threads[0]

        assert fresh == old or any(
            bridge.target == old and bridge.relation in ("updates", "replaces")
            for bridge in memory.bridges(fresh)
        )


def test_the_files_a_message_names_are_noted_with_their_content_and_commit(
    tmp_path: Path,
) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "app.py").write_text("print(1)\n")
    with Memory.open(tmp_path / "m.db", project=tmp_path) as memory:
        memory.capture(Message(id="now", text="see app.py:1 and gone.py"))
        memory.capture(Message(id="old", text="see app.py", at=NOON))

        (now,) = memory.notes(memory.message("now").thread_id)[:1]
        digests = {mention.name: mention.digest for mention in now.mentions}
        expected = subprocess.run(
            ["git", "hash-object", "app.py"],
            cwd=tmp_path,
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()

        assert digests["app.py"] == expected
        assert digests["gone.py"] is None
        old = {note.seq: note for note in memory.notes(memory.message("old").thread_id)}
        assert old[memory.message("old").seq].mentions[0].digest is None


def test_what_a_file_was_like_when_it_was_named_outlasts_telling_of_it_again(
    tmp_path: Path,
) -> None:
    (tmp_path / "app.py").write_text("print(1)\n")
    with Memory.open(tmp_path / "m.db", project=tmp_path) as memory:
        memory.capture(Message(id="now", text="see app.py"))
        thread = memory.message("now").thread_id
        before = memory.notes(thread)

        (tmp_path / "app.py").write_text("print(2)\n")
        memory.reindex()

        assert before[0].mentions[0].digest is not None
        assert memory.notes(thread) == before


def test_a_history_is_findable_at_once_and_described_when_somebody_looks() -> None:
    history = [m for n in range(20) for m in talk(AUTH, f"s{n}", day=n)]
    with a_memory(embedder=lambda: None) as memory:
        captured = memory.capture(history)

        assert memory.search("rotateKeys", wait=False)
        assert memory.tell() == captured.stored == 80
        assert memory.tell() == 0
        assert all(thread.title for thread in memory.threads())


def test_drift_rises_when_the_subject_of_a_thread_changes() -> None:
    with a_memory() as memory:
        memory.capture(talk(AUTH, "s1"))
        (auth,) = threads_of(memory, "s1-0")
        for number, line in enumerate(AUTH * 3):
            memory.append(auth, Message(id=f"a{number}", text=line, at=NOON))
        calm = memory.drift(auth)[-1]
        for number, line in enumerate(INVOICE * 3):
            memory.append(auth, Message(id=f"i{number}", text=line, at=NOON))

        assert len(memory.drift(auth)) == len(memory.events(auth))
        assert memory.thread(auth).drift > calm


ODD = ["ok", "yes, do it", "", "数据库连接池太小了", "Größe?"]
SUBJECTS = st.sampled_from([*AUTH, *INVOICE, *ODD])
MESSAGES = st.builds(
    lambda number, session, role, text, minute: Message(
        id=f"m{number}",
        session=session,
        role=role,
        text=text,
        at=NOON + timedelta(minutes=minute),
    ),
    st.integers(0, 80),
    st.sampled_from(["s1", "s2", None]),
    st.sampled_from(["user", "assistant", "Maria"]),
    SUBJECTS,
    st.integers(0, 9_000),
)


def state(memory: Memory) -> list[object]:
    return [
        (thread, memory.bridges(thread.id), [event.id for event in memory.events(thread.id)])
        for thread in memory.threads()
    ]


@given(st.lists(st.lists(MESSAGES, max_size=12), max_size=5))
@settings(max_examples=40)
def test_reindexing_gives_the_same_titles_topics_summaries_and_bridges(
    batches: list[list[Message]],
) -> None:
    with a_memory(embedder=lambda: None, block_events=10) as memory:
        for batch in batches:
            memory.capture(batch)
        before = state(memory)

        memory.reindex()

        assert state(memory) == before


@given(st.lists(st.lists(MESSAGES, max_size=12), max_size=5))
@settings(max_examples=40)
def test_a_thread_begins_with_its_earliest_message_and_was_active_until_its_latest(
    batches: list[list[Message]],
) -> None:
    with a_memory(embedder=lambda: None, block_events=10) as memory:
        for batch in batches:
            memory.capture(batch)

        told = {each.id: (each.created_at, each.last_active) for each in memory.threads()}

        assert told == times_of(memory)


@given(st.lists(MESSAGES, max_size=40), st.lists(st.integers(1, 9), min_size=40, max_size=40))
@settings(max_examples=30)
def test_the_threads_do_not_depend_on_batches_nor_on_reopening(
    tmp_path_factory: pytest.TempPathFactory,
    messages: list[Message],
    sizes: list[int],
) -> None:
    folder = tmp_path_factory.mktemp("memory")
    with a_memory(folder / "once.db", embedder=lambda: None, block_events=10) as memory:
        memory.capture(messages)
        at_once = state(memory)
    rest = list(messages)
    for size in sizes:
        with a_memory(folder / "often.db", embedder=lambda: None, block_events=10) as memory:
            memory.capture(rest[:size])
        rest = rest[size:]
    with a_memory(folder / "often.db", embedder=lambda: None, block_events=10) as memory:
        memory.capture(rest)

        assert state(memory) == at_once


SEEDED = """
import sys
sys.path[:0] = sys.argv[1:2]
from test_threads_form import AUTH, INVOICE, state, talk
from builders import a_memory
with a_memory() as memory:
    memory.capture([*talk(AUTH, "s1"), *talk(INVOICE, "s2", day=1)])
    for message in talk(INVOICE + AUTH, "s3", day=2):
        memory.capture(message)
    print(state(memory))
"""


def test_nothing_depends_on_the_hash_seed_or_the_locale() -> None:
    printed = {
        subprocess.run(
            [sys.executable, "-c", SEEDED, str(Path(__file__).parent)],
            env={**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": locale, "PYTHONPATH": path},
            check=True,
            capture_output=True,
            encoding="utf-8",
        ).stdout
        for seed, locale in (("1", "C.UTF-8"), ("2", "C"), ("3", "POSIX"))
        for path in (os.pathsep.join(sys.path),)
    }

    assert len(printed) == 1


@pytest.mark.parametrize("at_once", [True, False])
def test_a_rule_on_another_subject_gets_a_thread_of_its_own_and_the_session_goes_on(
    *, at_once: bool
) -> None:
    rule = ["Always write commit messages in British English.", "Noted."]
    lines = talk([*AUTH[:2], *rule, *AUTH[2:]], "s1")
    with a_memory(embedder=lambda: None) as memory:
        for batch in [lines] if at_once else [[line] for line in lines]:
            memory.capture(batch)

        assert len(threads_of(memory, "s1-0", "s1-1", "s1-4", "s1-5")) == 1
        assert len(threads_of(memory, "s1-2", "s1-3")) == 1
        assert len(threads_of(memory, "s1-0", "s1-2")) == 2
        assert len(memory.threads()) == 2


def test_a_rule_on_the_subject_stays_with_it() -> None:
    rule = "Never log the JWT signing keys of src/auth/keys.py."
    with a_memory(embedder=lambda: None) as memory:
        memory.capture(talk([*AUTH, rule, "Noted."], "s1"))

        assert len(memory.threads()) == 1


def test_topics_hold_no_words_of_our_records() -> None:
    ran = "$ python check.py\n[exit code 1]\ntimeouts in Redis"
    with a_memory(embedder=lambda: None) as memory:
        memory.capture(Message(text="Look at the Redis timeouts please", session="s", at=NOON))
        for text in (ran, "Edited cache.py\n+ttl = 1", "Edited settings.py\n+ttl = 2", ran, ran):
            tool = EventType.TOOL_RESULT
            memory.capture(Message(text=text, session="s", role="tool", type=tool, at=NOON))

        (thread,) = memory.threads()

    words = set(" ".join(thread.topics).casefold().split())
    assert "redis" in words
    assert words.isdisjoint({"edited", "exit", "python", "code"})
