-- Layout 10: the ledger has the prompt of a turn and the lines that were shown.

ALTER TABLE ledger ADD COLUMN lines TEXT NOT NULL DEFAULT '[]';
ALTER TABLE ledger_pages ADD COLUMN prompt TEXT NOT NULL DEFAULT '';
