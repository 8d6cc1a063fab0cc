-- Layout 12: which statements a later one may have superseded.

-- Derived from statements, and deleted with either of the two.
CREATE TABLE statement_doubts (
    older INTEGER NOT NULL REFERENCES statements (number),
    newer INTEGER NOT NULL REFERENCES statements (number),
    chance REAL NOT NULL,
    PRIMARY KEY (older, newer)
) WITHOUT ROWID;

CREATE INDEX statement_doubts_by_newer ON statement_doubts (newer);

CREATE TRIGGER statement_doubts_removed BEFORE DELETE ON statements
    BEGIN DELETE FROM statement_doubts WHERE older = OLD.number OR newer = OLD.number; END;
