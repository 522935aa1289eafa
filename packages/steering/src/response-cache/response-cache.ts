import type {
  Chunk,
  CounterStore,
  ModelRequest,
  ProcessDeliveryArgs,
  ProcessOutputStreamArgs,
  Processor,
  RequestContext,
  WrapModelCallArgs,
} from '@millrace/core'
import { MillraceError } from '@millrace/core'
import { LRUCache } from 'lru-cache'
import { chunksOf, Recording, replay } from './recording.ts'
import { requestKey } from './request-key.ts'

export interface ResponseCacheOptions {
  /** Names the entries too: caches with the same `id` that share a store share them. Default: `'response-cache'`. */
  readonly id?: string
  /** Whose runs share entries: `'resource'`, `'thread'` or `'all'`. Default: `'resource'`. */
  readonly scope?: 'resource' | 'thread' | 'all'
  /** How long an entry is used, in milliseconds. Default: 3,600,000 (one hour). */
  readonly ttlMs?: number
  /** A store in which entries are kept, such as `SQLiteStore`. Default: this instance. */
  readonly store?: CounterStore
  /** Without a store: the most entries. The least recently used goes first. Default: 500. */
  readonly maxEntries?: number
  /** Without a store: the most UTF-16 units of all entries. Default: 33,554,432. */
  readonly maxTotalLength?: number
  /** Longer responses are not kept, in UTF-16 units of JSON. Default: 1,048,576. */
  readonly maxLength?: number
  /** Part of every key. Change it to stop using old entries: other guards, other instructions. */
  readonly version?: string
  /** A function of the request that says which requests take part. Default: all. */
  readonly when?: (request: ModelRequest, requestContext: RequestContext) => boolean
  /**
   * Called with `hit`, `miss`, `stored` or `failure`. With `failure` the store failed, and the run continued without
   * it.
   */
  readonly onEvent?: (event: ResponseCacheEvent) => void
}

export interface ResponseCacheEvent {
  readonly processorId: string
  /** `failure`: the store failed, and the run went on without it. */
  readonly type: 'hit' | 'miss' | 'stored' | 'failure'
  readonly stepNumber: number | undefined
  readonly error?: unknown
}

/** What a run would like to keep, by step. */
type Pending = Map<
  number,
  { readonly owner: string | undefined; readonly key: string; readonly recording: Recording }
>

/**
 * Answers a request that was answered before with the same response, chunk by chunk. Same means: model, prompt, tools,
 * settings, schema and provider options.
 *
 * A response is kept once its run is completed, so what any processor rejects is never kept; and only if it is whole and
 * ended well. What is kept has come to the cache's place in the chain: behind a guard that redacts, it is redacted. It
 * therefore takes part where output is processed: in `processors` or `outputProcessors`.
 *
 * A replayed response comes in the model's place: all other processors see it as they would the model's. It uses no
 * tokens, and says `millrace: { cached: true }` in the step's provider metadata.
 */
export class ResponseCache implements Processor {
  readonly id: string
  readonly #options: ResponseCacheOptions
  readonly #scope: 'resource' | 'thread' | 'all'
  readonly #ttlMs: number
  readonly #maxLength: number
  readonly #entries: Entries
  readonly #pending = new WeakMap<object, Pending>()

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(options: ResponseCacheOptions = {}) {
    const { id = 'response-cache', scope = 'resource', ttlMs = 3_600_000, maxLength = 1_048_576 } = options
    const { store, maxEntries = 500, maxTotalLength = 33_554_432 } = options
    if (!['resource', 'thread', 'all'].includes(scope)) {
      throw new MillraceError('CONFIG_INVALID', `scope is '${scope}'. Use 'resource', 'thread' or 'all'.`)
    }
    for (const [name, value] of Object.entries({ ttlMs, maxLength, maxEntries, maxTotalLength })) {
      if (Number.isSafeInteger(value) && value > 0) continue
      throw new MillraceError('CONFIG_INVALID', `${name} is ${value}. Use a whole number above 0.`)
    }
    this.id = id
    this.#options = options
    this.#scope = scope
    this.#ttlMs = ttlMs
    this.#maxLength = maxLength
    this.#entries = store ? inStore(store) : inMemory({ maxEntries, maxTotalLength })
  }

