import {
  type Chunk,
  type CounterStore,
  MillraceError,
  type ModelRequest,
  type OptionNames,
  PerRun,
  type ProcessDeliveryArgs,
  type ProcessOutputStreamArgs,
  type Processor,
  type RequestContext,
  requireOptions,
  type WrapModelCallArgs,
} from '@millrace/core'
import { LRUCache } from 'lru-cache'
import { chunksOf, Recording, replay } from './recording.ts'
import { requestKey } from './request-key.ts'

export interface ResponseCacheOptions {
  /**
   * Also the name of the entries: caches with the same `id` that share a store share them. Default: `'response-cache'`.
   */
  readonly id?: string
  /** Which runs share entries: those of a `'resource'`, of a `'thread'`, or `'all'`. Default: `'resource'`. */
  readonly scope?: 'resource' | 'thread' | 'all'
  /** How long an entry is used, in milliseconds. Default: 3,600,000 (one hour). */
  readonly ttlMs?: number
  /** A store for the entries, such as `SQLiteStore`. Default: this instance. */
  readonly store?: CounterStore
  /** Without a store: the maximum number of entries. The least recently used are dropped. Default: 500. */
  readonly maxEntries?: number
  /** Without a store: the maximum length of all entries, in UTF-16 units. Default: 33,554,432. */
  readonly maxTotalLength?: number
  /** The maximum length of a stored response, in UTF-16 units of JSON. Default: 1,048,576. */
  readonly maxLength?: number
  /** Part of every key. Change it to invalidate old entries, for example after a change of guards or instructions. */
  readonly version?: string
  /** A function of the request that decides whether the cache is used. Default: always. */
  readonly when?: (request: ModelRequest, requestContext: RequestContext) => boolean
  /**
   * Called with `hit`, `miss`, `stored` or `failure`. With `failure` the store failed, and the run continued without
   * it.
   */
  readonly onEvent?: (event: ResponseCacheEvent) => void
}

const RESPONSE_CACHE_OPTIONS: OptionNames<ResponseCacheOptions> = {
  id: 'optional',
  scope: 'optional',
  ttlMs: 'optional',
  store: 'optional',
  maxEntries: 'optional',
  maxTotalLength: 'optional',
  maxLength: 'optional',
  version: 'optional',
  when: 'optional',
  onEvent: 'optional',
}

export interface ResponseCacheEvent {
  readonly processorId: string
  /** `failure`: the store failed, and the run continued without it. */
  readonly type: 'hit' | 'miss' | 'stored' | 'failure'
  readonly stepNumber: number | undefined
  readonly error?: unknown
}

/** Responses to store when the run completes, by step. */
type Pending = Map<
  number,
  { readonly owner: string | undefined; readonly key: string; readonly recording: Recording }
>

/**
 * Answers a repeated request with the stored response, chunk by chunk. Requests are equal if model, prompt, tools,
 * settings, schema and provider options are.
 *
 * A response is stored when its run completes, so a response that a processor rejects is never stored; and only if it
 * is complete and ended normally. It is stored as it is at the cache's position in the list: after a guard that
 * redacts, it is redacted. The cache must therefore be where output is processed: in `processors` or
 * `outputProcessors`.
 *
 * A replayed response takes the place of the model's: all other processors see it like the model's. It uses no tokens,
 * and the step's provider metadata has `millrace: { cached: true }`.
 */
export class ResponseCache implements Processor {
  readonly id: string
  readonly #options: ResponseCacheOptions
  readonly #scope: 'resource' | 'thread' | 'all'
  readonly #ttlMs: number
  readonly #maxLength: number
  readonly #entries: Entries
  readonly #pending = new PerRun<Pending>()

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: ResponseCacheOptions = {}) {
    const options = requireOptions('ResponseCache', given, RESPONSE_CACHE_OPTIONS)
    const { id = 'response-cache', scope = 'resource', ttlMs = 3_600_000, maxLength = 1_048_576 } = options
    const { store, maxEntries = 500, maxTotalLength = 33_554_432 } = options
    if (!['resource', 'thread', 'all'].includes(scope)) {
      throw new MillraceError('CONFIG_INVALID', `scope is '${scope}'. Use 'resource', 'thread' or 'all'.`)
    }
    for (const [name, value] of Object.entries({ ttlMs, maxLength, maxEntries, maxTotalLength })) {
      if (Number.isSafeInteger(value) && value > 0) continue
      throw new MillraceError('CONFIG_INVALID', `${name} is ${value}. Use an integer of at least 1.`)
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
    // An earlier attempt at this step was rejected.
    pending.delete(stepNumber)
    if (this.#options.when?.(request, requestContext) === false) {
      yield* next(request)
      return
    }
    const { owner, key } = await this.#locate(request, requestContext)
    const chunks = await this.#find(owner, key, stepNumber)
    this.#emit(chunks ? 'hit' : 'miss', stepNumber)
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

  async #locate(
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
      this.#emit('failure', stepNumber, error)
      return undefined
    }
  }

  async #keep(pending: Pending): Promise<void> {
    for (const [stepNumber, { owner, key, recording }] of pending) {
      const { entry } = recording
      if (entry === undefined) continue
      try {
        await this.#entries.set(owner, key, { entry, ttlMs: this.#ttlMs })
        this.#emit('stored', stepNumber)
      } catch (error) {
        this.#emit('failure', stepNumber, error)
      }
    }
  }

  #emit(type: ResponseCacheEvent['type'], stepNumber: number, error?: unknown): void {
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
