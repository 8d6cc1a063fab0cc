"""Several agents tidy one memory at once: nobody meets an error, and nothing is lost or torn.

Two work in processes of their own, one calls the tools of a real server, with a daemon behind
it, and one types commands. What each does to a thread the others see, or are refused.
"""

import json
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from mcp import Client

import agent_at_work
from agent_at_work import Work, chosen, opened, was_refused
from ai_smartness.entrypoints.tools.definitions import ToolReply
from ai_smartness.memory import Memory
from ai_smartness.model.errors import NotFoundError
from ai_smartness.model.event import Event, Message
from ai_smartness.model.journal import JournalEntry
from ai_smartness.model.thread import SplitLock, Status, Thread
from ai_smartness.ports import ThreadStore
from crowd import SUBJECTS
from daemons import running
from dump import dump, empty
from mcp_serving import Site, text_of

SECONDS = 30.0
"""For which they work; what is looked at before and after comes on top."""

PATIENCE_SECONDS = 120.0

EVERYONE = ("memory", "tools", "mcp", "ais")

MUST_BE_DONE = ("capture", "ai_merge", "ai_split", "ai_undo", "ai_compact", "ai_pin", "ai_focus")
"""However slow the machine is."""


@dataclass(frozen=True)
class Worked:
    """What was there before, who did what, and the memory afterwards."""

    memory: Memory
    began: datetime
    first: dict[str, list[str]]
    works: dict[str, dict[str, Any]]

    @property
    def store(self) -> ThreadStore:
        return self.memory._store  # noqa: SLF001 - what is on disk is what counts

    @property
    def threads(self) -> dict[str, Thread]:
        return {each.id: each for each in self.store.threads.all(self.memory.project)}

    def done(self) -> Counter[str]:
        return sum((Counter(each["done"]) for each in self.works.values()), Counter[str]())

    def events(self) -> list[Event]:
        return self.store.events.after_seq(self.memory.project, 0, 100_000)


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worked]:
    """Let them all work on one memory until the time is up."""
    site = Site.under(tmp_path_factory.mktemp("two_agents"))
    memory = opened(site.home, str(site.project.resolve()))
    keep_some(memory)
    began = datetime.now(UTC)
    first = {each.id: [event.id for event in memory.events(each.id)] for each in memory.threads()}
    with running(site.home), ThreadPoolExecutor(len(EVERYONE)) as agents:
        at_work = {
            "memory": agents.submit(in_a_process, "memory", site, memory.project),
            "tools": agents.submit(in_a_process, "tools", site, memory.project),
            "mcp": agents.submit(by_a_server, site, memory.project),
            "ais": agents.submit(by_commands, site, memory.project),
        }
        works = {name: each.result() for name, each in at_work.items()}
    yield Worked(memory, began, first, works)
    memory.close()


def keep_some(memory: Memory) -> None:
    """Keep threads of some messages each, several on each subject, a few of them old."""
    now = datetime.now(UTC)
    for number in range(32):
        at = now - timedelta(days=number % 20, hours=1)
        session, text = f"first-{number}", SUBJECTS[number % len(SUBJECTS)]
        memory.capture(Message(id=f"m{number}-0", session=session, text=text, at=at))
        thread = memory.message(f"m{number}-0").thread_id
        for n in range(1, 4):
            more = Message(id=f"m{number}-{n}", session=session, text=f"{text} {n}", at=at)
            memory.append(thread, more)
    memory.tell()
    memory.embed()