  async *wrapModelCall({
    request,
    next,
    state,
    requestContext,
    messageList,
    stepNumber,
  }: WrapModelCallArgs): AsyncGenerator<Chunk> {
    const pending = this.#pendingOf(state)
    // An attempt at the step that was made before has been rejected.
    pending.delete(stepNumber)
    if (this.#options.when?.(request, requestContext) === false) {
      yield* next(request)
      return
    }
    const { owner, key } = await this.#place(request, requestContext)
    const chunks = await this.#find(owner, key, stepNumber)
    this.#tell(chunks ? 'hit' : 'miss', stepNumber)
    if (chunks) {
      yield* replay(chunks, { stepNumber, messageList })
      return
    }
    const recording = new Recording(this.#maxLength)
    pending.set(stepNumber, { owner, key, recording })
    for await (const chunk of next(request)) {
      recording.watch(chunk)
      yield chunk
    }
  }

  processOutputStream({ part, state, stepNumber }: ProcessOutputStreamArgs): Chunk {
    this.#pending.get(state)?.get(stepNumber)?.recording.add(part)
    return part
  }

  processDelivery({ result, state, waitUntil }: ProcessDeliveryArgs): undefined {
    if (result === undefined) return
    const pending = this.#pending.get(state)
    this.#pending.delete(state)
    if (!pending?.size || result.status !== 'completed') return
    waitUntil(this.#keep(pending))
  }

  #pendingOf(state: object): Pending {
    let pending = this.#pending.get(state)
    if (!pending) {
      pending = new Map()
      this.#pending.set(state, pending)
    }
    return pending
  }

  async #place(
    request: ModelRequest,
    { threadId = '', resourceId }: RequestContext,
  ): Promise<{ owner: string | undefined; key: string }> {
    const { version = '' } = this.#options
    const salt = this.#scope === 'thread' ? [version, threadId] : [version]
    const hash = await requestKey(request, salt)
    return { owner: this.#scope === 'all' ? undefined : resourceId, key: `${this.id}:${this.#scope}:${hash}` }
  }

  async #find(owner: string | undefined, key: string, stepNumber: number): Promise<Chunk[] | undefined> {
    try {
      const entry = await this.#entries.get(owner, key)
      return entry === undefined ? undefined : chunksOf(entry)
    } catch (error) {
      this.#tell('failure', stepNumber, error)
      return undefined
    }
  }

  async #keep(pending: Pending): Promise<void> {
    for (const [stepNumber, { owner, key, recording }] of pending) {
      const { entry } = recording
      if (entry === undefined) continue
      try {
        await this.#entries.set(owner, key, { entry, ttlMs: this.#ttlMs })
        this.#tell('stored', stepNumber)
      } catch (error) {
        this.#tell('failure', stepNumber, error)
      }
    }
  }

  #tell(type: ResponseCacheEvent['type'], stepNumber: number, error?: unknown): void {
    this.#options.onEvent?.({ processorId: this.id, type, stepNumber, ...(error !== undefined && { error }) })
  }
}

/** Where entries are kept, by owner and key. */
interface Entries {
  get(owner: string | undefined, key: string): string | undefined | Promise<string | undefined>
  set(owner: string | undefined, key: string, options: { entry: string; ttlMs: number }): unknown
}

function inStore(store: CounterStore): Entries {
  return {
    get: (resourceId, key) => store.getKey({ resourceId, key }),
    set: (resourceId, key, { entry, ttlMs }) =>
      store.setKey({ resourceId, key, value: entry, expiresIn: ttlMs }),
  }
}

function inMemory({ maxEntries, maxTotalLength }: { maxEntries: number; maxTotalLength: number }): Entries {
  const entries = new LRUCache<string, string>({
    max: maxEntries,
    maxSize: maxTotalLength,
    sizeCalculation: (entry) => entry.length,
    perf: Date,
    ttlResolution: 0,
  })
  const nameOf = (owner: string | undefined, key: string): string => JSON.stringify([owner ?? null, key])
  return {
    get: (owner, key) => entries.get(nameOf(owner, key)),
    set: (owner, key, { entry, ttlMs }) => entries.set(nameOf(owner, key), entry, { ttl: ttlMs }),
  }
}
