-- Layout 2: the journal, titles given by the user, owners of locks, unwanted bridges.

CREATE TABLE journal (
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
);

CREATE INDEX journal_by_project ON journal (project_id);
CREATE INDEX journal_moves ON journal (project_id) WHERE moved > 0;
CREATE INDEX journal_undone ON journal (undoes) WHERE undoes IS NOT NULL;

CREATE TRIGGER journal_never_changes BEFORE UPDATE ON journal
    BEGIN SELECT RAISE(ABORT, 'a journal entry never changes'); END;

-- No reference to threads: the journal outlives the children of an undone split.
CREATE TABLE journal_threads (
    thread_id TEXT NOT NULL,
    seq INTEGER NOT NULL REFERENCES journal (seq),
    PRIMARY KEY (thread_id, seq)
) WITHOUT ROWID;

ALTER TABLE threads ADD COLUMN title_given INTEGER NOT NULL DEFAULT 0;
ALTER TABLE threads ADD COLUMN lock_session TEXT;
ALTER TABLE bridges ADD COLUMN unwanted INTEGER NOT NULL DEFAULT 0;
