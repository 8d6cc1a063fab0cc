-- Layout 4: every event has its author, the role that stored it, and its machine.

ALTER TABLE events ADD COLUMN author TEXT NOT NULL DEFAULT session_user;
ALTER TABLE events ADD COLUMN machine TEXT NOT NULL DEFAULT '';

DROP TRIGGER events_never_change ON events;
CREATE TRIGGER events_never_change BEFORE UPDATE OF
    seq, project_id, id, session, type, role, text, payload, at, source, trust, author, machine
    ON events FOR EACH ROW EXECUTE FUNCTION refuse_change();
