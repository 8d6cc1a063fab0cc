-- Layout 13: how many of the milliseconds of a turn were the reranker's.

ALTER TABLE ledger_pages ADD COLUMN reranked_ms REAL NOT NULL DEFAULT 0;
