"""No id of another project leads anywhere, whichever verb, tool, path or command it is given to.

The verbs, tools, paths and commands come from their registries: a new one fails here until it is
listed, with the calls that give it somebody else's ids or as one that takes none.
"""

import inspect
import typing
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

from ai_smartness import Memory
from ai_smartness.adapters.sqlite.store import SqliteStore
from ai_smartness.entrypoints.tools.call import call_tool
from ai_smartness.entrypoints.tools.definitions import RESOURCES, TOOLS
from ai_smartness.memory import MemoryParts
from ai_smartness.model.erasure import Selection
from ai_smartness.model.errors import AisError
from ai_smartness.model.link import (
    HandoffLink,
    Link,
    MergeLink,
    RecallLink,
    SplitLink,
    SplitProposalLink,
    StatementsLink,
    StatusLink,
    SuggestionsLink,
    UnlockLink,
)
from ai_smartness.model.split import SplitPart
from ai_smartness.model.thread import Kind
from ai_smartness.settings.schema import Settings
from ai_smartness.testing import SetClock
from builders import NOON, a_bridge, said
from dump import dump
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


Verb = Callable[[Memory, Ids, Ids], object]

VERBS: dict[str, list[Verb]] = {
    "all_events": [lambda m, _, theirs: m.all_events(theirs.thread)],
    "append": [lambda m, _, theirs: m.append(theirs.thread, said("x"))],
    "archive": [lambda m, _, theirs: m.archive(theirs.thread)],
    "bridges": [lambda m, _, theirs: m.bridges(theirs.thread)],
    "capture": [lambda m, _, t: m.capture(typing.cast("typing.Any", _on(t.thread)))],
    "condense": [lambda m, _, theirs: m.condense(theirs.thread)],
    "confirm": [lambda m, _, theirs: m.confirm(theirs.thread, Kind.DECISION)],
    "confirm_statement": [lambda m, _, theirs: m.confirm_statement(theirs.statement)],
    "correct_statement": [lambda m, _, theirs: m.correct_statement(theirs.statement, "x")],
    "drift": [lambda m, _, theirs: m.drift(theirs.thread)],
    "events": [lambda m, _, theirs: m.events(theirs.thread)],
    "events_after": [lambda m, _, theirs: m.events_after(theirs.thread, 0)],
    "focus": [lambda m, _, theirs: m.focus(theirs.thread)],
    "follow": [lambda m, _, theirs: m.follow(theirs.bridge)],
    "forget": [
        lambda m, _, theirs: m.forget(Selection(thread=theirs.thread)),
        lambda m, _, theirs: m.forget(Selection(messages=(theirs.message,))),
        lambda m, _, theirs: m.forget(Selection(thread=theirs.thread), dry_run=True),
    ],
    "handoff": [lambda m, _, theirs: m.handoff(theirs.session)],
    "hide": [lambda m, _, theirs: m.hide(theirs.message, "x")],
    "keep_apart": [
        lambda m, mine, t: m.keep_apart(mine.thread, t.thread),
        lambda m, mine, t: m.keep_apart(t.thread, mine.thread),
    ],
    "keep_whole": [lambda m, _, theirs: m.keep_whole(theirs.thread)],
    "link": [
        lambda m, mine, t: m.link(a_draft(mine.thread, t.thread)),
        lambda m, mine, t: m.link(a_draft(t.thread, mine.thread)),
    ],
    "latest_messages": [lambda m, _, theirs: m.latest_messages(theirs.thread)],
    "log": [lambda m, _, theirs: m.log(theirs.thread)],
    "merge": [
        lambda m, mine, theirs: m.merge(mine.thread, theirs.thread),
        lambda m, mine, theirs: m.merge(theirs.thread, mine.thread, force=True),
    ],
    "message": [lambda m, _, theirs: m.message(theirs.message)],
    "messages": [lambda m, _, theirs: m.messages(theirs.thread)],
    "move": [
        lambda m, mine, theirs: m.move(theirs.message, mine.thread),
        lambda m, mine, theirs: m.move(mine.message, theirs.thread),
    ],
    "moments": [lambda m, _, theirs: m.moments(theirs.thread)],
    "neighbourhood": [lambda m, _, theirs: m.neighbourhood(theirs.thread)],
    "notes": [lambda m, _, theirs: m.notes(theirs.thread)],
    "propose_split": [lambda m, _, theirs: m.propose_split(theirs.thread)],
    "rate": [
        lambda m, _, theirs: m.rate(theirs.thread, useful=True),
        lambda m, _, theirs: m.rate(theirs.message, useful=True),
    ],
    "reactivate": [lambda m, _, theirs: m.reactivate(theirs.thread)],
    "recall": [lambda m, _, theirs: m.recall(theirs.thread)],
    "reject_statement": [lambda m, _, theirs: m.reject_statement(theirs.statement)],
    "rename": [lambda m, _, theirs: m.rename(theirs.thread, "x")],
    "restore": [
        lambda m, _, theirs: m.restore(theirs.thread, before=theirs.compaction),
        lambda m, mine, theirs: m.restore(mine.thread, before=theirs.compaction),
    ],
    "split": [
        lambda m, _, t: m.split(t.thread, [SplitPart("x", (f"{PANGOLIN}-0",))]),
        lambda m, mine, t: m.split(mine.thread, [SplitPart("x", (t.message,))]),
    ],
    "statement": [lambda m, _, theirs: m.statement(theirs.statement)],
    "stood": [lambda m, _, theirs: m.stood(theirs.session)],
    "superseded_statements": [lambda m, _, theirs: m.superseded_statements(theirs.statement)],
    "suspend": [lambda m, _, theirs: m.suspend(theirs.thread)],
    "thread": [lambda m, _, theirs: m.thread(theirs.thread)],
    "thread_at": [lambda m, _, theirs: m.thread_at(theirs.thread, NOON)],
    "thread_title": [lambda m, _, theirs: m.thread_title(theirs.thread)],
    "undo": [lambda m, _, theirs: m.undo(theirs.change)],
    "unlink": [lambda m, _, theirs: m.unlink(theirs.bridge)],
    "unlock": [lambda m, _, theirs: m.unlock(theirs.thread)],
}


