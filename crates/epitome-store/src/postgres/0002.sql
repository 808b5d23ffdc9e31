-- Compactions that people asked for: one a session, until its next request.
CREATE TABLE epitome.wishes (
    session BIGINT PRIMARY KEY REFERENCES epitome.sessions ON DELETE CASCADE,
    at_ms BIGINT NOT NULL,
    focus BYTEA
);
