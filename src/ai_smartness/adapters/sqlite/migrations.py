"""The numbered steps from an empty file to the present layout.

A step is never edited once it has been released: a file in the wild is at
some number, and opening it carries out exactly the steps after that.
"""

from dataclasses import dataclass

__all__ = ["APPLICATION_ID", "MIGRATIONS", "Migration"]

APPLICATION_ID = 0x41495331
"""Marks an SQLite file as a memory ("AIS1")."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step: the number of the layout it leads to, and its statements."""

    number: int
    description: str
    statements: tuple[str, ...]


MIGRATIONS: tuple[Migration, ...] = (
    Migration(
        1,
        "projects, sessions, threads, events, words and vectors",
        (
            """CREATE TABLE projects (
                id INTEGER PRIMARY KEY,
                name TEXT NOT NULL UNIQUE,
                events INTEGER NOT NULL DEFAULT 0,
                told INTEGER NOT NULL DEFAULT 0,
                surveyed INTEGER NOT NULL DEFAULT 0
            )""",
            """CREATE TABLE sessions (
                project_id INTEGER NOT NULL REFERENCES projects (id),
                id TEXT NOT NULL,
                client TEXT NOT NULL,
                turn INTEGER NOT NULL,
                epoch INTEGER NOT NULL,
                beat INTEGER NOT NULL,
                PRIMARY KEY (project_id, id)
            ) WITHOUT ROWID""",
            # Times are whole microseconds since 1970, UTC: exact, and compared by the index.
            """CREATE TABLE threads (
                id TEXT PRIMARY KEY,
                project_id INTEGER NOT NULL REFERENCES projects (id),
                title TEXT NOT NULL,
                kind TEXT NOT NULL,
                importance REAL NOT NULL,
                status TEXT NOT NULL,
                summary TEXT NOT NULL,
                topics TEXT NOT NULL,
                tags TEXT NOT NULL,
                weight REAL NOT NULL,
                last_active INTEGER NOT NULL,
                created_at INTEGER NOT NULL,
                activation_count INTEGER NOT NULL,
                origin TEXT NOT NULL,
                parent_id TEXT REFERENCES threads (id),
                child_ids TEXT NOT NULL,
                split_lock TEXT,
                ratings TEXT NOT NULL,
                relevance REAL NOT NULL,
                drift REAL NOT NULL,
                revision INTEGER NOT NULL,
                files TEXT NOT NULL,
                "commit" TEXT
            ) WITHOUT ROWID""",
            "CREATE INDEX threads_by_project ON threads (project_id, last_active)",
            """CREATE TABLE events (
                seq INTEGER PRIMARY KEY AUTOINCREMENT,
                project_id INTEGER NOT NULL REFERENCES projects (id),
                id TEXT NOT NULL,
                thread_id TEXT NOT NULL REFERENCES threads (id),
                session TEXT,
                type TEXT NOT NULL,
                role TEXT NOT NULL,
                text TEXT NOT NULL,
                payload TEXT NOT NULL,
                at INTEGER NOT NULL,
                source TEXT NOT NULL,
                trust REAL NOT NULL,
                UNIQUE (project_id, id)
            )""",
            "CREATE INDEX events_by_project ON events (project_id)",
            "CREATE INDEX events_by_thread ON events (thread_id)",
            "CREATE INDEX events_by_session ON events (project_id, session)",
            # Counted as they come: who asks how many there are must not count a million.
            """CREATE TRIGGER events_counted AFTER INSERT ON events
                BEGIN UPDATE projects SET events = events + 1 WHERE id = NEW.project_id; END""",
            """CREATE TRIGGER events_uncounted AFTER DELETE ON events
                BEGIN UPDATE projects SET events = events - 1 WHERE id = OLD.project_id; END""",
            # What happened does not change. Only the thread an event is on may.
            """CREATE TRIGGER events_never_change
                BEFORE UPDATE OF seq, project_id, id, session, type, role, text, payload, at,
                    source, trust
                ON events
                BEGIN SELECT RAISE(ABORT, 'an event never changes'); END""",
            # What was worked out about an event: where it was placed and why, what it names.
            """CREATE TABLE notes (
                seq INTEGER PRIMARY KEY REFERENCES events (seq),
                placed TEXT NOT NULL,
                mentions TEXT NOT NULL,
                proposals TEXT NOT NULL,
                commit_id TEXT
            )""",
            """CREATE TABLE bridges (
                id TEXT PRIMARY KEY,
                source TEXT NOT NULL REFERENCES threads (id),
                target TEXT NOT NULL REFERENCES threads (id),
                relation TEXT NOT NULL,
                weight REAL NOT NULL,
                reason TEXT NOT NULL,
                confidence REAL NOT NULL,
                made_by TEXT NOT NULL,
                last_used INTEGER NOT NULL,
                CHECK (source <> target)
            ) WITHOUT ROWID""",
            "CREATE INDEX bridges_by_source ON bridges (source)",
            "CREATE INDEX bridges_by_target ON bridges (target)",
            # What full text knows beside the event's own words; the words are read from events.
            """CREATE TABLE event_words (
                seq INTEGER PRIMARY KEY REFERENCES events (seq),
                parts TEXT NOT NULL,
                context TEXT NOT NULL
            )""",
            # The words that stand in a good part of a project's events, as of the last survey.
            """CREATE TABLE common_words (
                project_id INTEGER NOT NULL REFERENCES projects (id),
                word TEXT NOT NULL,
                share REAL NOT NULL,
                PRIMARY KEY (project_id, word)
            ) WITHOUT ROWID""",
            """CREATE TABLE spaces (
                id INTEGER PRIMARY KEY,
                name TEXT NOT NULL UNIQUE
            )""",
            """CREATE TABLE vectors (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                project_id INTEGER NOT NULL REFERENCES projects (id),
                space_id INTEGER NOT NULL REFERENCES spaces (id),
                seq INTEGER NOT NULL REFERENCES events (seq),
                chunk INTEGER NOT NULL,
                vector BLOB NOT NULL,
                UNIQUE (project_id, space_id, seq, chunk)
            )""",
            "CREATE INDEX vectors_by_project ON vectors (project_id, space_id)",
            # Every event of the project up to `through` has its vectors, in so many rows.
            # `generation` grows when vectors are taken away, so that what is held in memory or
            # in a graph's file is made anew.
            """CREATE TABLE embedded (
                project_id INTEGER NOT NULL REFERENCES projects (id),
                space_id INTEGER NOT NULL REFERENCES spaces (id),
                through INTEGER NOT NULL,
                "rows" INTEGER NOT NULL,
                generation INTEGER NOT NULL,
                PRIMARY KEY (project_id, space_id)
            ) WITHOUT ROWID""",
        ),
    ),
    Migration(
        2,
        "the journal, given titles, whose lock it is, unwanted bridges",
        (
            """CREATE TABLE journal (
                seq INTEGER PRIMARY KEY AUTOINCREMENT,
                project_id INTEGER NOT NULL REFERENCES projects (id),
                at INTEGER NOT NULL,
                actor TEXT NOT NULL,
                client TEXT NOT NULL,
                session TEXT,
                verb TEXT NOT NULL,
                arguments TEXT NOT NULL,
                said TEXT NOT NULL,
                change TEXT NOT NULL,
                moved INTEGER NOT NULL,
                undoes INTEGER REFERENCES journal (seq)
            )""",
            "CREATE INDEX journal_by_project ON journal (project_id)",
            "CREATE INDEX journal_moves ON journal (project_id) WHERE moved > 0",
            "CREATE INDEX journal_undone ON journal (undoes) WHERE undoes IS NOT NULL",
            """CREATE TRIGGER journal_never_changes BEFORE UPDATE ON journal
                BEGIN SELECT RAISE(ABORT, 'a journal entry never changes'); END""",
            # No reference to threads: an undone split leaves its trail, not its children.
            """CREATE TABLE journal_threads (
                thread_id TEXT NOT NULL,
                seq INTEGER NOT NULL REFERENCES journal (seq),
                PRIMARY KEY (thread_id, seq)
            ) WITHOUT ROWID""",
            "ALTER TABLE threads ADD COLUMN title_given INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE threads ADD COLUMN lock_session TEXT",
            "ALTER TABLE bridges ADD COLUMN unwanted INTEGER NOT NULL DEFAULT 0",
        ),
    ),
    Migration(
        3,
        "what was shown to whom",
        (
            "ALTER TABLE sessions ADD COLUMN epoch_seq INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE projects ADD COLUMN injected INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE projects ADD COLUMN used INTEGER NOT NULL DEFAULT 0",
            # What stands whatever is asked: few, and looked up before every prompt.
            """CREATE INDEX threads_standing ON threads (project_id)
                WHERE kind IN ('identity', 'preference') OR origin = 'pin'
                    OR instr(tags, '"pinned"') > 0""",
            """CREATE TABLE ledger (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                project_id INTEGER NOT NULL REFERENCES projects (id),
                session TEXT NOT NULL,
                epoch INTEGER NOT NULL,
                turn INTEGER NOT NULL,
                thread_id TEXT NOT NULL,
                revision INTEGER NOT NULL,
                tokens INTEGER NOT NULL,
                score REAL NOT NULL,
                why TEXT NOT NULL,
                seqs TEXT NOT NULL,
                through INTEGER NOT NULL,
                used INTEGER NOT NULL
            )""",
            "CREATE INDEX ledger_by_session ON ledger (project_id, session)",
            """CREATE TRIGGER ledger_counted AFTER INSERT ON ledger
                BEGIN UPDATE projects SET injected = injected + 1 WHERE id = NEW.project_id; END""",
            """CREATE TABLE ledger_pages (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                project_id INTEGER NOT NULL REFERENCES projects (id),
                session TEXT NOT NULL,
                epoch INTEGER NOT NULL,
                turn INTEGER NOT NULL,
                at INTEGER NOT NULL,
                took_ms REAL NOT NULL,
                skipped TEXT NOT NULL
            )""",
            "CREATE INDEX ledger_pages_by_session ON ledger_pages (project_id, session)",
        ),
    ),
    Migration(
        4,
        "what is in focus, and the centres of threads",
        (
            # An empty session is none: such a focus lasts whatever session it is.
            """CREATE TABLE focus (
                project_id INTEGER NOT NULL REFERENCES projects (id),
                session TEXT NOT NULL,
                folded TEXT NOT NULL,
                topic TEXT NOT NULL,
                weight REAL NOT NULL,
                set_at INTEGER NOT NULL,
                until INTEGER,
                PRIMARY KEY (project_id, session, folded)
            ) WITHOUT ROWID""",
            "ALTER TABLE threads ADD COLUMN topics_given TEXT NOT NULL DEFAULT '[]'",
            # For suggestions: the few bridges by which something changed, what was shown of a pin.
            """CREATE INDEX bridges_of_change ON bridges (source)
                WHERE relation IN ('contradicts', 'updates', 'replaces')""",
            "CREATE INDEX ledger_by_thread ON ledger (project_id, thread_id, used)",
            # The centre of a thread's vectors; NULL where it has none. Made when it is asked for,
            # and gone with whatever it was made from.
            """CREATE TABLE centres (
                thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
                space_id INTEGER NOT NULL REFERENCES spaces (id),
                vector BLOB,
                PRIMARY KEY (thread_id, space_id)
            )""",
            """CREATE TRIGGER centres_gone_with_a_move AFTER UPDATE OF thread_id ON events
                BEGIN DELETE FROM centres WHERE thread_id IN (OLD.thread_id, NEW.thread_id); END""",
            """CREATE TRIGGER centres_gone_with_a_new_vector AFTER INSERT ON vectors
                BEGIN DELETE FROM centres WHERE space_id = NEW.space_id AND thread_id =
                    (SELECT thread_id FROM events WHERE seq = NEW.seq); END""",
            """CREATE TRIGGER centres_gone_with_a_vector AFTER DELETE ON vectors
                BEGIN DELETE FROM centres WHERE space_id = OLD.space_id AND thread_id =
                    (SELECT thread_id FROM events WHERE seq = OLD.seq); END""",
        ),
    ),
    Migration(
        5,
        "what stands for events that were condensed",
        (
            "ALTER TABLE threads ADD COLUMN set_aside TEXT NOT NULL DEFAULT '[]'",
            # Follows from the compactions in force on the event's thread: those that it is named
            # by. Kept so that a long thread's working view is read without reading the thread.
            "ALTER TABLE events ADD COLUMN covered INTEGER NOT NULL DEFAULT 0",
            """CREATE INDEX events_in_view ON events (thread_id)
                WHERE covered = 0 AND type <> 'COMPACTION'""",
            """CREATE INDEX compactions_by_thread ON events (thread_id)
                WHERE type = 'COMPACTION'""",
            """CREATE INDEX compactions_by_project ON events (project_id)
                WHERE type = 'COMPACTION'""",
            # A compaction is an event, and nothing that was said: it is not counted as one.
            "DROP TRIGGER events_counted",
            "DROP TRIGGER events_uncounted",
            """CREATE TRIGGER events_counted AFTER INSERT ON events WHEN NEW.type <> 'COMPACTION'
                BEGIN UPDATE projects SET events = events + 1 WHERE id = NEW.project_id; END""",
            """CREATE TRIGGER events_uncounted AFTER DELETE ON events WHEN OLD.type <> 'COMPACTION'
                BEGIN UPDATE projects SET events = events - 1 WHERE id = OLD.project_id; END""",
            """UPDATE projects SET events = events - (SELECT count(*) FROM events e
                WHERE e.project_id = projects.id AND e.type = 'COMPACTION')""",
            # Of an agent's window, the share that its session was found to have passed.
            "ALTER TABLE sessions ADD COLUMN crossed REAL NOT NULL DEFAULT 0",
            # What language models took, of all projects together: the ceiling is the user's.
            """CREATE TABLE spending (
                day TEXT PRIMARY KEY,
                tokens INTEGER NOT NULL
            ) WITHOUT ROWID""",
        ),
    ),
    Migration(
        6,
        "how far each file of the past was read",
        (
            # No words of theirs: where each is, how much of it was read, and how it was then.
            """CREATE TABLE imports (
                path TEXT PRIMARY KEY,
                offset INTEGER NOT NULL,
                size INTEGER NOT NULL,
                changed_ns INTEGER NOT NULL,
                head TEXT NOT NULL,
                state TEXT NOT NULL
            ) WITHOUT ROWID""",
        ),
    ),
    Migration(
        7,
        "what was forgotten",
        (
            # Hashes of ids, so that what was forgotten is not brought back; nothing else of it.
            """CREATE TABLE forgotten (
                mark BLOB PRIMARY KEY
            ) WITHOUT ROWID""",
        ),
    ),
)
