import type { EmbeddingModelV4, LanguageModelV4 } from '@ai-sdk/provider'
import {
  type Agent,
  MillraceError,
  type Processor,
  requireCount,
  requireOneOf,
  requireTime,
} from '@millrace/core'
import type { StreamStore } from '@millrace/core/storage'
import type { Memory } from '@millrace/memory'

/** Who is asking, as the application knows it. */
export interface Caller {
  /** Whose threads, runs and streams the request may see: no other's are found. */
  resourceId: string
}

/**
 * Tells who sends a request: from its session, token or certificate, never from its body.
 * `undefined` refuses it with 401; a `Response` is sent as it is.
 */
export type Authenticate = (
  request: Request,
) => Caller | Response | undefined | Promise<Caller | Response | undefined>

export interface HandlerLimits {
  /** Bytes of a request's body. Default: 4 MiB. */
  maxBodyBytes?: number
  /** Bytes of a request's address and headers. Default: 32 KiB. */
  maxHeaderBytes?: number
  /** Milliseconds for a body to arrive. Default: 30,000. */
  bodyTimeoutMs?: number
  /** Messages of one request. Default: 1,000. */
  maxMessages?: number
  /** Answers that are being made at the same time for one resource. Default: 20. */
  maxRunsPerResource?: number
  /** Characters of the chunks of one answer. Default: 16 Mi. */
  maxAnswerLength?: number
  /**
   * Milliseconds without a sign of life after which readers in other processes take the process that makes an answer for
   * dead. It gives four signs in that time, each a small write to `streams`. Default: 20,000.
   */
  goneAfterMs?: number
}

export interface HandlerOptions {
  /** The agents, by the name that requests use. */
  agents: Readonly<Record<string, Agent>>
  /**
   * Called with each request to tell who sends it, from its session, token or certificate, never from its body: returns
   * `{ resourceId }`, nothing to refuse it with 401, or a `Response`, which is sent as it is.
   */
  authenticate: Authenticate
  /** The memory of the agents: with it there are routes for threads and messages, and for a person's data. */
  memory?: Memory
  /** Where other processes find the answers of this one. Default: the memory's store. */
  streams?: StreamStore
  /**
   * What becomes of an answer whose last reader is gone. `continue`: it is made to its end, to be read later. `cancel`: it is
   * given up. Default: `continue`.
   */
  onReaderGone?: 'cancel' | 'continue'
  /**
   * Models for `/v1`, beside the agents: what a program asks them is the application's own words. Put guards around them with
   * `guardModel` of `@millrace/interop/ai-sdk`.
   */
  proxy?: Readonly<Record<string, LanguageModelV4>>
  /** Embedding models for `/v1/embeddings`, by the name that requests use. */
  embeddings?: Readonly<Record<string, EmbeddingModelV4>>
  /** What requests and answers may be, see below. */
  limits?: HandlerLimits
  /**
   * A processor that is asked before a run begins or a model is called: what it blocks is refused with 429 and `retry-after`.
   * Such as `RateLimit` of `@millrace/steering/rate-limit`, by resource.
   */
  rateLimit?: Processor
  /** The origins whose pages may read answers, such as `https://chat.example.com`. Default: none but the server's own. */
  cors?: readonly string[]
  /** A path before every route, such as `/api`. Default: none. */
  basePath?: string
  /**
   * Called with each fault that the client is told nothing of, the request and its id, which is in the header `x-request-id`
   * of the response; also with those of a store of streams, whose readers are served all the same. Default: `console.error`.
   */
  onError?: (error: unknown, request: Request, requestId: string) => void
}

export interface Settings
  extends Required<Omit<HandlerOptions, 'memory' | 'streams' | 'limits' | 'rateLimit'>> {
  memory: Memory | undefined
  streams: StreamStore | undefined
  rateLimit: Processor | undefined
  limits: Required<HandlerLimits>
}

/** @throws MillraceError `CONFIG_INVALID`, which names the option and its value */
export function settingsOf(options: HandlerOptions): Settings {
  const {
    agents,
    authenticate,
    memory,
    onReaderGone = 'continue',
    proxy = {},
    embeddings = {},
    cors = [],
    basePath = '',
  } = options
  const {
    maxBodyBytes = 4 * 1024 * 1024,
    maxHeaderBytes = 32 * 1024,
    bodyTimeoutMs = 30_000,
    maxMessages = 1_000,
    maxRunsPerResource = 20,
    maxAnswerLength = 16 * 1024 * 1024,
    goneAfterMs = 20_000,
  } = options.limits ?? {}
  if (typeof authenticate !== 'function') {
    throw new MillraceError(
      'CONFIG_INVALID',
      'authenticate is missing. Pass a function that returns { resourceId } for a request, or undefined to refuse it.',
    )
  }
  const names = [agents ?? {}, proxy, embeddings].flatMap(Object.keys)
  if (names.length === 0) {
    throw new MillraceError(
      'CONFIG_INVALID',
      'There are no agents, no proxy and no embeddings. Pass at least one of them.',
    )
  }
  const bad = names.find((name) => !/^[\w.-]{1,64}$/.test(name))
  if (bad !== undefined) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `The name '${bad}' cannot stand in an address. Use letters, digits, '.', '-' and '_', at most 64.`,
    )
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) {
    throw new MillraceError('CONFIG_INVALID', `'${twice}' is the name of two agents or models. Rename one.`)
  }
  if (basePath !== '' && !/^(?:\/[\w.-]+)+$/.test(basePath)) {
    throw new MillraceError('CONFIG_INVALID', `basePath is '${basePath}'. Use a path such as '/api'.`)
  }
  requireOneOf('onReaderGone', onReaderGone, ['cancel', 'continue'])
  return {
    agents: agents ?? {},
    authenticate,
    memory,
    streams: options.streams ?? streamsOf(memory),
    onReaderGone,
    proxy,
    embeddings,
    limits: {
      maxBodyBytes: requireCount('limits.maxBodyBytes', maxBodyBytes, 1),
      maxHeaderBytes: requireCount('limits.maxHeaderBytes', maxHeaderBytes, 1),
      bodyTimeoutMs: requireTime('limits.bodyTimeoutMs', bodyTimeoutMs) ?? bodyTimeoutMs,
      maxMessages: requireCount('limits.maxMessages', maxMessages, 1),
      maxRunsPerResource: requireCount('limits.maxRunsPerResource', maxRunsPerResource, 1),
      maxAnswerLength: requireCount('limits.maxAnswerLength', maxAnswerLength, 1),
      goneAfterMs: requireTime('limits.goneAfterMs', goneAfterMs) ?? goneAfterMs,
    },
    rateLimit: options.rateLimit,
    cors: checkOrigins(cors),
    basePath,
    onError: options.onError ?? reportToConsole,
  }
}

function streamsOf(memory: Memory | undefined): StreamStore | undefined {
  const storage = memory?.storage as Partial<StreamStore> | undefined
  return typeof storage?.appendToStream === 'function' ? (storage as StreamStore) : undefined
}

function checkOrigins(origins: readonly string[]): readonly string[] {
  const bad = origins.find((origin) => !URL.canParse(origin) || new URL(origin).origin !== origin)
  if (bad === undefined) return origins
  throw new MillraceError(
    'CONFIG_INVALID',
    `cors has '${bad}'. Use origins without a path, such as 'https://chat.example.com'.`,
  )
}

function reportToConsole(error: unknown): void {
  // biome-ignore lint/suspicious/noConsole: where faults of a server are looked for by default
  console.error(error)
}
