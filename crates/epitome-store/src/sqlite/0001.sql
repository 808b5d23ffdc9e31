-- Times are milliseconds since 1970. A frame is compressed with zstd.

CREATE TABLE secrets (
    name TEXT PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Written to find out whether it can be written.
CREATE TABLE checked (
    one INTEGER PRIMARY KEY,
    times INTEGER NOT NULL
) STRICT;

CREATE TABLE sessions (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    first_ms INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    -- JSON: model, dialect, sums, calibration.
    body BLOB NOT NULL,
    UNIQUE (tenant, id)
) STRICT;

CREATE INDEX sessions_by_time ON sessions (tenant, last_ms);

CREATE TABLE turns (
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    number INTEGER NOT NULL,
    -- JSON.
    turn BLOB NOT NULL,
    PRIMARY KEY (session, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE entries (
    -- Later ones are larger.
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    id BLOB NOT NULL UNIQUE,
    tenant TEXT NOT NULL,
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    -- The fingerprint of the first message alone: what a history is looked up by, as it says which depths to try.
    root BLOB NOT NULL,
    depth INTEGER NOT NULL,
    anchor BLOB NOT NULL,
    parent BLOB,
    at_ms INTEGER NOT NULL,
    -- A frame of JSON.
    replay BLOB NOT NULL,
    -- JSON.
    log BLOB NOT NULL
) STRICT;

CREATE INDEX entries_by_place ON entries (tenant, root, depth, anchor);
CREATE INDEX entries_by_session ON entries (session);

CREATE TABLE contents (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    hash BLOB NOT NULL,
    kind INTEGER NOT NULL,
    -- The bytes, and the words behind them.
    frame BLOB NOT NULL,
    -- Where the words begin; nothing if they are the bytes.
    split INTEGER,
    -- 0: not yet in `words`; 1: it is; 2: it is too large for it and is always read.
    indexed INTEGER NOT NULL DEFAULT 0,
    UNIQUE (tenant, hash)
) STRICT;

CREATE INDEX contents_to_index ON contents (key) WHERE indexed = 0;
CREATE INDEX contents_to_read ON contents (key) WHERE indexed = 2;

CREATE TABLE removed (
    entry INTEGER NOT NULL REFERENCES entries ON DELETE CASCADE,
    position INTEGER NOT NULL,
    content INTEGER NOT NULL REFERENCES contents,
    PRIMARY KEY (entry, position)
) STRICT, WITHOUT ROWID;

CREATE INDEX removed_by_content ON removed (content);

CREATE TABLE history (
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    position INTEGER NOT NULL,
    content INTEGER NOT NULL REFERENCES contents,
    PRIMARY KEY (session, position)
) STRICT, WITHOUT ROWID;

CREATE INDEX history_by_content ON history (content);

-- Which words hold which three characters. Folded by us, as SQLite knows fewer letters than Unicode has.
CREATE VIRTUAL TABLE words USING fts5 (
    folded,
    tokenize = 'trigram case_sensitive 1',
    content = '',
    contentless_delete = 1,
    detail = none
);

CREATE TABLE leases (
    tenant TEXT NOT NULL,
    prefix BLOB NOT NULL,
    owner TEXT NOT NULL,
    until_ms INTEGER NOT NULL,
    PRIMARY KEY (tenant, prefix)
) STRICT, WITHOUT ROWID;

CREATE TABLE prepared (
    tenant TEXT NOT NULL,
    anchor BLOB NOT NULL,
    depth INTEGER NOT NULL,
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    frame BLOB NOT NULL,
    PRIMARY KEY (tenant, anchor)
) STRICT;

CREATE INDEX prepared_by_depth ON prepared (tenant, depth, anchor);
CREATE INDEX prepared_by_session ON prepared (session);
