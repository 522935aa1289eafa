-- A database as version 1 of the schema was released with, and what it held. Never changed.

CREATE SEQUENCE millrace_changes;
CREATE TABLE millrace_threads (
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
    );
CREATE INDEX ON millrace_threads (owner, changed);
CREATE INDEX ON millrace_threads (owner, key);
CREATE TABLE millrace_messages (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      thread_key bigint NOT NULL REFERENCES millrace_threads ON DELETE CASCADE,
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
    );
CREATE INDEX ON millrace_messages (owner, key) WHERE term_count > 0;
CREATE INDEX ON millrace_messages USING gin (terms);
CREATE TABLE millrace_vectors (
      message_key bigint PRIMARY KEY REFERENCES millrace_messages ON DELETE CASCADE,
      owner text COLLATE "C" NOT NULL,
      model text COLLATE "C" NOT NULL,
      embedding real[] NOT NULL
    );
ALTER TABLE millrace_vectors ALTER COLUMN embedding SET STORAGE EXTERNAL;
CREATE INDEX ON millrace_vectors (owner, model);
CREATE TABLE millrace_vector_models (
      owner text COLLATE "C" NOT NULL,
      model text COLLATE "C" NOT NULL,
      dimensions integer NOT NULL,
      PRIMARY KEY (owner, model)
    );
CREATE TABLE millrace_resources (
      id text COLLATE "C" PRIMARY KEY,
      metadata text NOT NULL,
      state text NOT NULL,
      version bigint NOT NULL,
      created_at bigint NOT NULL,
      updated_at bigint NOT NULL
    );
CREATE TABLE millrace_runs (
      id text COLLATE "C" PRIMARY KEY,
      place bigint GENERATED ALWAYS AS IDENTITY,
      owner text COLLATE "C" NOT NULL,
      thread_id text COLLATE "C",
      state text NOT NULL,
      expires_at bigint NOT NULL,
      forget_at bigint NOT NULL,
      run text,
      snapshot text
    );
CREATE INDEX ON millrace_runs (owner, thread_id);
CREATE INDEX ON millrace_runs (forget_at);
CREATE TABLE millrace_counters (
      owner text COLLATE "C" NOT NULL,
      key text COLLATE "C" NOT NULL,
      value bigint NOT NULL,
      expires_at bigint,
      PRIMARY KEY (owner, key)
    );
CREATE INDEX ON millrace_counters (expires_at);
CREATE TABLE millrace_keys (
      owner text COLLATE "C" NOT NULL,
      key text COLLATE "C" NOT NULL,
      value text NOT NULL,
      expires_at bigint,
      PRIMARY KEY (owner, key)
    );
