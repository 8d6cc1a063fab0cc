"""A home that was lived in: every verb was used, and words lie wherever words can lie."""

import json
import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import numpy as np

from ai_smartness.adapters.local_files import LocalMemoryFiles, RecallLog
from ai_smartness.adapters.sqlite.backup_files import SqliteBackups
from ai_smartness.adapters.sqlite.store_files import SqliteStoreFiles
from ai_smartness.memory import Memory, MemoryParts
from ai_smartness.model.bridge import BridgeDraft, Relation
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.event import Event, EventType, Message
from ai_smartness.model.journal import JournalEntry
from ai_smartness.model.split import SplitPart
from ai_smartness.model.statement import ReviewState
from ai_smartness.settings.schema import Settings
from ai_smartness.testing import HashEmbedder, SetClock
from ai_smartness.threads.change_plan import carry_out
from ai_smartness.threads.review_statement import review_plan
from builders import NOON, a_statement
from engines import open_store

__all__ = ["PROJECTS", "SESSIONS", "LivedIn", "everything", "opened"]

PROJECTS = ("/code/demo", "/code/other")
SESSIONS = ("session-one", "session-two", "session-three")
SHARED = (
    "the refresh token lives fifteen minutes, see src/auth/token.py",
    "we decided to use Postgres for billing from now on",
    "the basket total must include VAT, I prefer tabs",
    "yes, go on",
    "run pytest -q and tell me what fails",
)
SCRIPTS = (
    "{0}kilo{1}vexa",
    "тайна{1}{0}слово",
    "é{0}clair{1}ée",
    "秘密{1}号码",
    "get{0}Vexa{1}Kilo",
)
SYLLABLES = ("zor", "bli", "qua", "dre", "vim", "pho", "xal", "gru")


def opened(home: Path, project: str = PROJECTS[0], clock: SetClock | None = None) -> Memory:
    """Open the memory of a home, with a model that hashes and a clock that is set."""
    database = home / "memory.db"
    files = LocalMemoryFiles(database, home, home / "backups")
    parts = MemoryParts(
        store=open_store(database),
        embedder=HashEmbedder,
        clock=clock or SetClock(NOON + timedelta(days=2)),
        recall_log=RecallLog(home / "recall.log").append_line,
        files=files,
        store_files=SqliteStoreFiles(database, files.all),
    )
    return Memory(parts, project, Settings())


