-- Layout 1: projects, sessions, threads, events, words and vectors.

CREATE TABLE projects (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    events INTEGER NOT NULL DEFAULT 0,
    told INTEGER NOT NULL DEFAULT 0,
    surveyed INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE sessions (
    project_id INTEGER NOT NULL REFERENCES projects (id),
    id TEXT NOT NULL,
    client TEXT NOT NULL,
    turn INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    beat INTEGER NOT NULL,
    PRIMARY KEY (project_id, id)
) WITHOUT ROWID;

-- Times are whole microseconds since 1970, UTC: exact, and compared by the index.
CREATE TABLE threads (
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
) WITHOUT ROWID;

CREATE INDEX threads_by_project ON threads (project_id, last_active);

CREATE TABLE events (
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
);

CREATE INDEX events_by_project ON events (project_id);
CREATE INDEX events_by_thread ON events (thread_id);
CREATE INDEX events_by_session ON events (project_id, session);

-- A running count, so that nobody has to count a million rows.
CREATE TRIGGER events_counted AFTER INSERT ON events
    BEGIN UPDATE projects SET events = events + 1 WHERE id = NEW.project_id; END;

CREATE TRIGGER events_uncounted AFTER DELETE ON events
    BEGIN UPDATE projects SET events = events - 1 WHERE id = OLD.project_id; END;

-- Events never change. Only their thread may.
CREATE TRIGGER events_never_change
    BEFORE UPDATE OF seq, project_id, id, session, type, role, text, payload, at,
        source, trust
    ON events
    BEGIN SELECT RAISE(ABORT, 'an event never changes'); END;

-- Annotations of events: the thread they were assigned to and why, their mentions.
CREATE TABLE notes (
    seq INTEGER PRIMARY KEY REFERENCES events (seq),
    placed TEXT NOT NULL,
    mentions TEXT NOT NULL,
    proposals TEXT NOT NULL,
    commit_id TEXT
);

CREATE TABLE bridges (
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
) WITHOUT ROWID;

CREATE INDEX bridges_by_source ON bridges (source);
CREATE INDEX bridges_by_target ON bridges (target);

-- The full-text index's words besides the event's own text, which it reads from events.
CREATE TABLE event_words (
    seq INTEGER PRIMARY KEY REFERENCES events (seq),
    parts TEXT NOT NULL,
    context TEXT NOT NULL
);

-- The words that occur in many of a project's events, as of the last survey.
CREATE TABLE common_words (
    project_id INTEGER NOT NULL REFERENCES projects (id),
    word TEXT NOT NULL,
    share REAL NOT NULL,
    PRIMARY KEY (project_id, word)
) WITHOUT ROWID;

CREATE TABLE spaces (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);

CREATE TABLE vectors (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    space_id INTEGER NOT NULL REFERENCES spaces (id),
    seq INTEGER NOT NULL REFERENCES events (seq),
    chunk INTEGER NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (project_id, space_id, seq, chunk)
);

CREATE INDEX vectors_by_project ON vectors (project_id, space_id);

-- All events of the project up to `through` have vectors, in `rows` rows. `generation`
-- grows when vectors are deleted, which invalidates caches and graph files.
CREATE TABLE embedded (
    project_id INTEGER NOT NULL REFERENCES projects (id),
    space_id INTEGER NOT NULL REFERENCES spaces (id),
    through INTEGER NOT NULL,
    "rows" INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    PRIMARY KEY (project_id, space_id)
) WITHOUT ROWID;
