-- Layout 9: the vectors of the lines that an answer may quote.

-- Derived from events. The first byte says how many vectors there are; they follow one after the
-- other, a byte a number: each is stretched to the range of a byte, for only its direction counts.
CREATE TABLE line_vectors (
    seq INTEGER NOT NULL REFERENCES events (seq),
    space_id INTEGER NOT NULL REFERENCES spaces (id),
    vectors BLOB NOT NULL,
    PRIMARY KEY (seq, space_id)
);
