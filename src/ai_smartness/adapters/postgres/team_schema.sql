-- What the people of one database share. Each has a memory in a schema of their own, which no other
-- role can use; this schema holds the copies that they shared on purpose. Everybody in the team
-- reads them. Whose they are is the role that is logged in, and nothing that a client can set.

CREATE EXTENSION IF NOT EXISTS vector SCHEMA public;
CREATE SCHEMA IF NOT EXISTS ais_team;

CREATE TABLE IF NOT EXISTS ais_team.members (
    name TEXT COLLATE "C" PRIMARY KEY,
    added_at TIMESTAMPTZ NOT NULL DEFAULT now()
);

-- `id` is the thread or statement in the author's own memory; `content` its messages, as JSON.
CREATE TABLE IF NOT EXISTS ais_team.shared (
    number BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    author TEXT COLLATE "C" NOT NULL DEFAULT session_user,
    machine TEXT NOT NULL,
    project TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    kind TEXT NOT NULL,
    title TEXT NOT NULL CHECK (octet_length(title) <= 10000),
    messages INTEGER NOT NULL CHECK (messages BETWEEN 1 AND 10000),
    content TEXT NOT NULL CHECK (octet_length(content) <= 20000000),
    shared_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    UNIQUE (project, author, id)
);

CREATE TABLE IF NOT EXISTS ais_team.disputes (
    number BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    item BIGINT NOT NULL REFERENCES ais_team.shared (number) ON DELETE CASCADE,
    author TEXT COLLATE "C" NOT NULL DEFAULT session_user,
    reason TEXT NOT NULL,
    withdrawn BOOLEAN NOT NULL DEFAULT false,
    disputed_at TIMESTAMPTZ NOT NULL DEFAULT now()
);

CREATE INDEX IF NOT EXISTS disputes_by_item ON ais_team.disputes (item);

ALTER TABLE ais_team.shared ENABLE ROW LEVEL SECURITY;
ALTER TABLE ais_team.shared FORCE ROW LEVEL SECURITY;
ALTER TABLE ais_team.disputes ENABLE ROW LEVEL SECURITY;
ALTER TABLE ais_team.disputes FORCE ROW LEVEL SECURITY;

DROP POLICY IF EXISTS all_read ON ais_team.shared;
DROP POLICY IF EXISTS authors_share ON ais_team.shared;
DROP POLICY IF EXISTS authors_unshare ON ais_team.shared;
CREATE POLICY all_read ON ais_team.shared FOR SELECT USING (true);
CREATE POLICY authors_share ON ais_team.shared FOR INSERT WITH CHECK (author = session_user);
CREATE POLICY authors_unshare ON ais_team.shared FOR DELETE USING (author = session_user);

DROP POLICY IF EXISTS all_read ON ais_team.disputes;
DROP POLICY IF EXISTS authors_dispute ON ais_team.disputes;
DROP POLICY IF EXISTS authors_withdraw ON ais_team.disputes;
CREATE POLICY all_read ON ais_team.disputes FOR SELECT USING (true);
CREATE POLICY authors_dispute ON ais_team.disputes FOR INSERT WITH CHECK (author = session_user);
CREATE POLICY authors_withdraw ON ais_team.disputes FOR UPDATE
    USING (author = session_user) WITH CHECK (author = session_user);