def _printed(memory: Memory, mine: Ids, theirs: Ids) -> object:
    memory.record_printed("s", {theirs.thread: [1, 2], mine.thread: [1, 2]})
    return memory.why("s")


DAY = timedelta(days=1)

UNREFUSED: dict[str, Verb] = {
    "activity": lambda m, _, t: m.activity([t.thread], NOON - DAY, NOON + DAY, 4),
    "context_compacted": lambda m, _, theirs: m.context_compacted(theirs.session),
    "foci": lambda m, _, theirs: m.foci(theirs.session),
    "held_statements": lambda m, _, _theirs: m.held_statements(query=PANGOLIN),
    "greeting": lambda m, _, theirs: m.greeting(theirs.session),
    "message_counts": lambda m, _, theirs: m.message_counts([theirs.thread]),
    "inject": lambda m, _, theirs: m.inject(f"{theirs.thread} {PANGOLIN}?", session=theirs.session),
    "line_sources": lambda m, _, _theirs: m.line_sources(range(1, 1_000)),
    "pressure": lambda m, _, theirs: m.pressure(theirs.session, 190_000, 200_000),
    "prepared_greeting": lambda m, _, theirs: m.prepared_greeting(theirs.session),
    "prepared_injection": lambda m, _, theirs: m.prepared_injection(theirs.thread),
    "read_virtual": lambda m, _, theirs: m.read_virtual(f".ai/recall/{theirs.thread}"),
    "record_brief": lambda m, _, theirs: m.record_brief(theirs.session, "0"),
    "record_printed": _printed,
    "search": lambda m, _, theirs: m.search(PANGOLIN, session=theirs.session),
    "session_clients": lambda m, _, theirs: m.session_clients([theirs.session]),
    "session_id": lambda m, _, theirs: m.session_id(theirs.session[:9]),
    "sessions": lambda m, _, theirs: m.sessions([theirs.session]),
    "statements": lambda m, _, theirs: m.statements(query=theirs.statement),
    "suggestions": lambda m, _, theirs: m.suggestions(theirs.thread, session=theirs.session),
    "titles": lambda m, _, theirs: m.titles([theirs.thread]),
    "unfocus": lambda m, _, theirs: m.unfocus(theirs.thread),
    "why": lambda m, _, theirs: m.why(theirs.session),
    "with_memory": lambda m, _, theirs: m.with_memory([{"role": "user", "content": theirs.thread}]),
}
"""They take any text, or the name of a session: they answer, but with nothing of the other one."""

