-- Layout 14: the statements in force are read page by page, newest first.

ALTER TABLE statements ADD COLUMN at INTEGER NOT NULL DEFAULT 0;

-- The time is not news: no cache of statements has to be read again.
DROP TRIGGER statements_revised_by_update;

UPDATE statements SET at = (SELECT e.at FROM events e WHERE e.seq = statements.seq);

CREATE TRIGGER statements_revised_by_update AFTER UPDATE ON statements
    BEGIN UPDATE projects SET statement_revision = statement_revision + 1
        WHERE id = NEW.project_id; END;

CREATE INDEX statements_in_force ON statements (project_id, kind, at, seq, number)
    WHERE superseded_by IS NULL AND confidence > 0;
