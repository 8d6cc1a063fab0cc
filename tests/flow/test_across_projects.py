"""No id of another project leads anywhere, whichever verb, tool, path or command it is given to.

The verbs, tools, paths and commands come from their registries: a new one fails here until it is
listed, with the calls that give it somebody else's ids or as one that takes none.
"""

import inspect
import typing
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from ai_smartness import Memory
from ai_smartness.adapters.sqlite.store import SqliteStore
from ai_smartness.entrypoints.tools.call import call_tool
from ai_smartness.entrypoints.tools.definitions import RESOURCES, TOOLS
from ai_smartness.memory import MemoryParts
from ai_smartness.model.errors import AisError
from ai_smartness.model.link import (
    Link,
)
from ai_smartness.settings.schema import Settings
from ai_smartness.testing import SetClock
from builders import NOON, a_bridge
from dump import dump
from foreign_ids import (
    PATHS,
    TOOL_CALLS,
    TOOLS_OF_ANY_TEXT,
    UNREFUSED,
    VERBS,
    WHOLE_MEMORY,
    WITHOUT_IDS,
)
from two_projects import PANGOLIN, Ids, a_draft, filled


class World(NamedTuple):
    """A memory seen from one project, its whole store, and the ids of that project and another."""

    memory: Memory
    store: SqliteStore
    mine: Ids
    theirs: Ids


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    store = SqliteStore.open(tmp_path / "memory.db")
    parts = MemoryParts(store=store, embedder=lambda: None, clock=SetClock(NOON))
    with Memory(parts, "mine", Settings()) as memory:
        theirs = filled(memory.seen_from("theirs"), PANGOLIN)
        mine = filled(memory, "zebra")
        yield World(memory, store, mine, theirs)


def test_every_verb_is_listed_here() -> None:
    verbs = {name for name, _ in inspect.getmembers(Memory) if not name.startswith("_")}

    assert verbs == {*VERBS, *UNREFUSED, *WITHOUT_IDS, *WHOLE_MEMORY}


@pytest.mark.parametrize("name", VERBS)
def test_a_verb_refuses_the_ids_of_another_project(world: World, name: str) -> None:
    memory, store, mine, theirs = world
    for spelling in (theirs.thread, theirs.thread[:-2], theirs.thread[-6:]):
        if name in ("recall", "focus") and spelling == theirs.thread[-6:]:
            continue  # six letters that name no thread are words
        for verb in VERBS[name]:
            before = dump(store)
            with pytest.raises(AisError) as refused:
                verb(memory, mine, _spelled(theirs, spelling))
            message = str(refused.value).replace(theirs.message, "").replace(theirs.session, "")
            assert PANGOLIN not in message
            assert "theirs" not in str(refused.value)
            assert dump(store) == before


def _spelled(ids: Ids, thread: str) -> Ids:
    return replace(ids, thread=thread)


@pytest.mark.parametrize("name", UNREFUSED)
def test_a_verb_that_takes_any_text_answers_without_the_other_project(
    world: World, name: str
) -> None:
    memory, _, mine, theirs = world
    their_dump = _dump_of(memory, "theirs")

    try:
        answer = repr(UNREFUSED[name](memory, mine, theirs))
    except AisError as error:
        answer = str(error)

    given = (f"{theirs.thread} {PANGOLIN}?", theirs.session, theirs.statement)
    for text in given:
        answer = answer.replace(text, "")
    assert PANGOLIN not in answer
    assert _dump_of(memory, "theirs") == their_dump


def _dump_of(memory: Memory, project: str) -> list[object]:
    there = memory.seen_from(project)
    threads = there.threads()
    return [threads, [there.all_events(one.id) for one in threads], there.log(with_reads=True)]


def test_the_start_of_an_id_is_ambiguous_only_within_the_project(
    world: World,
) -> None:
    memory, _, mine, theirs = world
    with pytest.raises(AisError) as refused:
        memory.thread("thread_2")

    message = str(refused.value)

    assert theirs.thread not in message
    assert theirs.second not in message
    assert mine.second in message or mine.thread in message


def test_threads_of_all_projects_are_reached_from_each(world: World) -> None:
    memory, _, _, theirs = world
    everywhere = memory.seen_from("*").pin("Tabs, not spaces.").threads[0].id

    assert memory.thread(everywhere).id == everywhere
    assert memory.seen_from("theirs").thread(theirs.thread).id == theirs.thread


def test_a_bridge_to_another_project_from_an_earlier_version_is_not_followed(
    world: World,
) -> None:
    memory, store, mine, theirs = world
    store.bridges.save([a_bridge("bridge_x", mine.thread, theirs.thread, weight=1.0)])
    everywhere = memory.seen_from("*").pin("Tabs, not spaces.").threads[0].id
    memory.link(a_draft(mine.thread, everywhere))

    pages = [memory.recall(mine.thread).text, memory.recall("zebra keys").text]

    assert not any(PANGOLIN in page or theirs.thread in page for page in pages)
    assert theirs.thread not in {bridge.target for bridge in memory.bridges(mine.thread)}
    assert theirs.thread not in {bridge.target for bridge in memory.bridges()}
    assert everywhere in {bridge.target for bridge in memory.bridges(mine.thread)}
    assert "zebra" not in memory.seen_from("*").recall(everywhere).text


def test_every_tool_is_listed_here() -> None:
    assert {*TOOLS, *RESOURCES} == {*TOOL_CALLS, *TOOLS_OF_ANY_TEXT}


@pytest.mark.parametrize("name", TOOL_CALLS)
def test_a_tool_refuses_the_ids_of_another_project(world: World, name: str) -> None:
    memory, store, mine, theirs = world
    before = dump(store)
    for arguments in TOOL_CALLS[name]:
        with pytest.raises(AisError) as refused:
            call_tool(memory, name, arguments(mine, theirs), None)

        assert PANGOLIN not in str(refused.value).replace(theirs.message, "")
    assert dump(store) == before


@pytest.mark.parametrize("name", TOOLS_OF_ANY_TEXT)
def test_a_tool_of_any_text_answers_without_the_other_project(world: World, name: str) -> None:
    memory, _, _, theirs = world

    answer = call_tool(memory, name, TOOLS_OF_ANY_TEXT[name](theirs), None).text

    assert PANGOLIN not in answer


def test_every_path_is_listed_here() -> None:
    assert set(typing.get_args(Link)) == set(PATHS)


@pytest.mark.parametrize("link", PATHS)
def test_a_path_answers_without_the_other_project(world: World, link: type) -> None:
    memory, store, mine, theirs = world
    before = dump(store)

    page = memory.read_virtual(f".ai/{PATHS[link](mine, theirs)}")

    assert PANGOLIN not in page.replace(theirs.session, "").replace(f"{PANGOLIN}-0", "")
    assert dump(store) == before
