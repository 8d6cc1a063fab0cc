"""What a unit of any store promises: all or nothing, locked projects, numbers in order."""

import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from ai_smartness.model.errors import NotFoundError, StoreError
from ai_smartness.model.search import SearchScope
from ai_smartness.ports import ThreadStore
from builders import a_thread, an_event, stored
from engines import open_store

DEMO = SearchScope(project="demo")
OTHER = a_thread("thread_2", project="other")
WRITERS = 8
EVENTS = 12


def test_a_unit_is_all_or_nothing(store: ThreadStore) -> None:
    def fail() -> None:
        with store.unit():
            stored(store, "never")
            store.vector_index.add("demo", "model@1", [], through=1)
            raise InterruptedError

    with pytest.raises(InterruptedError):
        fail()

    assert store.project_counts() == []
    assert store.events.count("demo") == 0
    assert store.word_index.match(DEMO, ["never"], 10) == []
    stored(store, "after")
    assert [event.text for event in store.events.of_thread("thread_1")] == ["after"]


def test_units_inside_a_unit_share_its_fate(store: ThreadStore) -> None:
    def fail() -> None:
        with store.unit():
            with store.unit():
                stored(store, "inner")
            raise InterruptedError

    with pytest.raises(InterruptedError):
        fail()

    assert store.events.count("demo") == 0


@pytest.mark.parametrize(
    ("outer", "inner"), [((), ()), ((), ("demo",)), (("demo", "other"), ("demo",))]
)
def test_a_unit_inside_a_unit_may_name_what_the_outer_one_has_locked(
    store: ThreadStore, outer: tuple[str, ...], inner: tuple[str, ...]
) -> None:
    with store.unit(*outer), store.unit(*inner):
        stored(store, "said")

    assert store.events.count("demo") == 1


@pytest.mark.parametrize("inner", [(), ("other",), ("demo", "other")])
def test_a_unit_inside_a_unit_that_needs_more_is_refused(
    store: ThreadStore, inner: tuple[str, ...]
) -> None:
    def nest() -> None:
        with store.unit("demo"):
            stored(store, "never")
            with store.unit(*inner):
                pass

    with pytest.raises(ValueError, match="a unit of demo cannot lock"):
        nest()

    assert store.project_counts() == []


def test_nothing_is_written_to_a_project_that_its_unit_has_not_locked(store: ThreadStore) -> None:
    def write() -> None:
        with store.unit("demo"):
            stored(store, "never")
            stored(store, "never", thread=OTHER)

    with pytest.raises(ValueError, match="a unit of demo cannot write to other"):
        write()

    assert store.project_counts() == []
    stored(store, "after", thread=OTHER)
    assert store.events.count("other") == 1


def test_other_projects_can_be_read_in_a_unit(store: ThreadStore) -> None:
    stored(store, "said", thread=OTHER)

    with store.unit("demo"):
        assert [event.text for event in store.events.of_thread(OTHER.id)] == ["said"]


def test_to_lock_a_project_does_not_add_it(store: ThreadStore) -> None:
    with store.unit("demo", "*"):
        assert store.events.count("demo") == 0

    assert store.project_counts() == []


def test_a_unit_goes_on_after_an_error_that_is_caught_inside(store: ThreadStore) -> None:
    thread = a_thread()
    with store.unit("demo"):
        stored(store, "before", thread=thread)
        with pytest.raises(NotFoundError):
            store.threads.get("thread_nowhere")
        with pytest.raises(StoreError):
            store.events.append([an_event("m0", thread, "an id that is there already")])
        store.events.append([an_event("m1", thread, "after")])

    assert [event.text for event in store.events.of_thread(thread.id)] == ["before", "after"]


@pytest.mark.every_engine
def test_who_waits_for_a_project_then_reads_what_was_written_to_it(
    two_stores: tuple[ThreadStore, ThreadStore],
) -> None:
    first, second = two_stores
    texts, waits = list[str](), threading.Event()

    def write() -> None:
        waits.set()
        with second.unit("demo"):
            texts.extend(event.text for event in second.events.after_seq("demo", 0, 10))
            stored(second, "second")

    with first.unit("demo"):
        writer = threading.Thread(target=write)
        writer.start()
        waits.wait()
        stored(first, "first")
    writer.join()

    assert texts == ["first"]
    assert [event.text for event in first.events.after_seq("demo", 0, 10)] == ["first", "second"]


@pytest.mark.every_engine
def test_a_reader_that_goes_on_from_the_last_number_misses_no_event(tmp_path: Path) -> None:
    place = tmp_path / "memory"
    with closing(open_store(place)) as store:
        for project in ("demo", "other"):
            store.threads.save(a_thread(f"thread_{project}", project=project))
        writers = [in_background(writing(place, number)) for number in range(WRITERS)]

        read = {"demo": list[int](), "other": list[int]()}
        going = True
        while going:
            going = any(writer.is_alive() for writer in writers)
            for project, seqs in read.items():
                last = seqs[-1] if seqs else 0
                seqs += [event.seq for event in store.events.after_seq(project, last, 1_000)]

        stored_seqs = {
            project: [event.seq for event in store.events.after_seq(project, 0, 1_000)]
            for project in read
        }

    assert read == stored_seqs
    assert sum(map(len, read.values())) == WRITERS * EVENTS


def writing(place: Path, number: int) -> Callable[[], None]:
    """Return a writer, who writes to one project or to both."""

    def write() -> None:
        with closing(open_store(place)) as store:
            for count in range(EVENTS):
                project = "demo" if count % 2 else "other"
                thread = a_thread(f"thread_{project}", project=project)
                with store.unit(*(("other", "demo") if count % 3 else (project,))):
                    store.events.append([an_event(f"w{number}-{count}", thread, "words")])

    return write


def in_background(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread
