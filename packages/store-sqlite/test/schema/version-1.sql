-- What version 1 of the schema made, and a little of everything in it. It is never changed.
CREATE TABLE millrace_schema (version INTEGER PRIMARY KEY) STRICT;
CREATE TABLE millrace_resources (
      key INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      last_place INTEGER NOT NULL DEFAULT 0,
      version INTEGER NOT NULL DEFAULT 0,
      metadata TEXT NOT NULL DEFAULT '{}',
      state TEXT NOT NULL DEFAULT '{}',
      created_at INTEGER NOT NULL DEFAULT 0,
      updated_at INTEGER NOT NULL DEFAULT 0
    ) STRICT;
CREATE TABLE millrace_threads (
      key INTEGER PRIMARY KEY,
      resource INTEGER NOT NULL,
      id TEXT NOT NULL,
      changed INTEGER NOT NULL,
      created INTEGER NOT NULL,
      last_sequence INTEGER NOT NULL DEFAULT 0,
      message_count INTEGER NOT NULL DEFAULT 0,
      version INTEGER NOT NULL DEFAULT 1,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      title TEXT,
      metadata TEXT NOT NULL,
      state TEXT NOT NULL
    ) STRICT;
CREATE UNIQUE INDEX millrace_threads_by_id ON millrace_threads (resource, id);
CREATE INDEX millrace_threads_by_change ON millrace_threads (resource, changed);
CREATE INDEX millrace_threads_by_creation ON millrace_threads (resource, created);
CREATE TABLE millrace_messages (
      key INTEGER PRIMARY KEY,
      thread INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      id TEXT NOT NULL,
      role TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      terms TEXT,
      content TEXT NOT NULL
    ) STRICT;
CREATE UNIQUE INDEX millrace_messages_by_id ON millrace_messages (thread, id);
CREATE UNIQUE INDEX millrace_messages_by_sequence ON millrace_messages (thread, sequence);
CREATE VIRTUAL TABLE millrace_words USING fts5 (
      thread, terms, content = 'millrace_messages', content_rowid = 'key',
      tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* C*'"
    );
CREATE TABLE millrace_models (
      key INTEGER PRIMARY KEY,
      resource INTEGER NOT NULL,
      name TEXT NOT NULL,
      dimensions INTEGER NOT NULL,
      UNIQUE (resource, name)
    ) STRICT;
CREATE TABLE millrace_vectors (
      message INTEGER PRIMARY KEY,
      model INTEGER NOT NULL,
      vector BLOB NOT NULL
    ) STRICT;
CREATE INDEX millrace_vectors_by_model ON millrace_vectors (model);
CREATE TABLE millrace_without_vector (
      message INTEGER PRIMARY KEY,
      thread INTEGER NOT NULL
    ) STRICT;
CREATE TABLE millrace_runs (
      key INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      resource TEXT NOT NULL,
      thread TEXT NOT NULL,
      state TEXT NOT NULL,
      until INTEGER NOT NULL,
      run TEXT,
      snapshot TEXT
    ) STRICT;
CREATE INDEX millrace_runs_by_owner ON millrace_runs (resource, state, thread);
CREATE INDEX millrace_runs_by_time ON millrace_runs (state, until);
CREATE TABLE millrace_counters (
      resource TEXT NOT NULL,
      key TEXT NOT NULL,
      value INTEGER NOT NULL,
      expires_at INTEGER,
      PRIMARY KEY (resource, key)
    ) STRICT, WITHOUT ROWID;
