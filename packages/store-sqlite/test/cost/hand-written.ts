import type { Message } from '@millrace/core'
import { BM25, fromColumns, indexTerms, searchableText } from '@millrace/core/storage'
import type Database from 'better-sqlite3'
import { getLoadablePath } from 'sqlite-vec'

/** What a term is in so many messages, is common, and is not looked for if there is a rarer one. */
const COMMON = 2_000

/** What an application would write that does only this, for one resource and thread, on the tables of the store. */
export interface HandWritten {
  saveTurn(messages: readonly Message[]): void
  readLast(count: number): Message[]
  search(terms: readonly string[]): Message[]
  searchVectors(vector: Float32Array): Message[]
}

export function handWritten(
  database: Database.Database,
  { owner, threadId }: { owner: string; threadId: string },
): HandWritten {
  database.loadExtension(getLoadablePath())
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const reservePositions = database.prepare<[number, string], { key: number; place: number }>(
    'UPDATE millrace_resources SET last_place = last_place + ? WHERE id = ? RETURNING key, last_place AS place',
  )
  const touch = database.prepare<[number, number, number, string], { key: number; sequence: number }>(
    `UPDATE millrace_threads SET changed = ?, updated_at = ? WHERE resource = ? AND id = ?
      RETURNING key, last_sequence AS sequence`,
  )
  const insert = database.prepare('INSERT INTO millrace_messages VALUES ((? << 32) | ?, ?, ?, ?, ?, ?, ?, ?)')
  const indexWords = database.prepare(
    'INSERT INTO millrace_words (rowid, thread, terms) VALUES ((? << 32) | ?, ?, ?)',
  )
  const addText = database.prepare('INSERT INTO millrace_texts VALUES ((? << 32) | ?, ?, ?, ?)')
  const addWithoutVector = database.prepare('INSERT INTO millrace_without_vector VALUES ((? << 32) | ?, ?)')
  const key = `(SELECT t.key FROM millrace_resources r JOIN millrace_threads t ON t.resource = r.key
    WHERE r.id = ? AND t.id = ?)`
  type Row = Parameters<typeof fromColumns>[0]
  const columns = 'm.id, m.role, m.created_at AS createdAt, m.content'
  const last = database.prepare<[string, string, number], Row>(
    `SELECT ${columns} FROM millrace_messages m WHERE thread = ${key} ORDER BY sequence DESC LIMIT ?`,
  )
  const { k1, b } = BM25
  const ownKeys = `rowid >= (SELECT key << 32 FROM millrace_resources WHERE id = :owner)
    AND millrace_words.rowid <= (SELECT key << 32 | 4294967295 FROM millrace_resources WHERE id = :owner)`
  const search = database.prepare<[{ owner: string; terms: string }], Row>(
    `WITH counted AS MATERIALIZED (
        SELECT value AS term, (SELECT count(*) FROM (SELECT 1 FROM millrace_words
          WHERE millrace_words MATCH 'terms : ' || value AND millrace_words.${ownKeys} LIMIT ${COMMON + 1})) AS found
        FROM json_each(:terms)
      ), query AS MATERIALIZED (
        SELECT term, ${k1 + 1} * ln(1 + (texts - found + 0.5) / (found + 0.5)) AS weight, ${k1 * b} * texts / terms AS slope
        FROM counted CROSS JOIN millrace_corpora
        WHERE resource = (SELECT key FROM millrace_resources WHERE id = :owner) AND found <= ${COMMON}
      ), best AS (
        SELECT x.message, sum(weight / (1 + (${k1 * (1 - b)} + slope * x.length) / coalesce(CAST(substr(x.repeated,
          nullif(instr(x.repeated, ' ' || term || ':'), 0) + length(term) + 2) AS INTEGER), 1))) AS score
        FROM query CROSS JOIN millrace_words CROSS JOIN millrace_texts x ON x.message = millrace_words.rowid
        WHERE millrace_words MATCH 'terms : ' || term AND millrace_words.${ownKeys} GROUP BY x.message ORDER BY score DESC LIMIT 10
      ) SELECT ${columns} FROM best CROSS JOIN millrace_messages m ON m.key = best.message ORDER BY score DESC`,
  )
  const near = database.prepare<[Uint8Array, string, string], Row>(
    `SELECT ${columns} FROM (
      SELECT v.message, vec_distance_cosine(v.vector, ?) AS distance
      FROM millrace_messages m JOIN millrace_vectors v ON v.message = m.key
      WHERE m.thread = ${key} ORDER BY distance LIMIT 10
    ) best JOIN millrace_messages m ON m.key = best.message ORDER BY best.distance`,
  )
  const toMessage = (row: Row): Message => fromColumns(row, { owner, threadId })
  return {
    saveTurn(messages) {
      begin.run()
      const resource = reservePositions.get(messages.length + 1, owner)
      if (!resource) throw new Error('There is no such resource.')
      const thread = touch.get(resource.place, Date.now(), resource.key, threadId)
      if (!thread) throw new Error('There is no such thread.')
      let index = 0
      for (const message of messages) {
        const { id, role, createdAt, content } = message
        const place = resource.place - messages.length + index++
        const terms = indexTerms(searchableText(message)).join(' ')
        insert.run(
          resource.key,
          place,
          thread.key,
          thread.sequence + index,
          id,
          role,
          createdAt.getTime(),
          terms,
          JSON.stringify(content),
        )
        addText.run(resource.key, place, thread.key, terms.split(' ').length, repeatedIn(terms))
        addWithoutVector.run(resource.key, place, thread.key)
        indexWords.run(resource.key, place, thread.key, terms)
      }
      commit.run()
    },
    readLast: (count) => last.all(owner, threadId, count).map(toMessage),
    search: (terms) =>
      search.all({ owner, terms: JSON.stringify(indexTerms(terms.join(' '))) }).map(toMessage),
    searchVectors: (vector) => near.all(new Uint8Array(vector.buffer), owner, threadId).map(toMessage),
  }
}

function repeatedIn(terms: string): string {
  const counts = new Map<string, number>()
  for (const term of terms.split(' ')) counts.set(term, (counts.get(term) ?? 0) + 1)
  let repeated = ''
  for (const [term, count] of counts) if (count > 1) repeated += ` ${term}:${count}`
  return repeated && `${repeated} `
}
