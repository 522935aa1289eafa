import type { EmbeddingModelV4, LanguageModelV4 } from '@ai-sdk/provider'
import {
  type Agent,
  MillraceError,
  type OptionNames,
  type Processor,
  requireCount,
  requireOneOf,
  requireOptions,
  requireTime,
  type SuspendedRun,
  type UserMessageMetadata,
  type WaitingCall,
} from '@millrace/core'
import type { StreamStore } from '@millrace/core/storage'
import type { Memory } from '@millrace/memory'

/** The caller of a request, as `authenticate` returns it. */
export interface Caller {
  /** The owner of the threads, runs and streams that the request can access. It finds no others. */
  resourceId: string
  /** Who the caller is, where several share a `resourceId`. Recorded as who decides. Default: the `resourceId`. */
  userId?: string
}

/** An approval or denial that a caller wants to give. */
export interface ApprovalRequest {
  approver: Caller
  call: WaitingCall
  /** The run that waits, with its owner: `resourceId`. */
  run: SuspendedRun
  request: Request
}

/**
 * Identifies the caller by the session, token or certificate of the request, never by its body. `undefined`
 * refuses the request with 401; a `Response` is sent as it is.
 */
export type Authenticate = (
  request: Request,
) => Caller | Response | undefined | Promise<Caller | Response | undefined>

export interface HandlerLimits {
  /** Maximum size of a request's body in bytes. Default: 4 MiB. */
  maxBodyBytes?: number
  /** Maximum size of a request's URL and headers in bytes. Default: 32 KiB. */
  maxHeaderBytes?: number
  /** Maximum time for a body to arrive, in milliseconds. Default: 30,000. */
  bodyTimeoutMs?: number
  /** Maximum number of messages in a request. Default: 1,000. */
  maxMessages?: number
  /** Maximum number of answers in progress for one resource. Default: 20. */
  maxRunsPerResource?: number
  /** Maximum length of all chunks of an answer, in characters. Default: 16 Mi. */
  maxAnswerLength?: number
  /**
   * Milliseconds without a chunk or heartbeat after which readers in other processes assume that the process
   * which generates an answer has died. It sends four heartbeats in that time, each a small write to
   * `streams`. Default: 20,000.
   */
  goneAfterMs?: number
}

const HANDLER_LIMITS: OptionNames<HandlerLimits> = {
  maxBodyBytes: 'optional',
  maxHeaderBytes: 'optional',
  bodyTimeoutMs: 'optional',
  maxMessages: 'optional',
  maxRunsPerResource: 'optional',
  maxAnswerLength: 'optional',
  goneAfterMs: 'optional',
}

export interface HandlerOptions {
  /** The agents, by the name that requests use. */
  agents: Readonly<Record<string, Agent>>
  /**
   * Called with each request to identify the caller by its session, token or certificate, never by its body.
   * Returns `{ resourceId }`, `undefined` to refuse the request with 401, or a `Response`, which is sent as
   * it is.
   */
  authenticate: Authenticate
  /**
   * Called with each message to an agent. Returns the application's metadata of the user's message, a JSON
   * object such as `{ speaker: 'Ada' }`, or `undefined`: by the session of the request, never by its body, which
   * has been read. Memory and its filters read this metadata only; what the client sends as metadata is kept
   * under the key `client`, and returned to the client. If it throws, or returns anything else, no run
   * starts, and the response is 500. Default: none.
   */
  userMessageMetadata?: (
    request: Request,
  ) => UserMessageMetadata | undefined | Promise<UserMessageMetadata | undefined>
  /**
   * Whether a caller may approve or deny a call. It may be another person than the owner of the run, who then finds the
   * run by `?resourceId=`, and it may not be the owner. Default: the owner.
   */
  mayApprove?: (approval: ApprovalRequest) => boolean | Promise<boolean>
  /** The memory of the agents. It adds the routes for threads, messages and a user's data. */
  memory?: Memory
  /** The store through which other processes read the answers of this one. Default: the memory's store. */
  streams?: StreamStore
  /**
   * What happens to an answer when its last reader disconnects. `continue`: it is completed, and can be read
   * later. `cancel`: its run is aborted. Default: `continue`.
   */
  onReaderGone?: 'cancel' | 'continue'
  /**
   * Models for `/v1`, in addition to the agents. Requests to them are trusted as the application's own. Put
   * guards around them with `guardModel` of `@millrace/interop/ai-sdk`.
   */
  proxy?: Readonly<Record<string, LanguageModelV4>>
  /** Embedding models for `/v1/embeddings`, by the name that requests use. */
  embeddings?: Readonly<Record<string, EmbeddingModelV4>>
  /** Limits of requests and answers, see below. */
  limits?: HandlerLimits
  /**
   * A processor that runs before a run starts or a model is called. If it blocks, the request is refused with
   * 429 and `retry-after`. An example is `RateLimit` of `@millrace/steering/rate-limit`, by resource.
   */
  rateLimit?: Processor
  /**
   * The origins whose pages may read responses, such as `https://chat.example.com`. Default: only the
   * server's own.
   */
  cors?: readonly string[]
  /** The path prefix of every route, such as `/api`. Default: none. */
  basePath?: string
  /**
   * Called with each server fault, the request and its id, which is in the header `x-request-id` of the
   * response. The client gets no details. Also called if a stream cannot be stored; its readers still get it.
   * Default: `console.error`.
   */
  onError?: (error: unknown, request: Request, requestId: string) => void
}

