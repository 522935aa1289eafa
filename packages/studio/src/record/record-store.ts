import { chmodSync, closeSync, constants, lstatSync, openSync } from 'node:fs'
import { basename } from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { MillraceError } from '@millrace/core'
import type { RunState, RunsQuery } from '../wire.ts'
import type { ChildLink } from './fold-facts.ts'
import type { RecordedEvent } from './recorded-event.ts'
import type { RunRow } from './run-row.ts'

/** A recording process, as other processes that read its file see it. */
export interface ProcessEntry {
  id: string
  pid: number
  /** The link to its page, with the token; missing if it has no server. */
  link?: string
}

/** The records of one transaction. */
export interface Batch {
  rows: readonly RunRow[]
  /** Events as JSON, by run, in order from this sequence number. */
  events: readonly { runId: string; seq: number; json: string }[]
  children: readonly (ChildLink & { parentId: string })[]
}

export interface FoundRow extends RunRow {
  parent?: { runId: string; toolCallId: string }
  resumedBy?: string
}

/** A value that a guard found in a run, and its kind. */
export interface HiddenValue {
  value: string
  kind: string
}

/** The schema version. A file with another version is not opened. */
const VERSION = 1

const TABLES = `
  CREATE TABLE runs (
    id TEXT PRIMARY KEY, agent TEXT NOT NULL, thread TEXT, resource TEXT, state TEXT NOT NULL, started REAL NOT NULL,
    ended REAL, resumed_from TEXT, replay_of TEXT, imported INTEGER, process TEXT NOT NULL, facts TEXT NOT NULL,
    search TEXT NOT NULL, hidden TEXT, changed REAL NOT NULL
  );
  CREATE INDEX runs_started ON runs (started, id);
  CREATE INDEX runs_running ON runs (id) WHERE state = 'running';
  CREATE INDEX runs_changed ON runs (changed);
  CREATE INDEX runs_resumed ON runs (resumed_from) WHERE resumed_from IS NOT NULL;
  CREATE INDEX runs_replay ON runs (replay_of) WHERE replay_of IS NOT NULL;
  CREATE TABLE events (run TEXT NOT NULL, seq INTEGER NOT NULL, json TEXT NOT NULL, PRIMARY KEY (run, seq)) WITHOUT ROWID;
  CREATE TABLE acted (run TEXT NOT NULL, processor TEXT NOT NULL, PRIMARY KEY (processor, run)) WITHOUT ROWID;
  CREATE TABLE children (run TEXT PRIMARY KEY, parent TEXT NOT NULL, call TEXT NOT NULL) WITHOUT ROWID;
  CREATE INDEX children_parent ON children (parent);
  CREATE TABLE processes (id TEXT PRIMARY KEY, pid INTEGER NOT NULL, link TEXT, seen REAL NOT NULL);
  PRAGMA user_version = ${VERSION};
`

const COLUMNS = `runs.*, children.parent, children.call,
  (SELECT later.id FROM runs AS later WHERE later.resumed_from = runs.id LIMIT 1) AS resumed_by`
const FROM = 'FROM runs LEFT JOIN children ON children.run = runs.id'

/** Milliseconds without a heartbeat after which a process counts as dead. */
const DEAD_AFTER = 15_000

/** Runs and their events in an SQLite file that only its owner can read, or in memory. */
export class RecordStore {
  /** The file name without its folder; `undefined` for memory. */
  readonly fileName: string | undefined
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  private constructor(database: DatabaseSync, fileName: string | undefined) {
    this.#database = database
    this.fileName = fileName
  }

