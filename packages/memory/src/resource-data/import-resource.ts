import { type Message, type MessageBlob, MillraceError, type Store, type ThreadKey } from '@millrace/core'
import { fromBase64 } from '../attachments/base64.ts'
import { remapNotes, remapProgress, sequencesIn } from '../observations/move-observations.ts'
import { isConflict } from '../threads/is-conflict.ts'
import { type ExportSource, invalidExport, linesOf } from './lines.ts'
import { EXPORT_VERSION, type ExportRecord, parseLine } from './records.ts'

export interface ImportOptions {
  /** The resource to import into. Default: the one that was exported. */
  resourceId?: string | undefined
}

/** The number of imported records. */
export interface ImportCounts {
  threads: number
  messages: number
}

/** Messages are saved together, up to this many, or up to this many bytes of files. */
const MESSAGES_PER_SAVE = 200
const BYTES_PER_SAVE = 16 * 1024 * 1024

type RecordOf<TYPE> = Extract<ExportRecord, { type: TYPE }>

/** The thread whose messages are being read. */
interface OpenThread {
  record: RecordOf<'thread'>
  messages: Message[]
  blobs: MessageBlob[]
  bytes: number
  /** Sequence numbers of messages that notes refer to. */
  needed: readonly number[]
  /** The ids of the messages with these sequence numbers. */
  places: Map<number, string>
}

/**
 * Imports an export into an empty resource. If it fails, the resource is empty again.
 *
 * @throws MillraceError `STORAGE_CONFLICT` if the resource is not empty, `STORAGE_INPUT_INVALID` if the
 *   export is incomplete or damaged
 */
export async function importResource(
  storage: Store,
  source: ExportSource,
  { resourceId }: ImportOptions = {},
): Promise<ImportCounts> {
  const lines = linesOf(source)
  const first = await lines.next()
  const header = first.done ? undefined : parseLine(first.value)
  if (header?.type !== 'header') throw invalidExport('it does not begin with a header')
  if (header.version > EXPORT_VERSION) {
    throw invalidExport(
      `its version is ${header.version}, but this package reads versions up to ${EXPORT_VERSION}`,
    )
  }
  const owner = resourceId ?? header.resourceId
  await claim(storage, owner)
  const started = new Import(storage, owner)
  try {
    return await started.read(lines)
  } catch (error) {
    await started.rollBack()
    throw error
  }
}

/** Of two concurrent imports into one resource, only one succeeds. */
async function claim(storage: Store, resourceId: string): Promise<void> {
  const { items } = await storage.listThreads({ resourceId, limit: 1 })
  try {
    if (items.length === 0) {
      await storage.saveResource({ resourceId, ifVersion: 0 })
      return
    }
  } catch (error) {
    if (!isConflict(error)) throw error
  }
  throw new MillraceError(
    'STORAGE_CONFLICT',
    'The resource to import into already has threads or stored facts. Import into an empty resource, or delete this one first.',
  )
}

class Import {
  readonly #storage: Store
  readonly #resourceId: string
  readonly #counts: ImportCounts = { threads: 0, messages: 0 }
  #resource: RecordOf<'resource'> | undefined
  #thread: OpenThread | undefined
  readonly #threadIds: string[] = []
  /** Old to new sequence numbers, by thread. */
  readonly #moved = new Map<string, Map<number, number>>()

  constructor(storage: Store, resourceId: string) {
    this.#storage = storage
    this.#resourceId = resourceId
  }

  async read(lines: AsyncIterable<string>): Promise<ImportCounts> {
    let end: RecordOf<'end'> | undefined
    for await (const line of lines) {
      const record = parseLine(line)
      if (end) throw invalidExport('it has lines after its end')
      if (record.type === 'end') end = record
      else await this.#take(record)
    }
    await this.#endThread()
    const { threads, messages } = this.#counts
    if (end?.threads !== threads || end.messages !== messages) {
      throw invalidExport(end ? 'some of its lines are missing' : 'its end is missing')
    }
    await this.#saveResource()
    return this.#counts
  }