CREATE INDEX millrace_counters_by_expiry ON millrace_counters (expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE millrace_keys (
      resource TEXT NOT NULL,
      key TEXT NOT NULL,
      value TEXT NOT NULL,
      expires_at INTEGER,
      PRIMARY KEY (resource, key)
    ) STRICT, WITHOUT ROWID;
CREATE INDEX millrace_keys_by_expiry ON millrace_keys (expires_at) WHERE expires_at IS NOT NULL;
INSERT INTO millrace_schema VALUES (1);
INSERT INTO millrace_resources VALUES (1, 'ada', 4, 1, '{"plan":"free"}', '{"notes":["likes trains"]}', 1795185518878, 1795185518878);
INSERT INTO millrace_resources VALUES (2, '', 2, 0, '{}', '{}', 0, 0);
INSERT INTO millrace_threads VALUES (1, 1, 'trip', 4, 1, 2, 2, 1, 1795185518847, 1795185518865, 'Lisbon', '{"year":2026}', '{"summary":"A trip"}');
INSERT INTO millrace_threads VALUES (2, 2, 'trip', 2, 2, 1, 1, 1, 1795185518866, 1795185518866, NULL, '{}', '{}');
INSERT INTO millrace_messages VALUES (4294967298, 1, 1, 'a', 'user', 1767225600000, 'where is the red umbrella', '{"parts":[{"type":"text","text":"Where is the red umbrella?"}]}');
INSERT INTO millrace_messages VALUES (4294967299, 1, 2, 'b', 'assistant', 1767225600000, 'in the hall', '{"parts":[{"type":"text","text":"In the hall."}]}');
INSERT INTO millrace_messages VALUES (8589934593, 2, 1, 'c', 'user', 1767225600000, 'nobodi own thi umbrella', '{"parts":[{"type":"text","text":"Nobody owns this umbrella."}]}');
INSERT INTO millrace_models VALUES (1, 1, 'example', 2);
INSERT INTO millrace_vectors VALUES (4294967298, 1, x'9a99193fcdcc4c3f');
INSERT INTO millrace_without_vector VALUES (4294967299, 1);
INSERT INTO millrace_without_vector VALUES (8589934593, 2);
INSERT INTO millrace_runs VALUES (1, 'run-1', 'ada', 'trip', 'suspended', 4102444800000, '{"runId":"run-1","agentName":"agent","threadId":"trip","resourceId":"ada","payload":{"amount":5},"createdAt":1767225600000,"expiresAt":4102444800000}', '{"version":1}');
INSERT INTO millrace_counters VALUES ('ada', 'tokens', 7, NULL);
INSERT INTO millrace_keys VALUES ('ada', 'cache', 'value', NULL);
INSERT INTO millrace_words (millrace_words, rank) VALUES ('secure-delete', 1);
INSERT INTO millrace_words (rowid, thread, terms) SELECT key, thread, terms FROM millrace_messages WHERE terms IS NOT NULL;
CREATE TRIGGER millrace_message_added AFTER INSERT ON millrace_messages BEGIN
      UPDATE millrace_threads SET last_sequence = new.sequence, message_count = message_count + 1
        WHERE key = new.thread;
    END;
CREATE TRIGGER millrace_words_replaced AFTER UPDATE OF terms ON millrace_messages
      WHEN old.terms IS NOT new.terms BEGIN
      INSERT INTO millrace_words (millrace_words, rowid, thread, terms)
        SELECT 'delete', old.key, old.thread, old.terms WHERE old.terms IS NOT NULL;
      DELETE FROM millrace_vectors WHERE message = old.key;
      DELETE FROM millrace_without_vector WHERE message = old.key;
      INSERT INTO millrace_words (rowid, thread, terms)
        SELECT new.key, new.thread, new.terms WHERE new.terms IS NOT NULL;
      INSERT INTO millrace_without_vector SELECT new.key, new.thread WHERE new.terms IS NOT NULL;
    END;
CREATE TRIGGER millrace_message_deleted AFTER DELETE ON millrace_messages BEGIN
      UPDATE millrace_threads SET message_count = message_count - 1 WHERE key = old.thread;
    END;
CREATE TRIGGER millrace_words_deleted AFTER DELETE ON millrace_messages WHEN old.terms IS NOT NULL BEGIN
      INSERT INTO millrace_words (millrace_words, rowid, thread, terms)
        VALUES ('delete', old.key, old.thread, old.terms);
      DELETE FROM millrace_vectors WHERE message = old.key;
      DELETE FROM millrace_without_vector WHERE message = old.key;
    END;
CREATE TRIGGER millrace_vector_added AFTER INSERT ON millrace_vectors BEGIN
      DELETE FROM millrace_without_vector WHERE message = new.message;
    END;