def in_a_process(name: str, site: Site, project: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, agent_at_work.__file__, name, str(site.home), project, str(SECONDS)],
        env={**site.environment, "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert not done.returncode, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def by_a_server(site: Site, project: str) -> dict[str, Any]:
    work, memory, chance = Work(), opened(site.home, project), random.Random("mcp")  # noqa: S311 - any

    async def speak(client: Client) -> None:
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            try:
                wanted = chosen(memory, chance)
            except NotFoundError:
                continue
            result = await client.call_tool(*wanted)
            reply = ToolReply(text_of(result), is_error=bool(result.is_error))
            work.note(wanted.name, refused=was_refused(reply))

    site.asked(speak)
    memory.close()
    return vars(work)


def by_commands(site: Site, project: str) -> dict[str, Any]:
    work, memory, chance = Work(), opened(site.home, project), random.Random("ais")  # noqa: S311 - any
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        one, other = chance.choices([each.id for each in memory.threads()], k=2)
        commands = {
            "merge": ("threads", "merge", one, other),
            "undo": ("undo",),
            "compact": ("compact", "--strategy", "gentle"),
            "archive": ("threads", "archive", one),
            "pin": ("pin", f"typed: {agent_at_work.said(chance)}"),
        }
        verb = chance.choice(sorted(commands))
        done = subprocess.run(
            [*site.command()[:-1], *commands[verb]],
            env=site.environment,
            cwd=site.project,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
        assert done.returncode in (0, 1, 3), (commands[verb], done.stderr)
        assert not done.returncode or done.stderr.startswith("error: "), done.stderr
        assert "database is locked" not in done.stderr, done.stderr
        assert "is busy" not in done.stderr, done.stderr
        work.note(verb, refused=bool(done.returncode))
    memory.close()
    return vars(work)


def test_each_of_them_got_its_work_done(worked: Worked) -> None:
    for name, work in worked.works.items():
        print(name, "did", work["done"], "and was refused", work["refused"])  # noqa: T201 - to see

    assert {name for name in EVERYONE if not worked.works[name]["done"]} == set()
    assert {verb for verb in MUST_BE_DONE if not worked.done()[verb]} == set()


def test_the_file_is_whole(worked: Worked) -> None:
    assert worked.memory.check() == ""


def test_every_message_is_on_one_thread_that_is_there(worked: Worked) -> None:
    said = {id_ for ids in worked.first.values() for id_ in ids}
    said |= {id_ for work in worked.works.values() for id_ in work["captured"]}
    events = worked.events()

    assert len(events) == len({event.id for event in events})
    assert {event.id for event in events if event.source != "agent_pin"} >= said
    assert {event.id for event in events} - said <= {
        event.id for event in events if "pinned: " in event.text or "typed: " in event.text
    }
    on_threads = [e.id for id_ in worked.threads for e in worked.store.events.of_thread(id_)]
    assert sorted(on_threads) == sorted(event.id for event in events)


def test_who_was_merged_away_is_empty_and_leads_to_a_thread_that_lives(worked: Worked) -> None:
    for thread in worked.threads.values():
        seen = {thread.id}
        while thread.merged_into:
            assert thread.status is Status.ARCHIVED
            assert worked.store.events.of_thread(thread.id) == []
            thread = worked.threads[thread.merged_into]  # noqa: PLW2901 - on the way
            assert thread.id not in seen
            seen.add(thread.id)
    assert empty(dump(worked.store)) == set()


def test_parents_children_locks_and_bridges_fit_together(worked: Worked) -> None:
    threads = worked.threads
    for thread in threads.values():
        family = {*thread.child_ids, *filter(None, [thread.parent_id])}
        assert family <= threads.keys() - {thread.id}
        assert len(set(thread.child_ids)) == len(thread.child_ids)
        assert thread.lock_session is None or thread.split_lock is SplitLock.COMPACTION
        for bridge in worked.store.bridges.of(thread.id):
            assert bridge.source != bridge.target
            assert not any(threads[end].merged_into for end in (bridge.source, bridge.target))


def test_the_journal_leads_back_to_where_they_began(worked: Worked) -> None:
    for id_, ids in worked.first.items():
        then = worked.memory.thread_at(id_, worked.began)

        assert sorted(event.id for event in then.events) == sorted(ids)


def test_the_journal_says_who_did_what_and_pairs_each_undo_with_what_it_undid(
    worked: Worked,
) -> None:
    entries = {each.seq: each for each in worked.memory.log(limit=100_000)}
    families: dict[int, list[JournalEntry]] = {}
    for seq in sorted(entries):
        undone = entries[seq].undoes
        root = seq if undone is None else next(r for r, f in families.items() if undone in seqs(f))
        families.setdefault(root, []).append(entries[seq])

    assert {each.who.client for each in entries.values()} >= {"memory", "tools", "mcp"}
    for change, *turns in families.values():
        # Each turn takes back the one before it, so an odd number of them undoes the change.
        assert change.undone_by == (turns[-1].seq if len(turns) % 2 else None)
        for turn, later in pairwise(turns):
            assert turn.undone_by == later.seq
        assert not turns or turns[-1].undone_by is None


def seqs(entries: list[JournalEntry]) -> set[int]:
    return {each.seq for each in entries}


def test_the_last_change_can_still_be_undone_and_brought_back(worked: Worked) -> None:
    worked.memory.tell()
    before = dump(worked.store)

    undone = worked.memory.undo()
    between = dump(worked.store)
    worked.memory.undo(undone.number)

    assert between != before
    assert dump(worked.store) == before
