-- Layout 5: compactions.

ALTER TABLE threads ADD COLUMN set_aside TEXT NOT NULL DEFAULT '[]';

-- Derived from the active compactions of the event's thread. Stored so that the working
-- view of a long thread can be read without reading the thread.
ALTER TABLE events ADD COLUMN covered INTEGER NOT NULL DEFAULT 0;

CREATE INDEX events_in_view ON events (thread_id)
    WHERE covered = 0 AND type <> 'COMPACTION';

CREATE INDEX compactions_by_thread ON events (thread_id)
    WHERE type = 'COMPACTION';

CREATE INDEX compactions_by_project ON events (project_id)
    WHERE type = 'COMPACTION';

-- A compaction is an event but no message: it is not counted.
DROP TRIGGER events_counted;

DROP TRIGGER events_uncounted;

CREATE TRIGGER events_counted AFTER INSERT ON events WHEN NEW.type <> 'COMPACTION'
    BEGIN UPDATE projects SET events = events + 1 WHERE id = NEW.project_id; END;

CREATE TRIGGER events_uncounted AFTER DELETE ON events WHEN OLD.type <> 'COMPACTION'
    BEGIN UPDATE projects SET events = events - 1 WHERE id = OLD.project_id; END;

UPDATE projects SET events = events - (SELECT count(*) FROM events e
    WHERE e.project_id = projects.id AND e.type = 'COMPACTION');

-- The share of the agent's context window that the session has passed.
ALTER TABLE sessions ADD COLUMN crossed REAL NOT NULL DEFAULT 0;

-- The tokens used by language models, of all projects together: the limit is the user's.
CREATE TABLE spending (
    day TEXT PRIMARY KEY,
    tokens INTEGER NOT NULL
) WITHOUT ROWID;
