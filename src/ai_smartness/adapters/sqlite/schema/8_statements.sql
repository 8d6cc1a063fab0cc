-- Layout 8: statements and their reviews.

-- Grows with every change of the project's statements and reviews, for caches.
ALTER TABLE projects ADD COLUMN statement_revision INTEGER NOT NULL DEFAULT 0;

-- Derived from events; thread, session and time are those of the event.
CREATE TABLE statements (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    seq INTEGER NOT NULL REFERENCES events (seq),
    id TEXT NOT NULL,
    speaker TEXT NOT NULL,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    sentence_hash TEXT NOT NULL,
    subject TEXT NOT NULL,
    confidence REAL NOT NULL,
    superseded_by TEXT,
    superseded_at INTEGER,
    relation TEXT,
    UNIQUE (project_id, id)
);

CREATE INDEX statements_by_event ON statements (seq);
CREATE INDEX statements_by_sentence ON statements (project_id, sentence_hash);
CREATE INDEX statements_superseded ON statements (project_id, superseded_by)
    WHERE superseded_by IS NOT NULL;

CREATE TABLE statement_vectors (
    statement INTEGER NOT NULL REFERENCES statements (number),
    space_id INTEGER NOT NULL REFERENCES spaces (id),
    vector BLOB NOT NULL,
    PRIMARY KEY (statement, space_id)
);

-- All events of the project up to `through` are judged by this judge.
CREATE TABLE statement_progress (
    project_id INTEGER PRIMARY KEY REFERENCES projects (id),
    judge TEXT NOT NULL,
    through INTEGER NOT NULL
);

-- Decisions of people. No reference to statements: a review outlives a reindex.
CREATE TABLE statement_reviews (
    project_id INTEGER NOT NULL REFERENCES projects (id),
    statement_id TEXT NOT NULL,
    state TEXT NOT NULL,
    at INTEGER NOT NULL,
    text TEXT NOT NULL,
    kind TEXT,
    event_id TEXT NOT NULL,
    sentence_hash TEXT NOT NULL,
    PRIMARY KEY (project_id, statement_id)
) WITHOUT ROWID;

CREATE INDEX statement_reviews_rejected ON statement_reviews (project_id, sentence_hash)
    WHERE state = 'rejected';

CREATE TRIGGER statements_revised_by_insert AFTER INSERT ON statements
    BEGIN UPDATE projects SET statement_revision = statement_revision + 1
        WHERE id = NEW.project_id; END;

CREATE TRIGGER statements_revised_by_update AFTER UPDATE ON statements
    BEGIN UPDATE projects SET statement_revision = statement_revision + 1
        WHERE id = NEW.project_id; END;

CREATE TRIGGER statements_revised_by_delete AFTER DELETE ON statements
    BEGIN UPDATE projects SET statement_revision = statement_revision + 1
        WHERE id = OLD.project_id; END;

CREATE TRIGGER statements_revised_by_move AFTER UPDATE OF thread_id ON events
    WHEN EXISTS (SELECT 1 FROM statements WHERE seq = NEW.seq)
    BEGIN UPDATE projects SET statement_revision = statement_revision + 1
        WHERE id = NEW.project_id; END;

CREATE TRIGGER reviews_revised_by_insert AFTER INSERT ON statement_reviews
    BEGIN UPDATE projects SET statement_revision = statement_revision + 1
        WHERE id = NEW.project_id; END;

CREATE TRIGGER reviews_revised_by_update AFTER UPDATE ON statement_reviews
    BEGIN UPDATE projects SET statement_revision = statement_revision + 1
        WHERE id = NEW.project_id; END;

CREATE TRIGGER reviews_revised_by_delete AFTER DELETE ON statement_reviews
    BEGIN UPDATE projects SET statement_revision = statement_revision + 1
        WHERE id = OLD.project_id; END;
