-- Layout 11: eight more digits in the ids of statements, from the hash of the sentence.

UPDATE statements SET superseded_by = (
    SELECT newer.id || substr(newer.sentence_hash, 1, 8) FROM statements newer
    WHERE newer.project_id = statements.project_id AND newer.id = statements.superseded_by
) WHERE superseded_by IS NOT NULL AND EXISTS (
    SELECT 1 FROM statements newer
    WHERE newer.project_id = statements.project_id AND newer.id = statements.superseded_by
);

UPDATE statements SET id = id || substr(sentence_hash, 1, 8) WHERE length(id) = 10;

UPDATE statement_reviews SET statement_id = statement_id || substr(sentence_hash, 1, 8)
    WHERE length(statement_id) = 10 AND sentence_hash <> '';
