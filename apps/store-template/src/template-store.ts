import * as store from '@millrace/core/storage'
import { Database, type Row } from './database.ts'

const DAY = 24 * 60 * 60 * 1000

/**
 * A whole store on Node's own SQLite, to begin another one with: everything but the searches, which it declares not to
 * have. Core parses what comes in and says what goes wrong; a store is the statements between.
 */
export class TemplateStore implements store.Store {
  readonly specVersion = 'v1'
  readonly capabilities: store.StoreCapabilities
  readonly #database: Database
  readonly #limits: store.RunLimits

  /** `path`: a file, or `:memory:`. */
  constructor({ path, ...limits }: { path: string } & store.RunLimits) {
    this.capabilities = { search: false, vectors: false, persistent: path !== ':memory:' }
    this.#database = new Database(path)
    this.#limits = limits
  }

  async migrate(): Promise<void> {
    this.#database.migrate()
  }

  async close(): Promise<void> {
    this.#database.close()
  }

  // Threads

  async getThread(key: store.ThreadKey): Promise<store.Thread | undefined> {
    const columns = store.parseThreadKey(key)
    return this.#transact(() => this.#thread(columns))
  }

  async saveThread(options: store.SaveThreadOptions): Promise<store.Thread> {
    const { ifVersion, ...columns } = store.parseSaveThread(options)
    return this.#transact(() => {
      const found = this.#thread(columns)?.version ?? 0
      if (ifVersion !== undefined && ifVersion !== found) {
        throw store.conflict('thread', { expected: ifVersion, found })
      }
      this.#changeThread(this.#touchThread(columns), columns)
      return this.#thread(columns) as store.Thread
    })
  }

  async listThreads(options: store.ListThreadsOptions): Promise<store.Page<store.Thread>> {
    const { owner, orderBy, limit, after = Number.MAX_SAFE_INTEGER } = store.parseListThreads(options)
    const place = orderBy === 'createdAt' ? 'thread' : 'changed'
    return this.#transact(() => {
      // One more than asked for: then there is a next page.
      const rows = this.#all(
        `SELECT * FROM threads WHERE owner = ? AND ${place} < ? ORDER BY ${place} DESC LIMIT ?`,
        [owner, after, limit + 1],
      )
      return store.toPage(rows, {
        limit,
        item: (row) => this.#toThread(row),
        place: (row) => row[place] as number,
      })
    })
  }

  async deleteThread(key: store.ThreadKey): Promise<boolean> {
    const { owner, threadId } = store.parseThreadKey(key)
    return this.#transact(() => {
      this.#run('DELETE FROM runs WHERE owner = ? AND thread_id = ?', [owner, threadId])
      return this.#run('DELETE FROM threads WHERE owner = ? AND id = ?', [owner, threadId]) > 0
    })
  }

  // Messages

  async saveMessages(options: store.SaveMessagesOptions): Promise<store.Thread> {
    const { messages, changes, deleteAfter, ...key } = store.parseSaveMessages(options)
    return this.#transact(() => {
      const isNew = !this.#thread(key)
      const thread = this.#touchThread(key)
      if (deleteAfter !== undefined) {
        const last = 'SELECT sequence FROM messages WHERE thread = ? AND id = ?'
        const after = `DELETE FROM messages WHERE thread = ? AND sequence > (${last})`
        this.#run(after, [thread, thread, deleteAfter])
      }
      for (const { id, role, createdAt, content } of messages) {
        const [counted] = this.#all(
          'UPDATE threads SET last_sequence = last_sequence + 1 WHERE thread = ? RETURNING last_sequence',
          [thread],
        )
        // What is there already keeps its place and its time.
        this.#run(
          `INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (thread, id) DO UPDATE SET role = excluded.role, content = excluded.content`,
          [thread, counted?.last_sequence as number, id, role, createdAt, content],
        )
      }
      if (isNew || changes.title !== undefined || changes.metadata !== undefined) {
        this.#changeThread(thread, changes)
      }
      return this.#thread(key) as store.Thread
    })
  }

  async listMessages(options: store.ListMessagesOptions): Promise<store.Page<store.StoredMessage>> {
    const { descending, limit, after, before, ...key } = store.parseListMessages(options)
    const [order, beyond] = descending ? ['DESC', '<'] : ['ASC', '>']
    const start = after ?? (descending ? Number.MAX_SAFE_INTEGER : 0)
    return this.#transact(() => {
      const [found] = before === undefined ? [] : this.#messages(key, 'AND messages.id = ?', [before])
      const rows = this.#messages(
        key,
        `AND sequence ${beyond} ? AND sequence < ? ORDER BY sequence ${order} LIMIT ?`,
        [start, (found?.sequence as number) ?? Number.MAX_SAFE_INTEGER, limit + 1],
      )
      const place = (row: Row) => row.sequence as number
      return store.toPage(rows, { limit, item: (row) => toStored(row, key), place })
    })
  }

  async getMessages(options: store.GetMessagesOptions): Promise<store.StoredMessage[]> {
    const { owner, messages, previous, next } = store.parseGetMessages(options)
    return this.#transact(() => {
      const found = messages.flatMap(({ threadId, messageId }) => {
        const key = { owner, threadId }
        const [message] = this.#messages(key, 'AND messages.id = ?', [messageId])
        if (!message) return []
        const { sequence } = message as { sequence: number }
        const before = this.#messages(key, 'AND sequence < ? ORDER BY sequence DESC LIMIT ?', [
          sequence,
          previous,
        ])
        const after = this.#messages(key, 'AND sequence > ? ORDER BY sequence LIMIT ?', [sequence, next])
        return [...before, message, ...after].map((row) => toStored(row, key))
      })
      return store.inThreadOrder(
        found,
        messages.map(({ threadId }) => threadId),
      )
    })
  }

  async deleteMessages(options: store.DeleteMessagesOptions): Promise<number> {
    const { ids, ...key } = store.parseDeleteMessages(options)
    return this.#transact(() => {
      if (!this.#thread(key)) return 0
      const ofThread = 'thread = (SELECT thread FROM threads WHERE owner = ? AND id = ?)'
      let count = 0
      for (const id of ids) {
        count += this.#run(`DELETE FROM messages WHERE ${ofThread} AND id = ?`, [key.owner, key.threadId, id])
      }
      if (count > 0) this.#touchThread(key)
      return count
    })
  }

  // Resources

  async getResource(key: { resourceId: string }): Promise<store.Resource | undefined> {
    const { resourceId } = store.parseResourceKey(key)
    return this.#transact(() => this.#resource(resourceId))
  }

  async saveResource(options: store.SaveResourceOptions): Promise<store.Resource> {
    const { resourceId, metadata = null, state = null, ifVersion } = store.parseSaveResource(options)
    return this.#transact(() => {
      const found = this.#resource(resourceId)?.version ?? 0
      if (ifVersion !== undefined && ifVersion !== found) {
        throw store.conflict('resource', { expected: ifVersion, found })
      }
      const now = Date.now()
      this.#run(
        `INSERT INTO resources VALUES (?1, coalesce(?2, '{}'), coalesce(?3, '{}'), 1, ?4, ?4)
          ON CONFLICT DO UPDATE SET metadata = coalesce(?2, metadata), state = coalesce(?3, state),
            version = version + 1, updated_at = ?4`,
        [resourceId, metadata, state, now],
      )
      return this.#resource(resourceId) as store.Resource
    })
  }

  async deleteResource(key: { resourceId: string }): Promise<void> {
    const { resourceId } = store.parseResourceKey(key)
    this.#transact(() => {
      for (const table of ['threads', 'resources', 'runs', 'counters', 'keys']) {
        this.#run(`DELETE FROM ${table} WHERE owner = ?`, [resourceId])
      }
    })
  }

  // Searches: what a store cannot do it says, in its capabilities and when it is asked.

  async searchMessages(): Promise<never> {
    throw store.unsupported('TemplateStore', 'searchMessages', 'Use a store that searches.')
  }

  async saveVectors(): Promise<never> {
    throw store.unsupported('TemplateStore', 'saveVectors', 'Use a store that has vectors.')
  }

  async searchVectors(): Promise<never> {
    throw store.unsupported('TemplateStore', 'searchVectors', 'Use a store that has vectors.')
  }

  async listMessagesWithoutVector(): Promise<never> {
    throw store.unsupported('TemplateStore', 'listMessagesWithoutVector', 'Use a store that has vectors.')
  }

  // Counters and keys. What has expired is as good as gone.

  async addToCounter(options: store.AddToCounterOptions): Promise<store.Counter> {
    const { amount, limit, expiresAt, owner, key } = store.parseAddToCounter(options)
    return this.#transact(() => {
      this.#forgetExpired('counters')
      const [found] = this.#all('SELECT value, expires_at FROM counters WHERE owner = ? AND key = ?', [
        owner,
        key,
      ])
      const sum = Number(found?.value ?? 0) + amount
      const added = limit === undefined || amount <= 0 || sum <= limit
      if (added && !Number.isSafeInteger(sum))
        throw store.invalidInput('The counter would leave the safe integers.')
      const end = found ? found.expires_at : expiresAt
      if (added && amount !== 0) {
        const insert =
          'INSERT INTO counters VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value'
        this.#run(insert, [owner, key, sum, end])
      }
      const value = added ? sum : sum - amount
      return { value, added, ...(typeof end === 'number' && { expiresAt: new Date(end) }) }
    })
  }

  async getKey(options: store.KeyOptions): Promise<string | undefined> {
    const { owner, key } = store.parseKey(options)
    return this.#transact(() => {
      this.#forgetExpired('keys')
      const [found] = this.#all('SELECT value FROM keys WHERE owner = ? AND key = ?', [owner, key])
      return found?.value as string | undefined
    })
  }

  async setKey(options: store.SetKeyOptions): Promise<boolean> {
    const { owner, key, value, expiresAt, ifAbsent } = store.parseSetKey(options)
    const otherwise = ifAbsent ? 'IGNORE' : 'REPLACE'
    return this.#transact(() => {
      this.#forgetExpired('keys')
      return (
        this.#run(`INSERT OR ${otherwise} INTO keys VALUES (?, ?, ?, ?)`, [owner, key, value, expiresAt]) > 0
      )
    })
  }

  async deleteKey(options: store.KeyOptions): Promise<boolean> {
    const { owner, key } = store.parseKey(options)
    return this.#transact(() => {
      this.#forgetExpired('keys')
      return this.#run('DELETE FROM keys WHERE owner = ? AND key = ?', [owner, key]) > 0
    })
  }

  // Suspended runs. `state` is what was made of a run; that it has expired says its time.

  async saveRun(stored: store.StoredRun): Promise<void> {
    const { maxRuns = 1_000 } = this.#limits
    const { runId, owner, threadId, expiresAt, run, snapshot } = store.parseSaveRun(stored, this.#limits)
    this.#transact(() => {
      const now = Date.now()
      if (this.#all('SELECT 1 FROM runs WHERE run_id = ?', [runId]).length > 0) throw store.runExists()
      const counting =
        "SELECT count(*) AS count FROM runs WHERE owner = ? AND state = 'suspended' AND expires_at > ?"
      const count = this.#all(counting, [owner, now])[0]?.count as number
      if (count >= maxRuns) throw store.tooManyRuns(count, maxRuns)
      const insert =
        'INSERT INTO runs (run_id, owner, thread_id, expires_at, run, snapshot) VALUES (?, ?, ?, ?, ?, ?)'
      this.#run(insert, [runId, owner, threadId, expiresAt, run, snapshot])
      // What became of a run is known for a day.
      this.#run('DELETE FROM runs WHERE expires_at < ? AND run_id <> ?', [now - DAY, runId])
    })
  }

  async getRun(runId: string, owner?: store.Owner): ReturnType<store.RunStore['getRun']> {
    const key = store.parseRunKey(runId, owner)
    return this.#transact(() => {
      const found = this.#findRun(key)
      if (found?.state !== 'suspended') return found && { state: found.state }
      return { state: 'suspended', run: store.fromRunColumns(found) }
    })
  }

  async claimRun(
    runId: string,
    as: 'resumed' | 'released',
    owner?: store.Owner,
  ): Promise<store.RunState | undefined> {
    const key = store.parseRunKey(runId, owner)
    return this.#transact(() => {
      const state = this.#findRun(key)?.state
      if (state === 'suspended') {
        const now = Date.now()
        this.#run("UPDATE runs SET state = ?, snapshot = '', expires_at = ? WHERE run_id = ?", [
          as,
          now,
          runId,
        ])
      }
      return state
    })
  }

  async listRuns(filter: { threadId?: string; resourceId?: string }): Promise<store.SuspendedRun[]> {
    const { owner, threadId } = store.parseListRuns(filter)
    return this.#transact(() =>
      this.#all(
        `SELECT run FROM runs WHERE state = 'suspended' AND expires_at > ?1 AND owner = coalesce(?2, owner)
          AND (?3 IS NULL OR thread_id = ?3) ORDER BY place`,
        [Date.now(), owner, threadId],
      ).map(({ run }) => JSON.parse(run as string)),
    )
  }

  // What the methods share

  #transact<RESULT>(work: () => RESULT): RESULT {
    return this.#database.transaction(work)
  }

  #all(...statement: Parameters<Database['all']>): Row[] {
    return this.#database.all(...statement)
  }

  #run(...statement: Parameters<Database['run']>): number {
    return this.#database.run(...statement)
  }

  #thread({ owner, threadId }: store.ThreadColumns): store.Thread | undefined {
    const [row] = this.#all('SELECT * FROM threads WHERE owner = ? AND id = ?', [owner, threadId])
    return row && this.#toThread(row)
  }

  /** Moves a thread to the front of the list, or creates it. Returns its key. */
  #touchThread({ owner, threadId }: store.ThreadColumns): number {
    const [row] = this.#all(
      `INSERT INTO threads (owner, id, changed, created_at, updated_at)
        VALUES (?1, ?2, (SELECT coalesce(max(changed), 0) + 1 FROM threads WHERE owner = ?1), ?3, ?3)
        ON CONFLICT DO UPDATE SET changed = excluded.changed, updated_at = excluded.updated_at RETURNING thread`,
      [owner, threadId, Date.now()],
    )
    return row?.thread as number
  }

  /** `title` may be `null`, which removes it; what is `undefined` stays. */
  #changeThread(
    thread: number,
    changes: Partial<store.ThreadChangeColumns> & { state?: string | undefined },
  ): void {
    const { title, metadata, state } = changes
    if (title !== undefined) this.#run('UPDATE threads SET title = ? WHERE thread = ?', [title, thread])
    this.#run(
      `UPDATE threads SET metadata = coalesce(?, metadata), state = coalesce(?, state), version = version + 1
        WHERE thread = ?`,
      [metadata, state, thread],
    )
  }

  #toThread({
    thread,
    owner,
    id,
    title,
    metadata,
    state,
    version,
    created_at,
    updated_at,
  }: Row): store.Thread {
    const counting = 'SELECT count(*) AS count FROM messages WHERE thread = ?'
    return {
      id: id as string,
      ...(owner !== '' && { resourceId: owner as string }),
      ...(title !== null && { title: title as string }),
      metadata: JSON.parse(metadata as string),
      state: JSON.parse(state as string),
      version: version as number,
      messageCount: this.#all(counting, [thread])[0]?.count as number,
      createdAt: new Date(created_at as number),
      updatedAt: new Date(updated_at as number),
    }
  }

  #messages(
    { owner, threadId }: store.ThreadColumns,
    conditions: string,
    values: (string | number)[],
  ): Row[] {
    return this.#all(
      `SELECT messages.* FROM threads JOIN messages USING (thread)
        WHERE threads.owner = ? AND threads.id = ? ${conditions}`,
      [owner, threadId, ...values],
    )
  }

  #resource(resourceId: string): store.Resource | undefined {
    const [row] = this.#all('SELECT * FROM resources WHERE owner = ?', [resourceId])
    return (
      row && {
        id: resourceId,
        metadata: JSON.parse(row.metadata as string),
        state: JSON.parse(row.state as string),
        version: row.version as number,
        createdAt: new Date(row.created_at as number),
        updatedAt: new Date(row.updated_at as number),
      }
    )
  }

  #findRun({ runId, owner }: { runId: string; owner: string | undefined }) {
    const [row] = this.#all(
      `SELECT iif(state = 'suspended' AND expires_at <= ?, 'expired', state) AS state, run, snapshot
        FROM runs WHERE run_id = ? AND owner = coalesce(?, owner)`,
      [Date.now(), runId, owner],
    )
    return row as { state: store.RunState; run: string; snapshot: string } | undefined
  }

  #forgetExpired(table: 'counters' | 'keys'): void {
    this.#run(`DELETE FROM ${table} WHERE expires_at <= ?`, [Date.now()])
  }
}

function toStored(
  { id, role, created_at, content, sequence }: Row,
  key: store.ThreadColumns,
): store.StoredMessage {
  const columns = { id, role, createdAt: created_at, content } as store.MessageColumns
  return { message: store.fromColumns(columns, key), sequence: sequence as number }
}
