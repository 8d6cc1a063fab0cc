-- Layout 6: the import position of each transcript file.

-- Paths, positions and sizes, but no text of the files.
CREATE TABLE imports (
    path TEXT PRIMARY KEY,
    offset INTEGER NOT NULL,
    size INTEGER NOT NULL,
    changed_ns INTEGER NOT NULL,
    head TEXT NOT NULL,
    state TEXT NOT NULL
) WITHOUT ROWID;
