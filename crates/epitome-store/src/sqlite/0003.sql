-- Which sessions continue which archived ones.
CREATE TABLE continuations (
    session INTEGER PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
    archived INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE
) STRICT;

CREATE INDEX continuations_by_archived ON continuations (archived);