CREATE INDEX ON millrace_keys (expires_at);
CREATE TABLE millrace_schema (version integer NOT NULL);
INSERT INTO millrace_schema VALUES (1);
INSERT INTO millrace_threads (key, owner, id, title, metadata, state, version, changed, created_at, updated_at, last_sequence, message_count, text_count, term_count) OVERRIDING SYSTEM VALUE VALUES (1, 'ada', 'trip', 'Lisbon', '{"color":"red"}', '{"memory":"Likes trains"}', 2, 4, 1795184176443, 1795184176894, 3, 3, 3, 16);
INSERT INTO millrace_threads (key, owner, id, title, metadata, state, version, changed, created_at, updated_at, last_sequence, message_count, text_count, term_count) OVERRIDING SYSTEM VALUE VALUES (2, '', 'other', NULL, '{}', '{}', 1, 2, 1795184176829, 1795184176829, 1, 1, 1, 4);
INSERT INTO millrace_messages (key, thread_key, sequence, owner, id, role, created_at, content, labels, text_hash, term_count, terms, frequencies) OVERRIDING SYSTEM VALUE VALUES (1, 1, 1, 'ada', 'm1', 'user', 1767225600000, '{"parts":[{"type":"text","text":"We take the night train to Lisbon."}],"metadata":{"lang":"en"}}', '{"[\"lang\",\"en\"]"}', -8143519584548215195, 7, '{-1330515519698013461,4537569157954068955,-4810926881444153046,-5065081686547283818,-3003142824304868336,7639349444927290918,-9208480939177991376}', '{1,1,1,1,1,1,1}');
INSERT INTO millrace_messages (key, thread_key, sequence, owner, id, role, created_at, content, labels, text_hash, term_count, terms, frequencies) OVERRIDING SYSTEM VALUE VALUES (2, 1, 2, 'ada', 'm2', 'assistant', 1767225600000, '{"parts":[{"type":"text","text":"Bring an umbrella: \u0000 東京"}],"metadata":{"lang":"en"}}', '{"[\"lang\",\"en\"]"}', -8445091768260543104, 4, '{-4049030716349642929,-1918550574450367872,5318499447554542668,698274013234989725}', '{1,1,1,1}');
INSERT INTO millrace_messages (key, thread_key, sequence, owner, id, role, created_at, content, labels, text_hash, term_count, terms, frequencies) OVERRIDING SYSTEM VALUE VALUES (3, 1, 3, 'ada', 'm3', 'user', 1767225600000, '{"parts":[{"type":"text","text":"The train leaves at nine."}],"metadata":{"lang":"en"}}', '{"[\"lang\",\"en\"]"}', -1279594670950255722, 5, '{4537569157954068955,1184076805610377618,6280715883850929853,-3003142824304868336,-4345892598310087373}', '{1,1,1,1,1}');
INSERT INTO millrace_messages (key, thread_key, sequence, owner, id, role, created_at, content, labels, text_hash, term_count, terms, frequencies) OVERRIDING SYSTEM VALUE VALUES (4, 2, 1, '', 'm1', 'user', 1767225600000, '{"parts":[{"type":"text","text":"Nobody owns this train."}],"metadata":{"lang":"en"}}', '{"[\"lang\",\"en\"]"}', 6852676382261647102, 4, '{8162716365900125796,-4262517482603651052,8296216158342919235,-3731447503005275269}', '{1,1,1,1}');
INSERT INTO millrace_vectors (message_key, owner, model, embedding) OVERRIDING SYSTEM VALUE VALUES (1, 'ada', 'example-embedding', '{0.6,0.8}');
INSERT INTO millrace_vectors (message_key, owner, model, embedding) OVERRIDING SYSTEM VALUE VALUES (2, 'ada', 'example-embedding', '{0,1}');
INSERT INTO millrace_vector_models (owner, model, dimensions) OVERRIDING SYSTEM VALUE VALUES ('ada', 'example-embedding', 2);
INSERT INTO millrace_resources (id, metadata, state, version, created_at, updated_at) OVERRIDING SYSTEM VALUE VALUES ('ada', '{"plan":"free"}', '{"memory":"Ada"}', 1, 1795184176957, 1795184176957);
INSERT INTO millrace_runs (id, place, owner, thread_id, state, expires_at, forget_at, run, snapshot) OVERRIDING SYSTEM VALUE VALUES ('run-1', 1, 'ada', 'trip', 'suspended', 8000000000000000, 8000000086400000, '{"runId":"run-1","agentName":"agent","threadId":"trip","resourceId":"ada","payload":{"ask":"May I?"},"createdAt":1767225600000,"expiresAt":8000000000000000}', '{"version":1}');
INSERT INTO millrace_runs (id, place, owner, thread_id, state, expires_at, forget_at, run, snapshot) OVERRIDING SYSTEM VALUE VALUES ('run-2', 2, 'ada', NULL, 'resumed', 8000000000000000, 8000000000000000, NULL, NULL);
INSERT INTO millrace_counters (owner, key, value, expires_at) OVERRIDING SYSTEM VALUE VALUES ('ada', 'tokens', 7, NULL);
INSERT INTO millrace_keys (owner, key, value, expires_at) OVERRIDING SYSTEM VALUE VALUES ('ada', 'cache', 'value', NULL);
SELECT setval(pg_get_serial_sequence('millrace_threads', 'key'), 100);
SELECT setval(pg_get_serial_sequence('millrace_messages', 'key'), 100);
SELECT setval(pg_get_serial_sequence('millrace_runs', 'place'), 100);
SELECT setval('millrace_changes', 100);
