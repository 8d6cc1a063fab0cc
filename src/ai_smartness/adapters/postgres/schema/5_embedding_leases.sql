-- Layout 5: which messages a process is embedding just now, so that no other one does the same.

CREATE TABLE embedding_leases (
    space_id INTEGER NOT NULL REFERENCES spaces (id) ON DELETE CASCADE DEFERRABLE,
    seq BIGINT NOT NULL REFERENCES events (seq) ON DELETE CASCADE DEFERRABLE,
    holder UUID NOT NULL,
    until TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (space_id, seq)
);

CREATE INDEX embedding_leases_by_event ON embedding_leases (seq);