WITHOUT_IDS = {
    *(
        "begun_at",
        "brief",
        "check",
        "clients",
        "close",
        "compact",
        "condensers",
        "create",
        "drop_vectors",
        "embed",
    ),
    *(
        "embedder",
        "open",
        "pin",
        "rejected_statements",
        "rename_project",
        "register",
        "reindex",
        "renew_brief",
    ),
    *("list_threads", "redaction_counts", "seen_from", "subagent_brief", "tell"),
    *("document", "documents", "remove_documents", "rename_documents", "write_document"),
    *("settle_injection", "status", "threads", "tokens_today", "used_by", "window_tokens"),
}
WHOLE_MEMORY = {
    *("export", "finish_forgetting", "import_history", "kept_secrets", "pages", "projects"),
    *("take_in", "unembedded"),
}
"""For all projects, or the one that is named."""


def _on(thread: str) -> object:
    return replace(said("x"), thread=thread)


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


TOOL_CALLS: dict[str, list[Callable[[Ids, Ids], dict[str, object]]]] = {
    "ai_recall": [lambda _, theirs: {"query": theirs.thread}],
    "ai_merge": [
        lambda mine, theirs: {"survivor": mine.thread, "absorbed": theirs.thread},
        lambda mine, theirs: {"survivor": theirs.thread, "absorbed": mine.thread},
    ],
    "ai_split": [lambda _, theirs: {"thread": theirs.thread}],
    "ai_unlock": [lambda _, theirs: {"thread": theirs.thread}],
    "ai_focus": [lambda _, theirs: {"topic": theirs.thread}],
    "ai_unfocus": [lambda _, theirs: {"topic": theirs.thread}],
    "ai_rate_context": [
        lambda _, theirs: {"thread_id": theirs.thread, "useful": True},
        lambda _, theirs: {"thread_id": theirs.message, "useful": True},
    ],
    "ai_undo": [lambda _, theirs: {"change": theirs.change}],
    "thread": [lambda _, theirs: {"thread": theirs.thread}],
}
TOOLS_OF_ANY_TEXT: dict[str, Callable[[Ids], dict[str, object]]] = {
    "ai_pin": lambda theirs: {"content": theirs.thread},
    "ai_statements": lambda theirs: {"query": theirs.thread},
    "ai_suggestions": lambda theirs: {"context": theirs.thread},
    "ai_compact": lambda _: {},
    "ai_status": lambda _: {},
    "threads": lambda _: {},
    "handoff": lambda _: {},
}


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


PATHS: dict[type, Callable[[Ids, Ids], str]] = {
    MergeLink: lambda mine, theirs: f"merge/{mine.thread}/{theirs.thread}",
    SplitProposalLink: lambda _, theirs: f"split/{theirs.thread}",
    SplitLink: lambda _, t: f"split/{t.thread}/confirm?titles=x&msgs_0={PANGOLIN}-0",
    UnlockLink: lambda _, theirs: f"unlock/{theirs.thread}",
    RecallLink: lambda _, theirs: f"recall/{theirs.thread}",
    SuggestionsLink: lambda _, theirs: f"suggestions/{theirs.thread}",
    StatementsLink: lambda _, theirs: f"statements/{theirs.statement}",
    HandoffLink: lambda _, theirs: f"handoff/{theirs.session}",
    StatusLink: lambda *_: "status",
}


def test_every_path_is_listed_here() -> None:
    assert set(typing.get_args(Link)) == set(PATHS)


@pytest.mark.parametrize("link", PATHS)
def test_a_path_answers_without_the_other_project(world: World, link: type) -> None:
    memory, store, mine, theirs = world
    before = dump(store)

    page = memory.read_virtual(f".ai/{PATHS[link](mine, theirs)}")

    assert PANGOLIN not in page.replace(theirs.session, "").replace(f"{PANGOLIN}-0", "")
    assert dump(store) == before
