-- Layout 4: foci, and the centres of threads.

-- A focus with an empty session is lasting.
CREATE TABLE focus (
    project_id INTEGER NOT NULL REFERENCES projects (id),
    session TEXT NOT NULL,
    folded TEXT NOT NULL,
    topic TEXT NOT NULL,
    weight REAL NOT NULL,
    set_at INTEGER NOT NULL,
    until INTEGER,
    PRIMARY KEY (project_id, session, folded)
) WITHOUT ROWID;

ALTER TABLE threads ADD COLUMN topics_given TEXT NOT NULL DEFAULT '[]';

-- For suggestions: the few bridges that say that something changed, and uses of pins.
CREATE INDEX bridges_of_change ON bridges (source)
    WHERE relation IN ('contradicts', 'updates', 'replaces');

CREATE INDEX ledger_by_thread ON ledger (project_id, thread_id, used);

-- The centre of a thread's vectors; NULL if it has none. Computed when needed, and
-- deleted when one of the vectors changes.
CREATE TABLE centres (
    thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    space_id INTEGER NOT NULL REFERENCES spaces (id),
    vector BLOB,
    PRIMARY KEY (thread_id, space_id)
);

CREATE TRIGGER centres_gone_with_a_move AFTER UPDATE OF thread_id ON events
    BEGIN DELETE FROM centres WHERE thread_id IN (OLD.thread_id, NEW.thread_id); END;

CREATE TRIGGER centres_gone_with_a_new_vector AFTER INSERT ON vectors
    BEGIN DELETE FROM centres WHERE space_id = NEW.space_id AND thread_id =
        (SELECT thread_id FROM events WHERE seq = NEW.seq); END;

CREATE TRIGGER centres_gone_with_a_vector AFTER DELETE ON vectors
    BEGIN DELETE FROM centres WHERE space_id = OLD.space_id AND thread_id =
        (SELECT thread_id FROM events WHERE seq = OLD.seq); END;