  /**
   * @param file The path; `:memory:` for no file
   * @throws MillraceError `CONFIG_INVALID` if the file cannot be used
   */
  static async open(file: string): Promise<RecordStore> {
    // Loaded lazily: programs that do not record need no SQLite.
    const { DatabaseSync } = await import('node:sqlite')
    if (file !== ':memory:') prepareFile(file)
    let database: DatabaseSync | undefined
    try {
      database = new DatabaseSync(file, { timeout: 2_000 })
      // `secure_delete` overwrites deleted records, because they contain conversations.
      database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;')
      const [{ user_version: version }] = database.prepare('PRAGMA user_version').all() as [
        { user_version: number },
      ]
      if (version === 0) database.exec(`BEGIN IMMEDIATE; ${TABLES} COMMIT;`)
      else if (version !== VERSION)
        throw new Error(`it has version ${version}, and this Studio uses version ${VERSION}`)
    } catch (cause) {
      database?.close()
      throw new MillraceError(
        'CONFIG_INVALID',
        `The file '${file}' cannot be used for records: ${(cause as Error).message}. Use another path, or delete this file.`,
        { cause },
      )
    }
    return new RecordStore(database, file === ':memory:' ? undefined : basename(file))
  }

  write({ rows, events, children }: Batch): void {
    this.#transact(() => {
      const changed = Date.now()
      for (const row of rows) this.#putRow(row, changed)
      const insert = this.#prepare('INSERT OR REPLACE INTO events (run, seq, json) VALUES (?, ?, ?)')
      for (const { runId, seq, json } of events) insert.run(runId, seq, json)
      const link = this.#prepare('INSERT OR REPLACE INTO children (run, parent, call) VALUES (?, ?, ?)')
      for (const { runId, parentId, toolCallId } of children) link.run(runId, parentId, toolCallId)
    })
  }

  #putRow(row: RunRow, changed: number): void {
    const { id, agentName, threadId, resourceId, state, startedAt, endedAt, resumedFrom, replayOf, facts } =
      row
    const search = [facts.input, facts.answer]
      .filter((text) => text !== undefined)
      .join('\n')
      .toLowerCase()
    this.#prepare(
      `INSERT INTO runs (id, agent, thread, resource, state, started, ended, resumed_from, replay_of, imported, process, facts, search, changed)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET state = excluded.state, ended = excluded.ended, resumed_from = excluded.resumed_from,
       replay_of = excluded.replay_of, facts = excluded.facts, search = excluded.search, hidden = NULL, changed = excluded.changed`,
    ).run(
      id,
      agentName,
      threadId ?? null,
      resourceId ?? null,
      state,
      startedAt,
      endedAt ?? null,
      resumedFrom ?? null,
      replayOf ?? null,
      row.imported ? 1 : null,
      row.processId,
      JSON.stringify(facts),
      search,
      changed,
    )
    const acted = this.#prepare('INSERT OR IGNORE INTO acted (run, processor) VALUES (?, ?)')
    for (const { processorId } of facts.acted) acted.run(id, processorId)
  }

  /** Matching runs, newest first, after the cursor. */
  list({
    agent,
    state,
    threadId,
    resourceId,
    processor,
    search,
    limit,
    cursor,
  }: RunsQuery & { limit: number }): {
    rows: FoundRow[]
    next: string | undefined
  } {
    const conditions: string[] = []
    const values: (string | number)[] = []
    const add = (condition: string, ...added: (string | number)[]): void => {
      conditions.push(condition)
      values.push(...added)
    }
    if (agent !== undefined) add('runs.agent = ?', agent)
    if (threadId !== undefined) add('runs.thread = ?', threadId)
    if (resourceId !== undefined) add('runs.resource = ?', resourceId)
    if (state !== undefined)
      add('runs.state IN (SELECT value FROM json_each(?))', JSON.stringify(state.split(',')))
    if (processor !== undefined) add('runs.id IN (SELECT run FROM acted WHERE processor = ?)', processor)
    if (search) {
      const text = search.toLowerCase()
      add('(instr(runs.search, ?) > 0 OR runs.id = ?)', text, search)
    }
    const [startedAt, id] = cursor === undefined ? [] : readCursor(cursor)
    if (startedAt !== undefined && id !== undefined) add('(runs.started, runs.id) < (?, ?)', startedAt, id)
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
    const found = this.#prepare(
      `SELECT ${COLUMNS} ${FROM} ${where} ORDER BY runs.started DESC, runs.id DESC LIMIT ?`,
    ).all(...values, limit + 1) as unknown as StoredRow[]
    const rows = found.slice(0, limit).map(toRow)
    const last = rows.at(-1)
    return { rows, next: found.length > limit && last ? `${last.startedAt}~${last.id}` : undefined }
  }

  get(runId: string): FoundRow | undefined {
    const row = this.#prepare(`SELECT ${COLUMNS} ${FROM} WHERE runs.id = ?`).get(runId)
    return row && toRow(row as unknown as StoredRow)
  }

  /** Related runs, oldest first. */
  related(runId: string, how: 'children' | 'replays'): FoundRow[] {
    const condition = how === 'children' ? 'children.parent = ?' : 'runs.replay_of = ?'
    const rows = this.#prepare(
      `SELECT ${COLUMNS} ${FROM} WHERE ${condition} ORDER BY runs.started LIMIT 200`,
    ).all(runId)
    return (rows as unknown as StoredRow[]).map(toRow)
  }

  /** The run, the runs that it resumes and those that resume it, oldest first. */
  attempts(runId: string): FoundRow[] {
    const rows = this.#prepare(
      `WITH RECURSIVE
         earlier (id, depth) AS (VALUES (?, 0) UNION SELECT runs.resumed_from, depth + 1 FROM runs JOIN earlier ON runs.id = earlier.id
           WHERE runs.resumed_from IS NOT NULL AND depth < 100),
         later (id, depth) AS (VALUES (?, 0) UNION SELECT runs.id, depth + 1 FROM runs JOIN later ON runs.resumed_from = later.id
           WHERE depth < 100)
       SELECT ${COLUMNS} ${FROM} WHERE runs.id IN (SELECT id FROM earlier UNION SELECT id FROM later) ORDER BY runs.started`,
    ).all(runId, runId)
    return (rows as unknown as StoredRow[]).map(toRow)
  }

  /** The events of a run in order, from a sequence number. */
  events(runId: string, from = 0): { events: RecordedEvent[]; next: number } {
    const rows = this.#prepare('SELECT seq, json FROM events WHERE run = ? AND seq >= ? ORDER BY seq').all(
      runId,
      from,
    ) as unknown as { seq: number; json: string }[]
    return {
      events: rows.map(({ json }) => JSON.parse(json) as RecordedEvent),
      next: (rows.at(-1)?.seq ?? from - 1) + 1,
    }
  }

  /** The values to hide in a run, if they are known. */
  hidden(runId: string): readonly HiddenValue[] | undefined {
    const row = this.#prepare('SELECT hidden FROM runs WHERE id = ?').get(runId) as
      | { hidden: string | null }
      | undefined
    return row?.hidden ? (JSON.parse(row.hidden) as HiddenValue[]) : undefined
  }

  keepHidden(runId: string, values: readonly HiddenValue[]): void {
    this.#prepare('UPDATE runs SET hidden = ? WHERE id = ?').run(JSON.stringify(values), runId)
  }

  /** Returns whether the run existed. */
  delete(runId: string): boolean {
    let deleted = false
    this.#transact(() => {
      deleted = this.#prepare('DELETE FROM runs WHERE id = ?').run(runId).changes > 0
      for (const [table, column] of [
        ['events', 'run'],
        ['acted', 'run'],
        ['children', 'run'],
      ]) {
        this.#prepare(`DELETE FROM ${table} WHERE ${column} = ?`).run(runId)
      }
    })
    return deleted
  }

  /** The oldest runs above the maximum, at most 100. */
  beyond(maxRuns: number): string[] {
    const rows = this.#prepare('SELECT id FROM runs ORDER BY started DESC, id DESC LIMIT 100 OFFSET ?').all(
      maxRuns,
    )
    return (rows as unknown as { id: string }[]).map(({ id }) => id)
  }

  /** The runs that were written since a time; `undefined` if no other connection has written. */
  changedSince(time: number): { id: string; changed: number }[] {
    return this.#prepare('SELECT id, changed FROM runs WHERE changed >= ? ORDER BY changed').all(
      time,
    ) as unknown as {
      id: string
      changed: number
    }[]
  }

  announce({ id, pid, link }: ProcessEntry): void {
    this.#transact(() => {
      this.#prepare('DELETE FROM processes WHERE seen < ?').run(Date.now() - 24 * 60 * 60 * 1_000)
      this.#prepare('INSERT OR REPLACE INTO processes (id, pid, link, seen) VALUES (?, ?, ?, ?)').run(
        id,
        pid,
        link ?? null,
        Date.now(),
      )
    })
  }

  /** Marks unfinished runs of dead processes as interrupted. */
  markInterrupted(): void {
    if (!this.#prepare("SELECT 1 FROM runs WHERE state = 'running' LIMIT 1").get()) return
    this.#prepare(
      `UPDATE runs SET state = 'interrupted', changed = ?
       WHERE state = 'running' AND process NOT IN (SELECT id FROM processes WHERE seen >= ?)`,
    ).run(Date.now(), Date.now() - DEAD_AFTER)
  }

  /** Removes a process that exits. */
  retract(processId: string): void {
    this.#prepare('DELETE FROM processes WHERE id = ?').run(processId)
  }

  /** The live processes, newest first. */
  processes(): ProcessEntry[] {
    const rows = this.#prepare('SELECT id, pid, link FROM processes WHERE seen >= ? ORDER BY seen DESC').all(
      Date.now() - DEAD_AFTER,
    ) as unknown as { id: string; pid: number; link: string | null }[]
    return rows.map(({ id, pid, link }) => ({ id, pid, ...(link !== null && { link }) }))
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = this.#database.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }

  #transact(work: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      work()
      this.#database.exec('COMMIT')
    } catch (error) {
      this.#database.exec('ROLLBACK')
      throw error
    }
  }
}

