-- Compactions that people asked for: one a session, until its next request.
CREATE TABLE wishes (
    session INTEGER PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
    at_ms INTEGER NOT NULL,
    focus TEXT
) STRICT;
