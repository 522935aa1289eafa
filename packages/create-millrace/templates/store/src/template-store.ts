import * as store from '@millrace/core/storage'
import { CounterTables } from './counter-tables.ts'
import { Database, type Row } from './database.ts'
import { RunTable } from './run-table.ts'
import { StreamTable } from './stream-table.ts'

/**
 * A complete store on Node's SQLite, to start your own from. It has everything except search and vectors,
 * which its capabilities declare as missing. Core parses the arguments and words the errors; a store only
 * runs the statements.
 */
export class TemplateStore implements store.Store {
  readonly specVersion = 'v1'
  readonly capabilities: store.StoreCapabilities
  readonly #database: Database
  readonly #limits: store.MessageLimits
  readonly #counters: CounterTables
  readonly #runs: RunTable
  readonly #streams: StreamTable

  /** `path`: a file, or `:memory:`. */
  constructor({ path, ...limits }: { path: string } & store.StoreLimits) {
    this.capabilities = { search: false, vectors: false, blobs: true, persistent: path !== ':memory:' }
    this.#database = new Database(path)
    this.#limits = limits
    this.#counters = new CounterTables(this.#database)
    this.#runs = new RunTable(this.#database, limits)
    this.#streams = new StreamTable(this.#database, limits)
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
      // One row more than requested shows whether there is a next page.
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

  async searchThreads(options: store.SearchThreadsOptions): Promise<store.ThreadHit[]> {
    const search = store.parseSearchThreads(options)
    return this.#transact(() => {
      const rows = this.#all('SELECT id, title, metadata, changed FROM threads WHERE owner = ?', [
        search.owner,
      ])
      // A store with message search also passes the best message of each thread.
      const ranked = store.rankThreads(rows as unknown as store.ThreadColumnsToSearch[], search)
      return ranked.map(({ threadId, ...hit }) => ({
        thread: this.#thread({ owner: search.owner, threadId }) as store.Thread,
        ...hit,
      }))
    })
  }

  async deleteThread(key: store.ThreadKey): Promise<boolean> {
    const { owner, threadId } = store.parseThreadKey(key)
    return this.#transact(() => {
      for (const table of ['runs', 'streams']) {
        this.#run(`DELETE FROM ${table} WHERE owner = ? AND thread_id = ?`, [owner, threadId])
      }
      return this.#run('DELETE FROM threads WHERE owner = ? AND id = ?', [owner, threadId]) > 0
    })
  }

  // Messages

  async saveMessages(options: store.SaveMessagesOptions): Promise<store.Thread> {
    const parsed = store.parseSaveMessages(options, this.#limits)
    return this.#saveMessages(parsed instanceof Promise ? await parsed : parsed)
  }

  #saveMessages({ messages, changes, deleteAfter, blobs, ...key }: store.SaveMessagesColumns): store.Thread {
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
        // Existing messages keep their position and time.
        this.#run(
          `INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (thread, id) DO UPDATE SET role = excluded.role, content = excluded.content`,
          [thread, counted?.last_sequence as number, id, role, createdAt, content],
        )
        // A blob is kept as long as its message contains its id.
        this.#run(
          `DELETE FROM blobs WHERE thread = ?1 AND instr(?3, id) = 0
            AND sequence = (SELECT sequence FROM messages WHERE thread = ?1 AND id = ?2)`,
          [thread, id, content],
        )
      }
      for (const { messageId, id, data } of blobs) {
        this.#run(
          `INSERT INTO blobs SELECT thread, sequence, ?, ? FROM messages WHERE thread = ? AND id = ?
            ON CONFLICT DO NOTHING`,
          [id, data, thread, messageId],
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

  async getBlobs(options: store.GetBlobsOptions): Promise<store.MessageBlob[]> {
    const { blobs, ...key } = store.parseGetBlobs(options)
    return this.#transact(() => {
      const found = blobs.flatMap(({ messageId, id }) => {
        const [row] = this.#all(
          `SELECT data FROM threads JOIN messages USING (thread) JOIN blobs USING (thread, sequence)
            WHERE threads.owner = ? AND threads.id = ? AND messages.id = ? AND blobs.id = ?`,
          [key.owner, key.threadId, messageId, id],
        )
        return row ? [{ messageId, id, data: row.data as unknown as Uint8Array }] : []
      })
      return store.inBlobOrder(found, blobs)
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
      for (const table of ['threads', 'resources', 'runs', 'streams', 'counters', 'keys']) {
        this.#run(`DELETE FROM ${table} WHERE owner = ?`, [resourceId])
      }
    })
  }

  // Search and vectors: an unsupported feature is declared in `capabilities`, and its methods reject.

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

  // Counters, keys, runs and streams are in their own files.

  addToCounter(options: store.AddToCounterOptions): Promise<store.Counter> {
    return this.#counters.addToCounter(options)
  }

  getKey(options: store.KeyOptions): Promise<string | undefined> {
    return this.#counters.getKey(options)
  }

  setKey(options: store.SetKeyOptions): Promise<boolean> {
    return this.#counters.setKey(options)
  }

  deleteKey(options: store.KeyOptions): Promise<boolean> {
    return this.#counters.deleteKey(options)
  }

  saveRun(run: store.StoredRun, options?: store.SaveRunOptions): Promise<void> {
    return this.#runs.saveRun(run, options)
  }

  getRun(runId: string, owner?: store.Owner): Promise<store.FoundRun | undefined> {
    return this.#runs.getRun(runId, owner)
  }

  claimRun(runId: string, options: store.ClaimRunOptions): Promise<store.RunClaim | undefined> {
    return this.#runs.claimRun(runId, options)
  }

  updateRun(lease: store.RunLease, changes: store.RunChanges): Promise<void> {
    return this.#runs.updateRun(lease, changes)
  }

  endRun(lease: store.RunLease, as: 'done' | 'interrupted' | 'released'): Promise<void> {
    return this.#runs.endRun(lease, as)
  }

  releaseRun(runId: string, owner?: store.Owner): Promise<store.RunState | undefined> {
    return this.#runs.releaseRun(runId, owner)
  }

  listRuns(filter?: store.RunFilter): Promise<store.SuspendedRun[]> {
    return this.#runs.listRuns(filter)
  }

  appendToStream(options: store.AppendToStreamOptions): Promise<void> {
    return this.#streams.appendToStream(options)
  }

  readStream(options: store.ReadStreamOptions): Promise<store.StreamPart | undefined> {
    return this.#streams.readStream(options)
  }

  deleteStream(key: store.StreamKey): Promise<boolean> {
    return this.#streams.deleteStream(key)
  }

  // Shared by the methods.

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

  /** A `title` of `null` removes the title; `undefined` values do not change anything. */
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
}

function toStored(
  { id, role, created_at, content, sequence }: Row,
  key: store.ThreadColumns,
): store.StoredMessage {
  const columns = { id, role, createdAt: created_at, content } as store.MessageColumns
  return { message: store.fromColumns(columns, key), sequence: sequence as number }
}