interface StoredRow {
  id: string
  agent: string
  thread: string | null
  resource: string | null
  state: RunState
  started: number
  ended: number | null
  resumed_from: string | null
  replay_of: string | null
  imported: number | null
  process: string
  facts: string
  parent: string | null
  call: string | null
  resumed_by: string | null
}

function toRow(row: StoredRow): FoundRow {
  return {
    id: row.id,
    agentName: row.agent,
    ...(row.thread !== null && { threadId: row.thread }),
    ...(row.resource !== null && { resourceId: row.resource }),
    state: row.state,
    startedAt: row.started,
    ...(row.ended !== null && { endedAt: row.ended }),
    ...(row.resumed_from !== null && { resumedFrom: row.resumed_from }),
    ...(row.replay_of !== null && { replayOf: row.replay_of }),
    ...(row.imported !== null && { imported: true }),
    processId: row.process,
    facts: JSON.parse(row.facts),
    ...(row.parent !== null && { parent: { runId: row.parent, toolCallId: row.call ?? '' } }),
    ...(row.resumed_by !== null && { resumedBy: row.resumed_by }),
  }
}

function readCursor(cursor: string): [startedAt: number, id: string] | [] {
  const at = cursor.indexOf('~')
  const startedAt = Number(cursor.slice(0, at))
  return at > 0 && Number.isFinite(startedAt) ? [startedAt, cursor.slice(at + 1)] : []
}

/** Creates the file with mode 0600 before SQLite opens it. Does not follow symbolic links. */
function prepareFile(file: string): void {
  const { O_CREAT, O_NOFOLLOW, O_RDWR } = constants
  try {
    closeSync(openSync(file, O_CREAT | O_RDWR | (O_NOFOLLOW ?? 0), 0o600))
    if (!lstatSync(file).isFile()) throw new Error('it is not a regular file')
    // SQLite creates the files beside it with the same mode.
    chmodSync(file, 0o600)
  } catch (cause) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `The file '${file}' cannot be used for records: ${(cause as Error).message}. Use a path in a writable folder.`,
      { cause },
    )
  }
}