export const HANDLER_OPTIONS: OptionNames<HandlerOptions> = {
  agents: 'required',
  authenticate: 'required',
  userMessageMetadata: 'optional',
  mayApprove: 'optional',
  memory: 'optional',
  streams: 'optional',
  onReaderGone: 'optional',
  proxy: 'optional',
  embeddings: 'optional',
  limits: HANDLER_LIMITS,
  rateLimit: 'optional',
  cors: 'optional',
  basePath: 'optional',
  onError: 'optional',
}

export interface Settings
  extends Required<
    Omit<HandlerOptions, 'userMessageMetadata' | 'memory' | 'streams' | 'limits' | 'rateLimit' | 'mayApprove'>
  > {
  userMessageMetadata: HandlerOptions['userMessageMetadata'] | undefined
  memory: Memory | undefined
  streams: StreamStore | undefined
  rateLimit: Processor | undefined
  mayApprove: HandlerOptions['mayApprove']
  limits: Required<HandlerLimits>
}

/** @throws MillraceError `CONFIG_INVALID`, which names the option and its value */
export function settingsOf(given: HandlerOptions): Settings {
  const options = requireOptions('createHandler()', given, HANDLER_OPTIONS)
  const {
    agents,
    authenticate,
    userMessageMetadata,
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
  if (userMessageMetadata !== undefined && typeof userMessageMetadata !== 'function') {
    throw new MillraceError(
      'CONFIG_INVALID',
      `userMessageMetadata is of type ${typeof userMessageMetadata}. Pass a function of the request.`,
    )
  }
  const { mayApprove } = options
  if (mayApprove !== undefined && typeof mayApprove !== 'function') {
    throw new MillraceError(
      'CONFIG_INVALID',
      `mayApprove is of type ${typeof mayApprove}. Pass a function that returns whether a caller may approve a call.`,
    )
  }
  const names = [agents ?? {}, proxy, embeddings].flatMap(Object.keys)
  if (names.length === 0) {
    throw new MillraceError(
      'CONFIG_INVALID',
      'agents, proxy and embeddings are empty. Pass at least one agent or model.',
    )
  }
  const bad = names.find((name) => !/^[\w.-]{1,64}$/.test(name))
  if (bad !== undefined) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `The name '${bad}' cannot be used in a URL. Use up to 64 letters, digits, '.', '-' and '_'.`,
    )
  }
  const duplicate = names.find((name, index) => names.indexOf(name) !== index)
  if (duplicate !== undefined) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `'${duplicate}' is the name of two agents or models. Rename one.`,
    )
  }
  if (basePath !== '' && !/^(?:\/[\w.-]+)+$/.test(basePath)) {
    throw new MillraceError('CONFIG_INVALID', `basePath is '${basePath}'. Use a path such as '/api'.`)
  }
  requireOneOf('onReaderGone', onReaderGone, ['cancel', 'continue'])
  return {
    agents: agents ?? {},
    authenticate,
    userMessageMetadata,
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
    mayApprove,
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
  // biome-ignore lint/suspicious/noConsole: the default destination of server faults
  console.error(error)
}
