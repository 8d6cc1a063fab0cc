-- Layout 6: a new generation whenever words of a project are removed from the index. Within one,
-- a block of postings can only be joined with others, so that a process may cache it.

ALTER TABLE projects ADD COLUMN word_generation UUID NOT NULL DEFAULT gen_random_uuid();

CREATE FUNCTION renew_word_generation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.word_generation := gen_random_uuid();
    RETURN NEW;
END $$;

CREATE TRIGGER words_removed BEFORE UPDATE OF indexed ON projects FOR EACH ROW
    WHEN (NEW.indexed < OLD.indexed) EXECUTE FUNCTION renew_word_generation();
