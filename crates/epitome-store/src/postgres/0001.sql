-- Times are milliseconds since 1970. A frame is compressed with zstd. Names are bytes, as clients choose them, and a text
-- of PostgreSQL cannot hold every character.

CREATE TABLE epitome.secrets (
    name BYTEA PRIMARY KEY,
    value BYTEA NOT NULL
);

-- Written to find out whether it can be written.
CREATE TABLE epitome.checked (
    one INTEGER PRIMARY KEY,
    times BIGINT NOT NULL
);

CREATE TABLE epitome.sessions (
    key BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant BYTEA NOT NULL,
    id BYTEA NOT NULL,
    first_ms BIGINT NOT NULL,
    last_ms BIGINT NOT NULL,
    -- JSON: model, dialect, sums, calibration.
    body BYTEA NOT NULL,
    UNIQUE (tenant, id)
);

CREATE INDEX sessions_by_time ON epitome.sessions (tenant, last_ms);

CREATE TABLE epitome.turns (
    session BIGINT NOT NULL REFERENCES epitome.sessions ON DELETE CASCADE,
    number BIGINT NOT NULL,
    -- JSON.
    turn BYTEA NOT NULL,
    PRIMARY KEY (session, number)
);

CREATE TABLE epitome.entries (
    -- Later ones of one history are larger.
    key BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id BYTEA NOT NULL UNIQUE,
    tenant BYTEA NOT NULL,
    session BIGINT NOT NULL REFERENCES epitome.sessions ON DELETE CASCADE,
    -- The fingerprint of the first message alone: what a history is looked up by, as it says which depths to try.
    root BYTEA NOT NULL,
    depth BIGINT NOT NULL,
    anchor BYTEA NOT NULL,
    parent BYTEA,
    at_ms BIGINT NOT NULL,
    -- A frame of JSON.
    replay BYTEA NOT NULL,
    -- JSON.
    log BYTEA NOT NULL
);

CREATE INDEX entries_by_place ON epitome.entries (tenant, root, depth, anchor);
CREATE INDEX entries_by_session ON epitome.entries (session);

CREATE TABLE epitome.contents (
    key BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant BYTEA NOT NULL,
    hash BYTEA NOT NULL,
    kind SMALLINT NOT NULL,
    -- The bytes, and the words behind them.
    frame BYTEA NOT NULL,
    -- Where the words begin; nothing if they are the bytes.
    split BIGINT,
    UNIQUE (tenant, hash)
);

-- They are compressed already.
ALTER TABLE epitome.contents ALTER COLUMN frame SET STORAGE EXTERNAL;
ALTER TABLE epitome.entries ALTER COLUMN replay SET STORAGE EXTERNAL;

CREATE TABLE epitome.removed (
    entry BIGINT NOT NULL REFERENCES epitome.entries ON DELETE CASCADE,
    position BIGINT NOT NULL,
    content BIGINT NOT NULL REFERENCES epitome.contents,
    PRIMARY KEY (entry, position)
);

CREATE INDEX removed_by_content ON epitome.removed (content);

CREATE TABLE epitome.history (
    session BIGINT NOT NULL REFERENCES epitome.sessions ON DELETE CASCADE,
    position BIGINT NOT NULL,
    content BIGINT NOT NULL REFERENCES epitome.contents,
    PRIMARY KEY (session, position)
);

CREATE INDEX history_by_content ON epitome.history (content);

CREATE TABLE epitome.leases (
    tenant BYTEA NOT NULL,
    prefix BYTEA NOT NULL,
    owner BYTEA NOT NULL,
    until_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant, prefix)
);

CREATE TABLE epitome.prepared (
    tenant BYTEA NOT NULL,
    anchor BYTEA NOT NULL,
    depth BIGINT NOT NULL,
    session BIGINT NOT NULL REFERENCES epitome.sessions ON DELETE CASCADE,
    frame BYTEA NOT NULL,
    PRIMARY KEY (tenant, anchor)
);

CREATE INDEX prepared_by_depth ON epitome.prepared (tenant, depth);
CREATE INDEX prepared_by_session ON epitome.prepared (session);
ALTER TABLE epitome.prepared ALTER COLUMN frame SET STORAGE EXTERNAL;