  /** Deletes what was imported, but nothing that others have added in the meantime. */
  async rollBack(): Promise<void> {
    const resourceId = this.#resourceId
    for (const threadId of this.#threadIds) await this.#storage.deleteThread({ threadId, resourceId })
    const { items } = await this.#storage.listThreads({ resourceId, limit: 1 })
    if (items.length === 0) await this.#storage.deleteResource({ resourceId })
  }

  async #take(record: Exclude<ExportRecord, RecordOf<'end'>>): Promise<void> {
    switch (record.type) {
      case 'header':
        throw invalidExport('it has two headers')
      case 'resource':
        this.#resource = record
        return
      case 'thread':
        await this.#endThread()
        return this.#beginThread(record)
      case 'message':
        return this.#addMessage(record)
      case 'file':
        return this.#addFile(record)
      default:
        record satisfies never
    }
  }

  async #beginThread(record: RecordOf<'thread'>): Promise<void> {
    const { id, title, metadata } = record
    await this.#storage.saveThread({ ...this.#key(id), title, metadata, ifVersion: 0 })
    this.#threadIds.push(id)
    this.#counts.threads++
    const needed = sequencesIn(record, this.#resource)
    this.#thread = { record, messages: [], blobs: [], bytes: 0, needed, places: new Map() }
  }

  async #addMessage({ sequence, id, role, createdAt, content }: RecordOf<'message'>): Promise<void> {
    const thread = this.#requireThread()
    if (thread.messages.length >= MESSAGES_PER_SAVE || thread.bytes > BYTES_PER_SAVE) await this.#save(thread)
    thread.messages.push({ id, role, content, createdAt: new Date(createdAt) })
    this.#counts.messages++
    for (const place of thread.needed) if (sequence <= place) thread.places.set(place, id)
  }

  async #addFile({ id, data }: RecordOf<'file'>): Promise<void> {
    const thread = this.#requireThread()
    const messageId = thread.messages.at(-1)?.id
    if (messageId === undefined) throw invalidExport('a file comes before its message')
    const bytes = await fromBase64(data).catch((cause) => {
      throw invalidExport('a file is not valid Base64', cause)
    })
    thread.blobs.push({ messageId, id, data: bytes })
    thread.bytes += bytes.length
  }

  async #save(thread: OpenThread): Promise<void> {
    const { messages, blobs, record } = thread
    await this.#storage.saveMessages({ ...this.#key(record.id), messages, blobs })
    Object.assign(thread, { messages: [], blobs: [], bytes: 0 })
  }

  async #endThread(): Promise<void> {
    const thread = this.#thread
    if (!thread) return
    await this.#save(thread)
    this.#thread = undefined
    const { id, state } = thread.record
    const moved = await this.#newSequences(id, thread.places)
    this.#moved.set(id, moved)
    const movedState = remapProgress(remapNotes(state, this.#moved), moved)
    if (Object.keys(movedState).length > 0) {
      await this.#storage.saveThread({ ...this.#key(id), state: movedState })
    }
  }

  async #saveResource(): Promise<void> {
    if (!this.#resource) return
    const { metadata, state } = this.#resource
    await this.#storage.saveResource({
      resourceId: this.#resourceId,
      metadata,
      state: remapNotes(state, this.#moved),
    })
  }

  /** The new sequence numbers of messages that notes refer to. */
  async #newSequences(threadId: string, places: ReadonlyMap<number, string>): Promise<Map<number, number>> {
    const messageIds = [...new Set(places.values())]
    if (messageIds.length === 0) return new Map()
    const found = await this.#storage.getMessages({
      resourceId: this.#resourceId,
      messages: messageIds.map((messageId) => ({ threadId, messageId })),
    })
    const now = new Map(found.map(({ message, sequence }) => [message.id, sequence]))
    return new Map([...places].map(([place, id]) => [place, now.get(id) ?? 0]))
  }

  #requireThread(): OpenThread {
    if (this.#thread) return this.#thread
    throw invalidExport('a message comes before its thread')
  }

  #key(threadId: string): ThreadKey {
    return { threadId, resourceId: this.#resourceId }
  }
}
