-- Which sessions continue which archived ones.
CREATE TABLE epitome.continuations (
    session BIGINT PRIMARY KEY REFERENCES epitome.sessions ON DELETE CASCADE,
    archived BIGINT NOT NULL REFERENCES epitome.sessions ON DELETE CASCADE
);

CREATE INDEX continuations_by_archived ON epitome.continuations (archived);
