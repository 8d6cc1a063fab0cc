"""What is forgotten is gone from everywhere, stays gone, and leaves the rest as it was."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.forget.rewrite import REPEATED_WORDS, RepeatedTexts
from ai_smartness.memory import Memory
from ai_smartness.model.erasure import Selection
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.event import Message
from ai_smartness.ports.transfer import ImportMark
from builders import NOON, a_memory, said
from lived_in import PROJECTS, opened
from transcripts import CWD, SESSION, answer, brought_in, claude_folder, prompt, written

pytestmark = pytest.mark.every_engine

DEMO = PROJECTS[0]
WORDS = ("the", "backup", "goes", "to", "a", "bucket", "at", "night")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with closing(opened(tmp_path)) as one:
        yield one


def one_of(memory: Memory, *ids: str) -> Selection:
    return Selection(project=memory.project, messages=ids)


def test_a_message_goes_and_its_thread_is_described_by_what_is_left(memory: Memory) -> None:
    memory.capture(
        [
            said("Rotate the zanzibar keys monthly", id_="m1"),
            said("The keys are in the vault", id_="m2", minute=1),
        ]
    )
    (thread,) = memory.threads()

    done = memory.forget(one_of(memory, "m1"))

    (left,) = memory.threads()
    assert (done.messages, done.threads, done.described) == (1, 0, 1)
    assert left.id == thread.id
    assert left.title == "Keys in the vault"
    assert [event.id for event in memory.events(thread.id)] == ["m2"]
    assert left.created_at == NOON + timedelta(minutes=1)
    assert memory.search("zanzibar", words_only=True) == []


def test_prompts_and_lines_of_the_ledger_stay_if_they_are_about_something_else(
    memory: Memory,
) -> None:
    memory.capture(said("the vault password hint is the cat", id_="cat", session="s1"))
    memory.capture(said("the nightly backup goes to the bucket", id_="bucket", session="s2"))
    memory.inject("where does the nightly backup go?", session="s3")

    memory.forget(one_of(memory, "cat"))

    (page,) = memory.why("s3")
    assert page.prompt == "where does the nightly backup go?"
    ((line,),) = [entry.lines for entry in page.shown]
    assert line.text == "the nightly backup goes to the bucket"


def test_a_line_of_the_ledger_goes_with_its_message_and_a_prompt_that_repeats_it(
    memory: Memory,
) -> None:
    # Every word is in another message too: no word alone gives them away.
    memory.capture(said("the backup is nightly and it goes to the bucket", id_="m1", session="s1"))
    memory.capture(said("the bucket is not the nightly backup, it goes and is", id_="m2"))
    memory.inject("is it true that the backup is nightly and it goes to the bucket?", session="s3")
    memory.inject("the nightly bucket", session="s4")

    memory.forget(one_of(memory, "m1"))

    pages = {page.session: page for page in memory.why()}
    assert pages["s3"].prompt == ""
    assert pages["s4"].prompt == "the nightly bucket"
    texts = [line.text for page in pages.values() for entry in page.shown for line in entry.lines]
    assert "the backup is nightly and it goes to the bucket" not in texts


def test_a_prompt_of_the_ledger_goes_with_its_own_message(memory: Memory) -> None:
    memory.capture(said("the nightly backup goes to the bucket", id_="m1", session="s1"))
    memory.capture(said("the bucket", id_="m2", session="s3"))
    memory.inject("the bucket", session="s3")
    memory.capture(said("where is the bucket of the nightly backup", id_="m3", session="s3"))
    memory.inject("where is the bucket of the nightly backup", session="s3")

    memory.forget(one_of(memory, "m2", "m3"))

    assert [page.prompt for page in memory.why("s3")] == ["", ""]


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12))
def test_no_text_that_repeats_a_forgotten_message_is_left(words: list[str]) -> None:
    message = " ".join(words)
    texts = RepeatedTexts([f"So: {message}!", message, "quite another thing"])

    texts.add_forgotten(message)

    assert texts.repeats(message)
    assert texts.repeats(f"So: {message}!") or len(words) < REPEATED_WORDS
    assert not texts.repeats("quite another thing")


def test_a_thread_without_messages_goes_with_its_bridges(memory: Memory) -> None:
    memory.capture([said("Rotate the zanzibar keys", id_="m1")])
    memory.capture([said("Lunch at noon", id_="m2", session="s2", minute=900)])
    gone = memory.search("zanzibar")[0].thread_id

    done = memory.forget(Selection(thread=gone))

    assert done.threads == 1
    assert gone not in {thread.id for thread in memory.threads()}
    with pytest.raises(NotFoundError):
        memory.thread(gone)


def test_what_was_forgotten_is_not_captured_again(memory: Memory) -> None:
    again = said("Rotate the zanzibar keys", id_="m1")
    memory.capture(again)
    memory.forget(one_of(memory, "m1"))

    captured = memory.capture([again, said("Something new", id_="m2", minute=1)])

    assert (captured.stored, captured.known) == (1, 1)
    assert memory.search("zanzibar", words_only=True) == []


def test_a_message_can_be_forgotten_once_more_to_wipe_what_could_not_be_wiped(
    memory: Memory,
) -> None:
    memory.capture(said("Rotate the zanzibar keys", id_="m1"))
    memory.forget(one_of(memory, "m1"))

    assert memory.forget(one_of(memory, "m1")).messages == 0


def test_a_thread_without_messages_can_be_forgotten(memory: Memory) -> None:
    thread = memory.create("Zanzibar")

    done = memory.forget(Selection(thread=thread))

    assert (done.messages, done.threads) == (0, 1)
    assert memory.threads() == []


def test_what_was_forgotten_is_not_imported_again(tmp_path: Path) -> None:
    lines = [prompt("Rotate the zanzibar keys", "p1", minute=1), answer("Done.", minute=2)]
    file = written(claude_folder(tmp_path) / f"{SESSION}.jsonl", lines)
    memory = a_memory(embedder=lambda: None)
    brought_in(memory, tmp_path)
    memory.forget(Selection(session=SESSION))
    written(file, [*lines, prompt("Now something else", "p2", minute=3), answer("Yes.", minute=4)])
    # As if the file had never been read.
    memory._store.imports.save([(str(file), ImportMark())])  # noqa: SLF001 - no verb does that

    imported = brought_in(memory, tmp_path)

    assert imported.added == 2
    found = memory.seen_from(CWD).search("zanzibar keys something")
    assert {hit.text for hit in found} == {"Now something else", "Yes."}


@pytest.mark.file_store
def test_what_is_remembered_of_it_holds_no_words(tmp_path: Path, memory: Memory) -> None:
    memory.capture(said("Rotate the zanzibar keys", id_="zanzibar-one"))

    memory.forget(one_of(memory, "zanzibar-one"))

    with closing(sqlite3.connect(tmp_path / "memory.db")) as file:
        ((mark,),) = file.execute("SELECT mark FROM forgotten").fetchall()
    assert len(mark) == 16
    assert b"zanzibar" not in (tmp_path / "memory.db").read_bytes()


def test_a_given_title_that_holds_a_forgotten_word_goes_too(memory: Memory) -> None:
    memory.capture([said("Rotate the zanzibar keys", id_="m1")])
    memory.capture([said("Lunch at noon", id_="m2", session="s2", minute=900)])
    lunch = memory.search("lunch")[0].thread_id
    memory.rename(lunch, "Zanzibar lunch")
    memory.focus("zanzibar")
    memory.rate(lunch, useful=False, reason="zanzibar is not here")

    memory.forget(one_of(memory, "m1"))

    thread = memory.thread(lunch)
    assert (thread.title, thread.title_given) == ("Lunch at noon", False)
    assert thread.ratings[0].reason is None
    assert memory.foci() == []


def test_a_given_title_without_a_forgotten_word_stays(memory: Memory) -> None:
    memory.capture(
        [said("Rotate the zanzibar keys", id_="m1"), said("In the vault", id_="m2", minute=1)]
    )
    (thread,) = memory.threads()
    memory.rename(thread.id, "Keys")

    memory.forget(one_of(memory, "m1"))

    assert memory.thread(thread.id).title == "Keys"


def test_a_change_of_a_thread_that_lost_a_message_can_still_be_undone(memory: Memory) -> None:
    memory.capture(
        [said("Rotate the zanzibar keys", id_="m1"), said("The vault is open", id_="m2", minute=1)]
    )
    memory.capture([said("Lunch at noon", id_="m3", session="s2", minute=900)])
    keys, lunch = memory.search("vault")[0].thread_id, memory.search("lunch")[0].thread_id
    merged = memory.merge(lunch, keys)
    memory.forget(one_of(memory, "m1"))

    memory.undo(merged.number)

    assert [event.id for event in memory.events(keys)] == ["m2"]
    assert [event.id for event in memory.events(lunch)] == ["m3"]
    assert "zanzibar" not in str(memory.log()).lower()


def test_a_change_that_tells_a_forgotten_word_keeps_its_place_and_cannot_be_undone(
    memory: Memory,
) -> None:
    memory.capture(said("Rotate the zanzibar keys", id_="m1"))
    focused = memory.focus("zanzibar")
    memory.forget(one_of(memory, "m1"))

    forgotten, entry = memory.log()

    assert (forgotten.verb, entry.verb, entry.seq) == ("forget", "focus", focused.number)
    assert entry.is_forgotten
    for each in (forgotten, entry):
        with pytest.raises(RefusedError, match="what is forgotten is gone"):
            memory.undo(each.seq)
    with pytest.raises(NotFoundError, match="nothing to undo"):
        memory.undo()


def test_a_compaction_that_stands_for_a_forgotten_message_goes(memory: Memory) -> None:
    thread = memory.create("Keys")
    for number in range(6):
        memory.append(thread, said(f"Step {number} of zanzibar{number}: " + "and so on " * 40))
    memory.condense(thread, "digest", target=150)
    first = memory.all_events(thread)[0]

    done = memory.forget(one_of(memory, first.id))

    assert done.compactions == 1
    assert [event.id for event in memory.events(thread)] == [
        event.id for event in memory.all_events(thread)
    ]
    assert len(memory.events(thread)) == 5


def test_another_threads_compaction_that_holds_a_moved_message_goes(memory: Memory) -> None:
    thread, other = memory.create("Keys"), memory.create("Lunch")
    for number in range(6):
        memory.append(thread, said(f"Step {number} of zanzibar{number}: " + "and so on " * 40))
    memory.append(other, said("Lunch at noon", session="s2"))
    memory.condense(thread, "digest", target=150)
    first = memory.all_events(thread)[0]
    memory.move(first.id, other)

    done = memory.forget(one_of(memory, first.id))

    assert (done.compactions, done.left) == (1, ())
    assert len(memory.events(thread)) == 5


@pytest.mark.file_store
def test_a_project_goes_with_its_name_and_comes_back_empty(tmp_path: Path, memory: Memory) -> None:
    other = memory.seen_from("/code/zanzibar")
    other.capture(said("Lunch at noon", id_="m1"))
    memory.capture(said("Rotate the keys", id_="m1"))

    memory.forget(Selection(project="/code/zanzibar"))

    assert [each.project for each in memory.projects()] == [DEMO]
    assert b"zanzibar" not in (tmp_path / "memory.db").read_bytes()
    assert other.capture(said("Dinner at eight", id_="m2")).stored == 1
    assert [each.events for each in memory.projects()] == [1, 1]


def test_another_process_that_knew_a_forgotten_project_does_not_mistake_a_new_one_for_it(
    tmp_path: Path, memory: Memory
) -> None:
    memory.capture(said("Rotate the keys", id_="m1"))
    with closing(opened(tmp_path, "/code/late")) as late:
        late.capture(said("Lunch at noon", id_="m1"))
        memory.forget(Selection(project="/code/late"))
        memory.seen_from("/code/new").capture(said("Dinner", id_="m1"))

        late.capture(said("Supper", id_="m2"))

    assert [(each.project, each.events) for each in memory.projects()] == [
        (DEMO, 1),
        ("/code/late", 1),
        ("/code/new", 1),
    ]


def test_time_and_words_choose_in_one_project_or_everywhere(memory: Memory) -> None:
    other = memory.seen_from(PROJECTS[1])
    for each in (memory, other):
        each.capture([said("the Zanzibar  plan", id_="m1"), said("lunch", id_="m2", minute=60)])
    later = NOON + timedelta(minutes=30)

    def count(**given: object) -> int:
        return memory.forget(Selection(**given), dry_run=True).messages  # type: ignore[arg-type]

    assert count(project=DEMO, since=later) == 1
    assert count(since=later) == 2
    assert count(until=later, project=DEMO) == 1
    assert count(since=later, until=later) == 0
    assert count(matching="zanzibar plan") == 2
    assert count(matching="ZANZIBAR", project=DEMO) == 1
    assert count(matching="zanzibar lunch") == 0


@pytest.mark.file_store
def test_what_a_payload_says_is_chosen_and_goes_too(tmp_path: Path, memory: Memory) -> None:
    memory.capture(Message(id="m1", text="a call", payload={"args": {"command": "zanzibar -x"}}))

    done = memory.forget(Selection(matching="zanzibar"))

    assert (done.messages, done.left) == (1, ())
    assert b"zanzibar" not in (tmp_path / "memory.db").read_bytes()


@pytest.mark.file_store
def test_words_that_no_message_holds_go_from_titles_and_logs_all_the_same(
    tmp_path: Path, memory: Memory
) -> None:
    memory.capture(said("Lunch at noon", id_="m1"))
    memory.rename(memory.threads()[0].id, "Zanzibar")
    memory.recall("zanzibar")

    done = memory.forget(Selection(matching="zanzibar"))

    assert (done.messages, done.left) == (0, ())
    assert memory.threads()[0].title == "Lunch at noon"
    assert not [p for p in tmp_path.rglob("*.*") if b"zanzibar" in p.read_bytes().lower()]


@pytest.mark.parametrize(
    ("selection", "why"),
    [
        (Selection(), "name what to forget"),
        (Selection(project=DEMO, messages=("nobody",)), "no message nobody"),
        (Selection(thread="thread_nowhere"), "no thread thread_nowhere"),
        (Selection(session="nobody"), "no message of session nobody"),
        (Selection(project="/nowhere"), "no project /nowhere"),
        (Selection(matching="  "), "an empty text is in every message"),
    ],
)
def test_what_is_not_there_is_refused_and_nothing_changes(
    memory: Memory, selection: Selection, why: str
) -> None:
    memory.capture(said("Rotate the keys", id_="m1"))

    with pytest.raises((RefusedError, NotFoundError), match=why):
        memory.forget(selection)

    assert memory.log() == []


def test_a_dry_run_says_what_would_go_and_changes_nothing(memory: Memory) -> None:
    memory.capture([said("Rotate the keys", id_="m1"), said("Lunch", id_="m2", minute=1)])

    foreseen = memory.forget(one_of(memory, "m1"), dry_run=True)

    assert (foreseen.messages, foreseen.dry_run) == (1, True)
    assert [event.id for event in foreseen.examples] == ["m1"]
    assert len(memory.search("rotate lunch")) == 2


def test_a_desk_in_another_process_does_not_stumble_over_what_is_gone(
    tmp_path: Path, memory: Memory
) -> None:
    memory.capture(said("Rotate the zanzibar keys", id_="m1"))
    with closing(opened(tmp_path)) as other:
        other.capture(said("hm", id_="m2", minute=1))
        memory.forget(one_of(memory, "m1", "m2"))

        assert other.capture(said("Lunch at noon", id_="m3", minute=2)).stored == 1
        assert other.search("zanzibar", words_only=True) == []
        assert [thread.title for thread in other.threads()] == ["Lunch at noon"]