class LivedIn:
    """Fills a home by chance, and knows which secret words it put into which message."""

    def __init__(self, home: Path, seed: int) -> None:
        self.home = home
        self._random = random.Random(seed)  # noqa: S311 - nothing secret
        self.secrets: list[str] = []
        self.waiting: list[str] = []

    def fill(self, memory: Memory) -> None:
        """Say things, and do things to them."""
        for project in PROJECTS:
            seen = memory.seen_from(project)
            seen.capture(list(self._messages(self._random.randint(4, 16))))
            self._state(seen)
            for _ in range(self._random.randint(4, 14)):
                self._do_something(seen)
            seen.embed()
        SqliteBackups(self.home / "memory.db", self.home / "backups").make_backup(
            NOON,
            lambda *_: None,
        )
        memory.capture(list(self._messages(3)))
        for _ in range(4):
            self._do_something(memory)
        self._leave_files(memory)

    def secret(self) -> str:
        """Return a word that was never said before."""
        form = self._random.choice(SCRIPTS)
        made = form.format(self._random.choice(SYLLABLES), 1000 + len(self.secrets))
        self.secrets.append(made)
        return made

    def _known(self) -> str:
        return self._random.choice(self.secrets)

    def _messages(self, count: int) -> Iterator[Message]:
        for number in range(count):
            words = [self._random.choice(SHARED), self.secret()]
            if self._random.random() < 0.15:
                words.append(self._known())
            self._random.shuffle(words)
            call = self._random.random() < 0.2
            yield Message(
                id=f"id-{len(self.secrets)}",
                text=" ".join(words),
                session=self._random.choice((*SESSIONS, None)),
                role=self._random.choice(("user", "assistant")),
                at=NOON + timedelta(minutes=30 * len(self.secrets) + number),
                type=EventType.TOOL_CALL if call else None,
                payload={"tool": "Bash", "args": {"command": self.secret()}} if call else {},
            )

    def _do_something(self, memory: Memory) -> None:
        """Use a verb on whatever there is; what is refused is no matter."""
        threads = [each for each in memory.threads() if not each.merged_into]
        one, other = self._random.choice(threads).id, self._random.choice(threads).id
        verbs = (
            lambda: memory.merge(one, other),
            lambda: memory.merge(other, one, force=True),
            lambda: self._split(memory, one),
            lambda: memory.rename(one, f"About {self._known()}"),
            lambda: memory.pin(f"Never forget {self.secret()}", title=f"Pin {self._known()}"),
            lambda: memory.rate(one, useful=False, reason=f"no {self._known()} in it"),
            lambda: memory.focus(self._known(), session=self._random.choice((*SESSIONS, None))),
            lambda: memory.link(
                BridgeDraft(
                    source=one,
                    target=other,
                    relation=Relation.EXTENDS,
                    reason=self._known(),
                ),
            ),
            lambda: memory.condense(one, "trim-tool-results", target=70),
            lambda: memory.condense(one, "digest", target=70, scope="hybrid"),
            lambda: memory.archive(one),
            memory.undo,
            lambda: memory.recall(self._known()),
            lambda: memory.inject(
                f"what of {self._known()}",
                session=self._random.choice(SESSIONS),
            ),
            lambda: self._review(memory),
            lambda: memory.move(self._random.choice(memory.all_events(one)).id, other),
        )
        with suppress(RefusedError, NotFoundError, IndexError):
            self._random.choice(verbs)()

    def _state(self, memory: Memory) -> None:
        """Make a statement of every message, about a word of whatever message."""
        store = memory._store  # noqa: SLF001 - past the door, as the one who finds statements
        events = store.events.after_seq(memory.project, 0, 1_000)
        found = [replace(a_statement(each), subject=("token", self._known())) for each in events]
        store.statements.save(memory.project, "lived in", found, events[-1].seq)
        rows = np.array([HashEmbedder().query(each.text) for each in found])
        ids = [each.id for each in found]
        store.statements.save_vectors(memory.project, HashEmbedder().space, ids, rows)
        store.statements.supersede(
            memory.project,
            [
                (older, newer, Relation.REPLACES, NOON)
                for older, newer in pairwise(ids)
                if self._random.random() < 0.3
            ],
        )

    def _review(self, memory: Memory) -> None:
        store, project = memory._store, memory.project  # noqa: SLF001 - as the verbs do it
        one = self._random.choice(store.statements.all(project, rejected=True))
        state = self._random.choice(list(ReviewState))
        text = f"Corrected {self._known()}" if state is ReviewState.CORRECTED else ""
        plan = review_plan(store, project, one.id, state, text, None, NOON)
        carry_out(
            store,
            JournalEntry(
                project=project,
                at=NOON,
                who=memory.who,
                verb="review",
                arguments={"statement": one.id, "text": text},
                said=plan.sentence,
                change=plan.change,
            ),
        )

    def _split(self, memory: Memory, thread_id: str) -> None:
        events = [e for e in memory.all_events(thread_id) if e.type is not EventType.COMPACTION]
        half = [event.id for event in events[: len(events) // 2]]
        memory.split(thread_id, [SplitPart(title=f"Half {self._known()}", messages=tuple(half))])

    def _leave_files(self, memory: Memory) -> None:
        for folder in ("inbox", "logs", "recalls"):
            (self.home / folder).mkdir(mode=0o700, exist_ok=True)
        self.waiting = [self._record() for _ in range(3)]
        (self.home / "inbox" / "events.jsonl").write_text("\n".join(self.waiting) + "\n")
        bad = json.dumps({"why": "no", "record": json.dumps({"text": self._known()})})
        (self.home / "inbox" / "bad-2026-03-02.jsonl").write_text(f"{bad}\n")
        for name in ("daemon.log", "hook.log", "hook.log.1"):
            lines = ["started: version 1", f"trouble with {self._known()}", "ended"]
            (self.home / "logs" / name).write_text("\n".join(lines) + "\n")
        for number in range(3):
            page = memory.read_virtual(f".ai/recall/{self._known()}")
            (self.home / "recalls" / f"toolu_{number}.md").write_text(page)

    def _record(self) -> str:
        """Return a record that waits: it says a new word, and sometimes a known one."""
        words = [self.secret()] + ([self._known()] if self._random.random() < 0.5 else [])
        return json.dumps(
            {
                "id": f"waiting-{len(self.secrets)}",
                "cwd": self._random.choice(("/code/demo", "/elsewhere")),
                "session": self._random.choice(SESSIONS),
                "at": (NOON + timedelta(hours=9)).isoformat(),
                "text": " ".join(words),
            },
        )


def everything(memory: Memory) -> dict[tuple[str, str], Event]:
    """Return what was said, of all projects."""
    store = memory._store  # noqa: SLF001 - past the door, to see all there is
    return {
        (each.project, each.id): each
        for project in store.project_counts()
        for each in store.events.after_seq(project.project, 0, 1_000_000)
    }
