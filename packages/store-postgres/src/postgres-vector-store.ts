import { MillraceError, type OptionNames, requireOptions } from '@millrace/core'
import {
  type CopyVectorsOptions,
  checkDimensions,
  type DeleteVectorsOptions,
  parseCopyVectors,
  parseDeleteVectors,
  parseSaveVectors,
  parseSearchVectors,
  type SaveVectorsOptions,
  type VectorMatch,
  type VectorQuery,
  type VectorStore,
} from '@millrace/core/storage'
import { CallsInFlight } from './calls-in-flight.ts'
import { faultOf } from './fault.ts'
import { OwnPool } from './own-pool.ts'
import { type Connections, connectionsOf, type Sql } from './postgres-pool.ts'
import { POSTGRES_CONNECTION_OPTIONS, type PostgresConnectionOptions } from './postgres-store.ts'
import { quote } from './tables.ts'
import { fromTextColumn, textColumn } from './text-column.ts'

export type PostgresVectorStoreOptions = PostgresConnectionOptions & {
  /**
   * The schema of its table, `millrace_recall_vectors`; created with the table if it does not exist. Default:
   * `public`.
   */
  schema?: string | undefined
}

const POSTGRES_VECTOR_STORE_OPTIONS: OptionNames<PostgresVectorStoreOptions> = {
  ...POSTGRES_CONNECTION_OPTIONS,
  schema: 'optional',
}

/** The maximum number of dimensions of an HNSW index in pgvector. Longer vectors are scanned. */
const MAX_INDEXED_DIMENSIONS = 2_000

/**
 * The first version of pgvector with iterative index scans: they continue if a filter has left too few rows.
 */
const ITERATIVE_SCANS_SINCE = [0, 8] as const

/**
 * Up to this number of vectors of a resource, or of the thread that is searched, the search is an exact scan.
 */
const MAX_EXACT_SCAN = 1_000

/**
 * Limits of `hnsw.ef_search`, the candidates that an index scan keeps. The default of pgvector, 40, has too
 * low a recall; its maximum is 1,000.
 */
const MIN_EF_SEARCH = 100
const MAX_EF_SEARCH = 1_000

interface Ready {
  table: string
  /** The schema of pgvector, as a quoted identifier. */
  vector: string
  isIterative: boolean
}

/**
 * A vector store in PostgreSQL with pgvector, in the same database as the messages or in another one. It has
 * an HNSW index for each model, so that millions of vectors of one resource are searched in milliseconds. Up
 * to 1,000 vectors of a resource are scanned exactly. Above that, the index may miss one near vector in
 * fifty.
 *
 * @example new Memory({ storage, semanticRecall: { embedder, vectors: new PostgresVectorStore({ url }) } })
 */
