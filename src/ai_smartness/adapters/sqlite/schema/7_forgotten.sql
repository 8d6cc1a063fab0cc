-- Layout 7: deleted messages.

-- Hashed ids, so that deleted messages are not imported again.
CREATE TABLE forgotten (
    mark BLOB PRIMARY KEY
) WITHOUT ROWID;
