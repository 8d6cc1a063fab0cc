-- Layout 3: the ledger of injected memories.

ALTER TABLE sessions ADD COLUMN epoch_seq INTEGER NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN injected INTEGER NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN used INTEGER NOT NULL DEFAULT 0;

-- The threads shown for every prompt: few, and read before each one.
CREATE INDEX threads_standing ON threads (project_id)
    WHERE kind IN ('identity', 'preference') OR origin = 'pin'
        OR instr(tags, '"pinned"') > 0;

CREATE TABLE ledger (
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
);

CREATE INDEX ledger_by_session ON ledger (project_id, session);

CREATE TRIGGER ledger_counted AFTER INSERT ON ledger
    BEGIN UPDATE projects SET injected = injected + 1 WHERE id = NEW.project_id; END;

CREATE TABLE ledger_pages (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    session TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    at INTEGER NOT NULL,
    took_ms REAL NOT NULL,
    skipped TEXT NOT NULL
);

CREATE INDEX ledger_pages_by_session ON ledger_pages (project_id, session);
