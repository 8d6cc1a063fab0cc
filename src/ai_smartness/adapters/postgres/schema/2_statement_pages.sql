-- Layout 2: the statements in force are read page by page, newest first.

ALTER TABLE statements ADD COLUMN at BIGINT NOT NULL DEFAULT 0;

UPDATE statements SET at = e.at FROM events e WHERE e.seq = statements.seq;

CREATE INDEX statements_in_force ON statements (project_id, kind, at, seq, number)
    WHERE superseded_by IS NULL AND confidence > 0;
