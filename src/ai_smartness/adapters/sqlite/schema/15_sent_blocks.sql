-- Layout 15: the text that was sent before a prompt or at the start of a session.

ALTER TABLE ledger_pages ADD COLUMN block TEXT NOT NULL DEFAULT '';

CREATE INDEX ledger_pages_with_block ON ledger_pages (project_id, number) WHERE block <> '';
