import { ExpiringMap } from './expiring-map.ts'
import { streamMoved, streamTooLarge } from './store-errors.ts'
import { parseAppendToStream, parseReadStream, parseStreamKey } from './stream-arguments.ts'
import type {
  AppendToStreamOptions,
  ReadStreamOptions,
  StreamKey,
  StreamLimits,
  StreamPart,
} from './stream-store.ts'

interface Stream {
  threadId: string | undefined
  chunks: string[]
  bytes: number
  ended: boolean
}

/** The streams of {@link InMemoryStore}, by owner and run. */
export class InMemoryStreams {
  readonly #streams = new ExpiringMap<Stream>()
  readonly #limits: StreamLimits

  constructor(limits: StreamLimits) {
    this.#limits = limits
  }

  append(options: AppendToStreamOptions): void {
    const columns = parseAppendToStream(options, this.#limits)
    const { owner, runId, threadId, offset, chunks, bytes, maxBytes, end, expiresAt } = columns
    const key = { owner, key: runId }
    const stream = this.#streams.get(key)?.value ?? { threadId, chunks: [], bytes: 0, ended: false }
    const { length } = stream.chunks
    if (length !== offset || stream.ended) throw streamMoved(offset, { length, ended: stream.ended })
    if (stream.bytes + bytes > maxBytes) throw streamTooLarge(stream.bytes + bytes, maxBytes)
    for (const chunk of chunks) stream.chunks.push(chunk)
    stream.bytes += bytes
    stream.ended = end
    this.#streams.set(key, { value: stream, expiresAt })
  }

  read(options: ReadStreamOptions): StreamPart | undefined {
    const { owner, runId, from, limit } = parseReadStream(options)
    const stream = this.#streams.get({ owner, key: runId })?.value
    if (!stream) return undefined
    const { chunks, ended } = stream
    return { chunks: chunks.slice(from, from + limit), length: chunks.length, ended }
  }

  delete(options: StreamKey): boolean {
    const { owner, runId } = parseStreamKey(options)
    return this.#streams.delete({ owner, key: runId })
  }

  deleteThread({ owner, threadId }: { owner: string; threadId: string }): void {
    this.#streams.deleteWhere(owner, (stream) => stream.threadId === threadId)
  }

  deleteOwner(owner: string): void {
    this.#streams.deleteOwner(owner)
  }
}