export class PostgresVectorStore implements VectorStore {
  readonly #connections: Connections
  readonly #ownPool: OwnPool | undefined
  readonly #schema: string
  readonly #calls = new CallsInFlight()
  /** Models whose index exists. */
  readonly #indexed = new Set<string>()
  #ready: Promise<Ready> | undefined

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: PostgresVectorStoreOptions) {
    const options = requireOptions('PostgresVectorStore', given, POSTGRES_VECTOR_STORE_OPTIONS)
    const pool = 'pool' in options ? options.pool : new OwnPool(options)
    this.#ownPool = pool instanceof OwnPool ? pool : undefined
    this.#connections = connectionsOf(pool)
    const { schema = 'public' } = options
    if (schema === '' || schema.includes('\0') || new TextEncoder().encode(schema).length > 63) {
      throw new MillraceError(
        'CONFIG_INVALID',
        `schema is '${schema}'. Use a name of 1 to 63 bytes, such as public.`,
      )
    }
    this.#schema = quote(schema)
  }

  async saveVectors(options: SaveVectorsOptions): Promise<void> {
    const { owner, threadId, model, dimensions, vectors } = parseSaveVectors(options)
    return this.#call(async (ready) => {
      if (vectors.length === 0) return
      await this.#index(ready, { model, dimensions })
      const incoming = vectors.map(({ messageId, vector }) => ({ messageId, embedding: toLiteral(vector) }))
      await this.#connections.query(
        `INSERT INTO ${ready.table} (owner, thread_id, message_id, model, dimensions, embedding)
         SELECT DISTINCT ON (id) $1, $2, id, $3, $4::integer, (item->>'embedding')::${ready.vector}.vector
         FROM json_array_elements($5::json) WITH ORDINALITY AS given(item, place),
           LATERAL (SELECT item->>'messageId' AS id) AS named
         ORDER BY id, place DESC
         ON CONFLICT (owner, thread_id, message_id) DO UPDATE SET
           model = excluded.model, dimensions = excluded.dimensions, embedding = excluded.embedding`,
        [owner, threadId, model, dimensions, JSON.stringify(incoming)],
      )
    })
  }

  async searchVectors(options: VectorQuery): Promise<VectorMatch[]> {
    const { filter, model, vector, limit, minScore } = parseSearchVectors(options)
    const { owner, threadId } = filter
    return this.#call(async ({ table, vector: schema, isIterative }) => {
      const dimensions = vector.length
      const distance = `embedding::${schema}.vector(${dimensions}) OPERATOR(${schema}.<=>) $3::${schema}.vector(${dimensions})`
      // The model and the dimensions are literals, because a partial index is only used if the statement
      // contains them.
      const wanted = `SELECT thread_id, message_id, embedding FROM ${table}
        WHERE owner = $1 AND ($2::text IS NULL OR thread_id = $2)
          AND model = ${literal(model)} AND dimensions = ${dimensions}`
      const nearestOf = (vectors: string): string => `
        SELECT ${textColumn('thread_id', { name: 'thread_id' })}, ${textColumn('message_id', { name: 'message_id' })},
          1 - distance AS score
        FROM (
          SELECT thread_id, message_id, ${distance} AS distance FROM (${vectors}) AS wanted
          ORDER BY ${distance} LIMIT $4
        ) AS nearest WHERE 1 - distance >= $5::text::float8 ORDER BY distance`
      const values = [owner, threadId ?? null, toLiteral(vector), limit, String(minScore)]
      const rows = await this.#connections.transaction(async (sql) => {
        const [few] = await sql(
          `SELECT count(*) <= ${MAX_EXACT_SCAN} AS few FROM (
             SELECT FROM ${table} WHERE owner = $1 AND ($2::text IS NULL OR thread_id = $2) LIMIT ${MAX_EXACT_SCAN + 1}
           ) AS counted`,
          [owner, threadId ?? null],
        )
        if (few?.few === true) return sql(nearestOf(`${wanted} OFFSET 0`), values)
        if (isIterative) {
          // `SET LOCAL`, because a pooler may use another session for the next transaction.
          await sql("SET LOCAL hnsw.iterative_scan = 'strict_order'")
          await sql(
            `SET LOCAL hnsw.ef_search = ${Math.min(Math.max(MIN_EF_SEARCH, 2 * limit), MAX_EF_SEARCH)}`,
          )
        }
        return sql(nearestOf(wanted), values)
      })
      if (rows.length === 0) await this.#checkDimensions({ table, owner, model, dimensions })
      return rows.map((row) => ({
        threadId: fromTextColumn(row.thread_id),
        messageId: fromTextColumn(row.message_id),
        score: Number(row.score),
      }))
    })
  }

  async copyVectors(options: CopyVectorsOptions): Promise<void> {
    const { owner, threadId, from } = parseCopyVectors(options)
    return this.#call(async ({ table }) => {
      await this.#connections.query(
        `INSERT INTO ${table} (owner, thread_id, message_id, model, dimensions, embedding)
         SELECT DISTINCT ON (pair."messageId") owner, $2, pair."messageId", model, dimensions, embedding
         FROM json_to_recordset($4::json) AS pair ("messageId" text, "originalId" text)
         JOIN ${table} AS original
           ON original.owner = $1 AND original.thread_id = $3 AND original.message_id = pair."originalId"
         ORDER BY pair."messageId"
         ON CONFLICT (owner, thread_id, message_id) DO UPDATE SET
           model = excluded.model, dimensions = excluded.dimensions, embedding = excluded.embedding`,
        [owner, threadId, from.threadId, JSON.stringify(from.messages)],
      )
    })
  }

  async deleteVectors(options: DeleteVectorsOptions): Promise<void> {
    const { owner, threadId, messageIds } = parseDeleteVectors(options)
    return this.#call(async ({ table }) => {
      await this.#connections.query(
        `DELETE FROM ${table} WHERE owner = $1 AND ($2::text IS NULL OR thread_id = $2)
           AND ($3::text IS NULL OR message_id = ANY (ARRAY(SELECT json_array_elements_text($3::json))))`,
        [owner, threadId ?? null, messageIds === undefined ? null : JSON.stringify(messageIds)],
      )
    })
  }

  /** Waits for running calls, and closes the connections that the store has opened. */
  async close(): Promise<void> {
    await this.#calls.close()
    await this.#ownPool?.end()
  }

  #call<RESULT>(work: (ready: Ready) => Promise<RESULT>): Promise<RESULT> {
    return this.#calls.add(async () => {
      try {
        this.#ready ??= this.#prepare()
        return await work(await this.#ready)
      } catch (thrown) {
        throw faultOf(thrown, { undone: false }).error
      }
    })
  }

  async #prepare(): Promise<Ready> {
    try {
      return await this.#connections.transaction((sql) => this.#create(sql))
    } catch (error) {
      this.#ready = undefined
      throw error
    }
  }

  /** If several processes start at the same time, one creates the table and the others wait. */
  async #create(sql: Sql): Promise<Ready> {
    const table = `${this.#schema}.millrace_recall_vectors`
    await sql('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`vectors ${table}`])
    const [extension] = await sql(
      `SELECT nspname, extversion FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'vector'`,
    )
    if (!extension) {
      throw new MillraceError(
        'STORAGE_UNSUPPORTED',
        'PostgresVectorStore: the database has no pgvector. Install it and run CREATE EXTENSION vector.',
      )
    }
    const vector = quote(String(extension.nspname))
    const version = String(extension.extversion).split('.').map(Number)
    const [found] = await sql('SELECT to_regclass($1) IS NOT NULL AS found', [table])
    if (found?.found !== true) {
      const [schema] = await sql('SELECT to_regnamespace($1) IS NULL AS missing', [this.#schema])
      if (schema?.missing === true) await sql(`CREATE SCHEMA ${this.#schema}`)
      await sql(
        `CREATE TABLE ${table} (
          owner text COLLATE "C" NOT NULL,
          thread_id text COLLATE "C" NOT NULL,
          message_id text COLLATE "C" NOT NULL,
          model text COLLATE "C" NOT NULL,
          dimensions integer NOT NULL,
          embedding ${vector}.vector NOT NULL,
          PRIMARY KEY (owner, thread_id, message_id)
        )`,
      )
    }
    const [major = 0, minor = 0] = version
    const isIterative =
      major > ITERATIVE_SCANS_SINCE[0] ||
      (major === ITERATIVE_SCANS_SINCE[0] && minor >= ITERATIVE_SCANS_SINCE[1])
    return { table, vector, isIterative }
  }

  /**
   * Creates the index of a model once. Without iterative scans it is not created, because filtered searches
   * would miss rows.
   */
  async #index(
    { table, vector, isIterative }: Ready,
    { model, dimensions }: { model: string; dimensions: number },
  ): Promise<void> {
    const name = JSON.stringify([model, dimensions])
    if (!isIterative || dimensions > MAX_INDEXED_DIMENSIONS || this.#indexed.has(name)) return
    await this.#connections.transaction(async (sql) => {
      await sql('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`vectors ${table}`])
      const [row] = await sql('SELECT md5($1) AS hash', [name])
      await sql(
        `CREATE INDEX IF NOT EXISTS ${quote(`millrace_recall_${String(row?.hash)}`)} ON ${table}
         USING hnsw ((embedding::${vector}.vector(${dimensions})) ${vector}.vector_cosine_ops)
         WHERE model = ${literal(model)} AND dimensions = ${dimensions}`,
      )
    })
    this.#indexed.add(name)
  }

  /** Called if nothing was found: the vectors of the model may have another length. */
  async #checkDimensions({
    table,
    owner,
    model,
    dimensions,
  }: {
    table: string
    owner: string
    model: string
    dimensions: number
  }): Promise<void> {
    const [row] = await this.#connections.query(
      `SELECT dimensions FROM ${table} WHERE owner = $1 AND model = $2 AND dimensions <> $3 LIMIT 1`,
      [owner, model, dimensions],
    )
    if (row) checkDimensions(dimensions, Number(row.dimensions))
  }
}

/** The text form of pgvector. Nine digits represent a 32-bit float exactly. */
function toLiteral(vector: Float32Array): string {
  return `[${Array.from(vector, (value) => value.toPrecision(9)).join(',')}]`
}

/** Quotes a text as an SQL literal, independent of `standard_conforming_strings`. */
function literal(text: string): string {
  return `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}
