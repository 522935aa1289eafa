import type { Tables } from './tables.ts'

/** A step to the next schema version: statements that run in order, in one transaction. */
export type Migration = (tables: Tables) => string[]

/**
 * From an empty database to the newest schema. A released migration is never changed: add a new one at the
 * end.
 *
 * Ids compare byte by byte (`COLLATE "C"`), and times are milliseconds since 1970. JSON is stored as text,
 * because `jsonb` rejects U+0000.
 */
export const MIGRATIONS: readonly Migration[] = [
  (t) => [
    `CREATE SEQUENCE ${t.changes}`,
    `CREATE TABLE ${t.threads} (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      owner text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      title text,
      metadata text NOT NULL DEFAULT '{}',
      state text NOT NULL DEFAULT '{}',
      version bigint NOT NULL,
      changed bigint NOT NULL,
      created_at bigint NOT NULL,
      updated_at bigint NOT NULL,
      last_sequence bigint NOT NULL DEFAULT 0,
      message_count bigint NOT NULL DEFAULT 0,
      text_count bigint NOT NULL DEFAULT 0,
      term_count bigint NOT NULL DEFAULT 0,
      UNIQUE (owner, id)
    )`,
    `CREATE INDEX ON ${t.threads} (owner, changed)`,
    `CREATE INDEX ON ${t.threads} (owner, key)`,
    // `terms` has a hash for each distinct term, `frequencies` how often it occurs. See word-search.ts.
    `CREATE TABLE ${t.messages} (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      thread_key bigint NOT NULL REFERENCES ${t.threads} ON DELETE CASCADE,
      sequence bigint NOT NULL,
      owner text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      role text NOT NULL,
      created_at bigint NOT NULL,
      content text NOT NULL,
      labels text[],
      text_hash bigint NOT NULL,
      term_count integer NOT NULL,
      terms bigint[] NOT NULL,
      frequencies integer[] NOT NULL,
      UNIQUE (thread_key, sequence),
      UNIQUE (thread_key, id)
    )`,
    `CREATE INDEX ON ${t.messages} (owner, key) WHERE term_count > 0`,
    `CREATE INDEX ON ${t.messages} USING gin (terms)`,
    `CREATE TABLE ${t.vectors} (
      message_key bigint PRIMARY KEY REFERENCES ${t.messages} ON DELETE CASCADE,
      owner text COLLATE "C" NOT NULL,
      model text COLLATE "C" NOT NULL,
      embedding real[] NOT NULL
    )`,
    // Vectors do not compress.
    `ALTER TABLE ${t.vectors} ALTER COLUMN embedding SET STORAGE EXTERNAL`,
    `CREATE INDEX ON ${t.vectors} (owner, model)`,
    `CREATE TABLE ${t.models} (
      owner text COLLATE "C" NOT NULL,
      model text COLLATE "C" NOT NULL,
      dimensions integer NOT NULL,
      PRIMARY KEY (owner, model)
    )`,
    `CREATE TABLE ${t.resources} (
      id text COLLATE "C" PRIMARY KEY,
      metadata text NOT NULL,
      state text NOT NULL,
      version bigint NOT NULL,
      created_at bigint NOT NULL,
      updated_at bigint NOT NULL
    )`,
    `CREATE TABLE ${t.runs} (
      id text COLLATE "C" PRIMARY KEY,
      place bigint GENERATED ALWAYS AS IDENTITY,
      owner text COLLATE "C" NOT NULL,
      thread_id text COLLATE "C",
      state text NOT NULL,
      expires_at bigint NOT NULL,
      forget_at bigint NOT NULL,
      run text,
      snapshot text
    )`,
    `CREATE INDEX ON ${t.runs} (owner, thread_id)`,
    `CREATE INDEX ON ${t.runs} (forget_at)`,
    `CREATE TABLE ${t.counters} (
      owner text COLLATE "C" NOT NULL,
      key text COLLATE "C" NOT NULL,
      value bigint NOT NULL,
      expires_at bigint,
      PRIMARY KEY (owner, key)
    )`,
    `CREATE INDEX ON ${t.counters} (expires_at)`,
    `CREATE TABLE ${t.keys} (
      owner text COLLATE "C" NOT NULL,
      key text COLLATE "C" NOT NULL,
      value text NOT NULL,
      expires_at bigint,
      PRIMARY KEY (owner, key)
    )`,
    `CREATE INDEX ON ${t.keys} (expires_at)`,
  ],
  (t) => [
    // Turns off the pending list of the GIN index, because each search would have to scan it.
    run(`DECLARE found regclass; BEGIN
      FOR found IN SELECT indexrelid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
        JOIN pg_am ON pg_am.oid = relam WHERE indrelid = ${literal(t.messages)}::regclass AND amname = 'gin'
      LOOP
        EXECUTE format('ALTER INDEX %s SET (fastupdate = off)', found);
        PERFORM gin_clean_pending_list(found);
      END LOOP;
    END`),
    // A session caches the plans of foreign key checks. Plans made while the tables were small scan whole
    // tables for each row, until statistics are updated. Deletions therefore name the dependent rows
    // explicitly.
    run(`DECLARE found record; BEGIN
      FOR found IN SELECT conrelid::regclass AS owner, conname FROM pg_constraint
        WHERE contype = 'f' AND conrelid IN (${literal(t.messages)}::regclass, ${literal(t.vectors)}::regclass)
      LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', found.owner, found.conname);
      END LOOP;
    END`),
  ],
  (t) => [
    // The lease of a running run. See runs.ts.
    `ALTER TABLE ${t.runs}
      ADD COLUMN attempt bigint NOT NULL DEFAULT 0,
      ADD COLUMN version bigint NOT NULL DEFAULT 0,
      ADD COLUMN lease_until bigint,
      ADD COLUMN data text`,
    `UPDATE ${t.runs} SET state = 'done' WHERE state = 'resumed'`,
    // The tool calls of a run since its last snapshot.
    `CREATE TABLE ${t.runCalls} (
      run_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      place bigint NOT NULL,
      call text NOT NULL,
      outcome text,
      PRIMARY KEY (run_id, id)
    )`,
    `CREATE TABLE ${t.streams} (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      owner text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      thread_id text COLLATE "C",
      length bigint NOT NULL DEFAULT 0,
      bytes bigint NOT NULL DEFAULT 0,
      ended boolean NOT NULL DEFAULT false,
      expires_at bigint NOT NULL,
      UNIQUE (owner, id)
    )`,
    `CREATE INDEX ON ${t.streams} (expires_at)`,
    `CREATE TABLE ${t.streamChunks} (
      stream bigint NOT NULL,
      place bigint NOT NULL,
      chunk text NOT NULL,
      PRIMARY KEY (stream, place)
    )`,
  ],
  (t) => [
    // The blobs that the content of messages refers to by id.
    `CREATE TABLE ${t.blobs} (
      message_key bigint NOT NULL,
      id text COLLATE "C" NOT NULL,
      data bytea NOT NULL,
      PRIMARY KEY (message_key, id)
    )`,
  ],
]

function run(block: string): string {
  return `DO ${literal(block)}`
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** The version of the schema that this version of the adapter works on. */
export const SCHEMA_VERSION: number = MIGRATIONS.length
