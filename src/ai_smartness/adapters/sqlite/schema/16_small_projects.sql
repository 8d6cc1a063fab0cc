-- Layout 16: a small project has no full-text index in the file. Its words stay in event_words.

CREATE TEMP TABLE small_projects AS
    SELECT p.id FROM projects p
    WHERE p.events <= 1250
        AND coalesce((
            SELECT sum(200 + length(e.text) + length(w.parts) + length(w.context))
            FROM events e CROSS JOIN event_words w ON w.seq = e.seq
            WHERE e.project_id = p.id
        ), 0) <= 250000;

-- The rows of a SELECT are run as statements.
SELECT 'DROP TABLE words_' || id FROM small_projects
    WHERE 'words_' || id IN (SELECT name FROM sqlite_master);

SELECT 'DROP VIEW words_' || id || '_source' FROM small_projects
    WHERE 'words_' || id || '_source' IN (SELECT name FROM sqlite_master);

DROP TABLE small_projects;
