/** The schema version, stored in `PRAGMA user_version`. */
export const SCHEMA_VERSION = 1

/**
 * The resource is part of every key; without one, `owner` is ''. Rows are ordered by counters, never by
 * timestamps. SQLite compares text byte by byte, so different ids stay different: in other databases, choose
 * a collation that does the same.
 */
export const SCHEMA: string = `
  CREATE TABLE threads (
    thread INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, id TEXT NOT NULL,
    title TEXT, metadata TEXT NOT NULL DEFAULT '{}', state TEXT NOT NULL DEFAULT '{}',
    version INTEGER NOT NULL DEFAULT 0, last_sequence INTEGER NOT NULL DEFAULT 0,
    changed INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    UNIQUE (owner, id)
  ) STRICT;
  CREATE INDEX threads_changed ON threads (owner, changed);
  CREATE TABLE messages (
    thread INTEGER NOT NULL REFERENCES threads ON DELETE CASCADE, sequence INTEGER NOT NULL,
    id TEXT NOT NULL, role TEXT NOT NULL, created_at INTEGER NOT NULL, content TEXT NOT NULL,
    PRIMARY KEY (thread, sequence), UNIQUE (thread, id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE blobs (
    thread INTEGER NOT NULL, sequence INTEGER NOT NULL, id TEXT NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (thread, sequence, id), FOREIGN KEY (thread, sequence) REFERENCES messages ON DELETE CASCADE
  ) STRICT;
  CREATE TABLE resources (
    owner TEXT PRIMARY KEY, metadata TEXT NOT NULL, state TEXT NOT NULL, version INTEGER NOT NULL,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE runs (
    place INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL UNIQUE, owner TEXT NOT NULL, thread_id TEXT,
    state TEXT NOT NULL DEFAULT 'suspended', expires_at INTEGER NOT NULL, run TEXT NOT NULL, snapshot TEXT NOT NULL,
    attempt INTEGER NOT NULL, version INTEGER NOT NULL, lease_until INTEGER, data TEXT
  ) STRICT;
  CREATE INDEX runs_owner ON runs (owner, thread_id);
  CREATE TABLE run_calls (
    place INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE,
    call_id TEXT NOT NULL, call TEXT NOT NULL, outcome TEXT, UNIQUE (run_id, call_id)
  ) STRICT;
  CREATE TABLE streams (
    stream INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, run_id TEXT NOT NULL, thread_id TEXT,
    length INTEGER NOT NULL, bytes INTEGER NOT NULL, ended INTEGER NOT NULL, expires_at INTEGER NOT NULL,
    UNIQUE (owner, run_id)
  ) STRICT;
  CREATE TABLE stream_chunks (
    stream INTEGER NOT NULL REFERENCES streams ON DELETE CASCADE, place INTEGER NOT NULL, chunk TEXT NOT NULL,
    PRIMARY KEY (stream, place)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE counters (
    owner TEXT NOT NULL, key TEXT NOT NULL, value INTEGER NOT NULL, expires_at INTEGER,
    PRIMARY KEY (owner, key)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE keys (
    owner TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, expires_at INTEGER,
    PRIMARY KEY (owner, key)
  ) STRICT, WITHOUT ROWID;
`
