/** The statements of one schema version. */
export type Migration = readonly string[]

/**
 * The migrations, one list of statements per schema version. A released version is never changed: add a new
 * one at the end.
 *
 * - A message key is `resource << 32 | position`, so the messages of a resource are one key range, in their
 *   table and in the FTS index, and a search reads no rows of other resources.
 * - `last_place` numbers messages and thread changes in the order of saving, per resource.
 * - `terms` are the stemmed terms of a message, as core extracts them; NULL if there is nothing to search.
 */
export const MIGRATIONS: readonly Migration[] = [
  [
    `CREATE TABLE millrace_resources (
      key INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      last_place INTEGER NOT NULL DEFAULT 0,
      version INTEGER NOT NULL DEFAULT 0,
      metadata TEXT NOT NULL DEFAULT '{}',
      state TEXT NOT NULL DEFAULT '{}',
      created_at INTEGER NOT NULL DEFAULT 0,
      updated_at INTEGER NOT NULL DEFAULT 0
    ) STRICT`,
    `CREATE TABLE millrace_threads (
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
    ) STRICT`,
    'CREATE UNIQUE INDEX millrace_threads_by_id ON millrace_threads (resource, id)',
    'CREATE INDEX millrace_threads_by_change ON millrace_threads (resource, changed)',
    'CREATE INDEX millrace_threads_by_creation ON millrace_threads (resource, created)',
    `CREATE TABLE millrace_messages (
      key INTEGER PRIMARY KEY,
      thread INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      id TEXT NOT NULL,
      role TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      terms TEXT,
      content TEXT NOT NULL
    ) STRICT`,
    'CREATE UNIQUE INDEX millrace_messages_by_id ON millrace_messages (thread, id)',
    'CREATE UNIQUE INDEX millrace_messages_by_sequence ON millrace_messages (thread, sequence)',
    // The terms are already tokenized, so the tokenizer only splits them at spaces. Code points that this
    // SQLite version does not know yet (Cn) can be letters in a newer Unicode version.
    `CREATE VIRTUAL TABLE millrace_words USING fts5 (
      thread, terms, content = 'millrace_messages', content_rowid = 'key',
      tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* C*'"
    )`,
    // Deleted terms are removed from the index at once.
    "INSERT INTO millrace_words (millrace_words, rank) VALUES ('secure-delete', 1)",
    `CREATE TABLE millrace_models (
      key INTEGER PRIMARY KEY,
      resource INTEGER NOT NULL,
      name TEXT NOT NULL,
      dimensions INTEGER NOT NULL,
      UNIQUE (resource, name)
    ) STRICT`,
    `CREATE TABLE millrace_vectors (
      message INTEGER PRIMARY KEY,
      model INTEGER NOT NULL,
      vector BLOB NOT NULL
    ) STRICT`,
    'CREATE INDEX millrace_vectors_by_model ON millrace_vectors (model)',
    // Messages with terms that have no vector of any model.
    `CREATE TABLE millrace_without_vector (
      message INTEGER PRIMARY KEY,
      thread INTEGER NOT NULL
    ) STRICT`,
    `CREATE TRIGGER millrace_message_added AFTER INSERT ON millrace_messages BEGIN
      UPDATE millrace_threads SET last_sequence = new.sequence, message_count = message_count + 1
        WHERE key = new.thread;
    END`,
    // New messages are indexed by one statement after all of them are inserted: FTS5 flushes its pending
    // terms before each statement that can fail halfway.
    `CREATE TRIGGER millrace_words_replaced AFTER UPDATE OF terms ON millrace_messages
      WHEN old.terms IS NOT new.terms BEGIN
      INSERT INTO millrace_words (millrace_words, rowid, thread, terms)
        SELECT 'delete', old.key, old.thread, old.terms WHERE old.terms IS NOT NULL;
      DELETE FROM millrace_vectors WHERE message = old.key;
      DELETE FROM millrace_without_vector WHERE message = old.key;
      INSERT INTO millrace_words (rowid, thread, terms)
        SELECT new.key, new.thread, new.terms WHERE new.terms IS NOT NULL;
      INSERT INTO millrace_without_vector SELECT new.key, new.thread WHERE new.terms IS NOT NULL;
    END`,
    `CREATE TRIGGER millrace_message_deleted AFTER DELETE ON millrace_messages BEGIN
      UPDATE millrace_threads SET message_count = message_count - 1 WHERE key = old.thread;
    END`,
    `CREATE TRIGGER millrace_words_deleted AFTER DELETE ON millrace_messages WHEN old.terms IS NOT NULL BEGIN
      INSERT INTO millrace_words (millrace_words, rowid, thread, terms)
        VALUES ('delete', old.key, old.thread, old.terms);
      DELETE FROM millrace_vectors WHERE message = old.key;
      DELETE FROM millrace_without_vector WHERE message = old.key;
    END`,
    `CREATE TRIGGER millrace_vector_added AFTER INSERT ON millrace_vectors BEGIN
      DELETE FROM millrace_without_vector WHERE message = new.message;
    END`,
    // `until`: when a suspended run expires, or when a finished one is deleted.
    `CREATE TABLE millrace_runs (
      key INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      resource TEXT NOT NULL,
      thread TEXT NOT NULL,
      state TEXT NOT NULL,
      until INTEGER NOT NULL,
      run TEXT,
      snapshot TEXT
    ) STRICT`,
    'CREATE INDEX millrace_runs_by_owner ON millrace_runs (resource, state, thread)',
    'CREATE INDEX millrace_runs_by_time ON millrace_runs (state, until)',
    `CREATE TABLE millrace_counters (
      resource TEXT NOT NULL,
      key TEXT NOT NULL,
      value INTEGER NOT NULL,
      expires_at INTEGER,
      PRIMARY KEY (resource, key)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX millrace_counters_by_expiry ON millrace_counters (expires_at) WHERE expires_at IS NOT NULL`,
    `CREATE TABLE millrace_keys (
      resource TEXT NOT NULL,
      key TEXT NOT NULL,
      value TEXT NOT NULL,
      expires_at INTEGER,
      PRIMARY KEY (resource, key)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX millrace_keys_by_expiry ON millrace_keys (expires_at) WHERE expires_at IS NOT NULL`,
  ],
  [
    // What BM25 needs of a message with terms: their number, and the frequency of terms that occur more than
    // once, as ' mill:3 river:2 '. A search reads this table for each match, so its rows are small.
    `CREATE TABLE millrace_texts (
      message INTEGER PRIMARY KEY,
      thread INTEGER NOT NULL,
      length INTEGER NOT NULL,
      repeated TEXT NOT NULL
    ) STRICT`,
    // The number of messages of a resource that have terms, and the number of their terms.
    `CREATE TABLE millrace_corpora (
      resource INTEGER PRIMARY KEY,
      texts INTEGER NOT NULL,
      terms INTEGER NOT NULL
    ) STRICT`,
    `CREATE TRIGGER millrace_text_added AFTER INSERT ON millrace_texts BEGIN
      INSERT INTO millrace_corpora VALUES (new.message >> 32, 1, new.length)
        ON CONFLICT (resource) DO UPDATE SET texts = texts + 1, terms = terms + new.length;
    END`,
    `CREATE TRIGGER millrace_text_replaced AFTER UPDATE OF length ON millrace_texts BEGIN
      UPDATE millrace_corpora SET terms = terms + new.length - old.length WHERE resource = new.message >> 32;
    END`,
    `CREATE TRIGGER millrace_text_deleted AFTER DELETE ON millrace_texts BEGIN
      UPDATE millrace_corpora SET texts = texts - 1, terms = terms - old.length WHERE resource = old.message >> 32;
    END`,
    `INSERT INTO millrace_texts
      SELECT key, thread, length(terms) - length(replace(terms, ' ', '')) + 1, coalesce((
        SELECT ' ' || group_concat(term || ':' || count, ' ') || ' ' FROM (
          SELECT value AS term, count(*) AS count FROM json_each('["' || replace(terms, ' ', '","') || '"]')
          GROUP BY value HAVING count(*) > 1)), '')
      FROM millrace_messages WHERE terms IS NOT NULL`,
    'DROP TRIGGER millrace_words_replaced',
    `CREATE TRIGGER millrace_words_replaced AFTER UPDATE OF terms ON millrace_messages
      WHEN old.terms IS NOT new.terms BEGIN
      INSERT INTO millrace_words (millrace_words, rowid, thread, terms)
        SELECT 'delete', old.key, old.thread, old.terms WHERE old.terms IS NOT NULL;
      DELETE FROM millrace_vectors WHERE message = old.key;
      DELETE FROM millrace_without_vector WHERE message = old.key;
      DELETE FROM millrace_texts WHERE message = old.key AND new.terms IS NULL;
      INSERT INTO millrace_words (rowid, thread, terms)
        SELECT new.key, new.thread, new.terms WHERE new.terms IS NOT NULL;
      INSERT INTO millrace_without_vector SELECT new.key, new.thread WHERE new.terms IS NOT NULL;
    END`,
    'DROP TRIGGER millrace_words_deleted',
    `CREATE TRIGGER millrace_words_deleted AFTER DELETE ON millrace_messages WHEN old.terms IS NOT NULL BEGIN
      INSERT INTO millrace_words (millrace_words, rowid, thread, terms)
        VALUES ('delete', old.key, old.thread, old.terms);
      DELETE FROM millrace_texts WHERE message = old.key;
      DELETE FROM millrace_vectors WHERE message = old.key;
      DELETE FROM millrace_without_vector WHERE message = old.key;
    END`,
  ],
  [
    // What a deletion still has to erase from the file: see erase.ts.
    `CREATE TABLE millrace_erased (
      message INTEGER PRIMARY KEY,
      thread INTEGER NOT NULL,
      indexed TEXT,
      words TEXT NOT NULL
    ) STRICT`,
    'CREATE VIRTUAL TABLE millrace_vocabulary USING fts5vocab (millrace_words, instance)',
    'DROP TRIGGER millrace_words_replaced',
    `CREATE TRIGGER millrace_words_replaced AFTER UPDATE OF terms ON millrace_messages
      WHEN old.terms IS NOT new.terms BEGIN
      INSERT INTO millrace_words (millrace_words, rowid, thread, terms)
        SELECT 'delete', old.key, old.thread, old.terms WHERE old.terms IS NOT NULL;
      INSERT INTO millrace_erased SELECT old.key, old.thread, NULL, old.terms WHERE old.terms IS NOT NULL
        ON CONFLICT (message) DO UPDATE SET words = words || ' ' || excluded.words;
      DELETE FROM millrace_vectors WHERE message = old.key;
      DELETE FROM millrace_without_vector WHERE message = old.key;
      DELETE FROM millrace_texts WHERE message = old.key AND new.terms IS NULL;
      INSERT INTO millrace_words (rowid, thread, terms)
        SELECT new.key, new.thread, new.terms WHERE new.terms IS NOT NULL;
      INSERT INTO millrace_without_vector SELECT new.key, new.thread WHERE new.terms IS NOT NULL;
    END`,
    'DROP TRIGGER millrace_words_deleted',
    `CREATE TRIGGER millrace_words_deleted AFTER DELETE ON millrace_messages WHEN old.terms IS NOT NULL BEGIN
      INSERT INTO millrace_erased VALUES (old.key, old.thread, old.terms, old.terms)
        ON CONFLICT (message) DO UPDATE SET indexed = excluded.indexed, words = words || ' ' || excluded.words;
      DELETE FROM millrace_texts WHERE message = old.key;
      DELETE FROM millrace_vectors WHERE message = old.key;
      DELETE FROM millrace_without_vector WHERE message = old.key;
    END`,
  ],
  [
    // The lease of a running run. See run-statements.ts.
    'ALTER TABLE millrace_runs ADD COLUMN attempt INTEGER NOT NULL DEFAULT 0',
    'ALTER TABLE millrace_runs ADD COLUMN version INTEGER NOT NULL DEFAULT 0',
    'ALTER TABLE millrace_runs ADD COLUMN lease_until INTEGER',
    'ALTER TABLE millrace_runs ADD COLUMN data TEXT',
    "UPDATE millrace_runs SET state = 'done' WHERE state = 'resumed'",
    // The tool calls of a run since its last snapshot.
    `CREATE TABLE millrace_run_calls (
      run TEXT NOT NULL,
      id TEXT NOT NULL,
      place INTEGER NOT NULL,
      call TEXT NOT NULL,
      outcome TEXT,
      PRIMARY KEY (run, id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TRIGGER millrace_run_deleted AFTER DELETE ON millrace_runs BEGIN
      DELETE FROM millrace_run_calls WHERE run = old.id;
    END`,
    `CREATE TRIGGER millrace_run_ended AFTER UPDATE OF state ON millrace_runs
      WHEN new.state IN ('done', 'released', 'expired') BEGIN
      DELETE FROM millrace_run_calls WHERE run = old.id;
    END`,
    `CREATE TABLE millrace_streams (
      key INTEGER PRIMARY KEY,
      resource TEXT NOT NULL,
      id TEXT NOT NULL,
      thread TEXT NOT NULL,
      length INTEGER NOT NULL DEFAULT 0,
      bytes INTEGER NOT NULL DEFAULT 0,
      ended INTEGER NOT NULL DEFAULT 0,
      expires_at INTEGER NOT NULL,
      UNIQUE (resource, id)
    ) STRICT`,
    'CREATE INDEX millrace_streams_by_expiry ON millrace_streams (expires_at)',
    `CREATE TABLE millrace_stream_chunks (
      stream INTEGER NOT NULL,
      place INTEGER NOT NULL,
      chunk TEXT NOT NULL,
      PRIMARY KEY (stream, place)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TRIGGER millrace_stream_deleted AFTER DELETE ON millrace_streams BEGIN
      DELETE FROM millrace_stream_chunks WHERE stream = old.key;
    END`,
  ],
  [
    // The blobs that the content of messages refers to by id.
    `CREATE TABLE millrace_blobs (
      message INTEGER NOT NULL,
      id TEXT NOT NULL,
      data BLOB NOT NULL,
      PRIMARY KEY (message, id)
    ) STRICT`,
    `CREATE TRIGGER millrace_blobs_deleted AFTER DELETE ON millrace_messages BEGIN
      DELETE FROM millrace_blobs WHERE message = old.key;
    END`,
    `CREATE TRIGGER millrace_blobs_replaced AFTER UPDATE OF content ON millrace_messages BEGIN
      DELETE FROM millrace_blobs WHERE message = old.key AND instr(new.content, id) = 0;
    END`,
  ],
]
