const marker = Symbol.for('millrace.error')

/**
 * All codes of {@link MillraceError}, with their meaning. The prefix says where to look: options (`CONFIG`), the
 * model and its provider (`MODEL`), tools (`TOOL`), processors (`PROCESSOR`), stores (`STORAGE`), the run itself
 * (`RUN`).
 */
export const ERROR_CODES = {
  CONFIG_INVALID: 'An option is unknown, is missing or has an invalid value.',
  CONFIG_HOOK_MISSING: 'A processor has no hook, or none that its list calls.',
  CONFIG_HOOK_UNKNOWN:
    'A processor has a method that looks like a hook but is not one, or belongs to another framework.',
  CONFIG_ID_DUPLICATE: 'Two processors in one list have the same id.',
  CONFIG_ID_MISSING: 'A processor is placed before or after an id that is not in the list.',
  CONFIG_ORDER_CYCLE: 'The before and after of processors form a cycle.',
  CONFIG_SCHEMA_INVALID: 'A schema cannot be turned into JSON Schema.',
  MODEL_UNRESOLVED: 'A model id or model object could not be turned into a language model.',
  MODEL_CALL_FAILED: 'The provider refused or failed the call, after all retries.',
  MODEL_STREAM_FAILED: "The model's response was interrupted or reported an error.",
  MODEL_OUTPUT_INVALID: "The model's answer does not match the output schema.",
  TOOL_LIST_FAILED: 'A server could not list its tools.',
  TOOL_APPROVAL_FAILED:
    'An approval policy (toolApproval, needsApproval) threw an error; the call was not executed.',
  TOOL_TIMEOUT: 'An attempt of a tool timed out; the model sees the error.',
  PROCESSOR_FAILED: 'A processor threw an error; the run failed closed.',
  PROCESSOR_RESULT_INVALID: 'A processor returned something its hook does not allow.',
  PROCESSOR_OUTPUT_INVALID:
    'Processors changed a structured answer so that it does not match the output schema.',
  PROCESSOR_EMPTY_INPUT: 'The input processors left no message for the model.',
  STORAGE_INPUT_INVALID: 'A store received an invalid argument, such as an empty id.',
  STORAGE_MESSAGE_TOO_LARGE:
    'A message cannot be saved: its text, or a file of it, is larger than the store allows.',
  STORAGE_STREAM_TOO_LARGE: 'Chunks cannot be added: the stream would be larger than the store allows.',
  STORAGE_CONFLICT: 'Another writer has changed the record in the meantime.',
  STORAGE_UNSUPPORTED: 'The store does not have this capability.',
  STORAGE_SCHEMA_OUTDATED: 'The database has an older schema than the store needs, or none.',
  STORAGE_SCHEMA_NEWER: 'The database has a newer schema than the store knows.',
  STORAGE_BUSY: 'The database was locked, or no connection was free, for too long.',
  STORAGE_FULL: 'The database or its disk is full.',
  STORAGE_UNAVAILABLE: 'The database cannot be reached.',
  STORAGE_FAILED: 'Any other error of the database.',
  STORAGE_CLOSED: 'The store has been closed.',
  RUN_INPUT_INVALID: 'The input of a run is not a string and not a list of messages.',
  RUN_MESSAGE_DUPLICATE: 'Two messages have the same id.',
  RUN_MESSAGE_INVALID: 'A value added to the transcript is not a message.',
  RUN_STREAM_CONSUMED: 'The stream of a run already has a reader.',
  RUN_TEXT_RETRACTED: 'Text that textStream had already yielded was rejected or changed.',
  RUN_STATE_NOT_JSON: 'A run cannot be suspended: its state or payload is not JSON.',
  RUN_TOO_LARGE: 'A run cannot be stored: its JSON is larger than the store allows.',
  RUN_LIMIT_REACHED: 'A run cannot be stored: the maximum number of runs is reached.',
  RUN_NOT_FOUND: 'There is no suspended or interrupted run with this id.',
  RUN_ALREADY_RESUMED: 'The run was resumed before, or is being resumed; a run is resumed once.',
  RUN_LEASE_LOST:
    'Another attempt has claimed the run, or it has ended, while this attempt was still running.',
  RUN_RELEASED: 'The suspended run was released and cannot be resumed.',
  RUN_EXPIRED: 'The suspended run was not resumed in time.',
  RUN_CANCELLED: 'The run was cancelled before it had ended.',
  RUN_INCOMPATIBLE: 'The suspended run needs a processor, tool or version that is missing.',
  RUN_RESUME_INVALID: 'The data that a run is resumed with does not match what it waits for.',
  RUN_ANSWER_FORBIDDEN: 'The caller may not answer this call (mayAnswer, mayApprove).',
  RUN_DEPTH_EXCEEDED: 'Agents are nested deeper than maxDepth of their tools.',
  RUN_SUSPEND_UNSUPPORTED: 'A processor suspended in another framework, where no run can be resumed.',
  RUN_PROMPT_TOO_LONG: 'A prompt cannot be reduced to its token limit.',
  RUN_THREAD_UNWRITTEN:
    'A run has called tools and its thread could not be written; resuming the run writes it.',
  RUN_FAILED: 'A function in the options, a schema or a store threw an error.',
  RUN_STOP_CONDITION_FAILED: 'A condition of stopWhen threw an error.',
  RUN_BACKGROUND_TIMEOUT: 'Background work took longer than the timeout of agent.close().',
  RUN_TIMEOUT: 'The run, a step or the wait for a chunk timed out.',
} as const

/** One of the codes in {@link ERROR_CODES}. */
export type MillraceErrorCode = keyof typeof ERROR_CODES

/** The HTTP status of a code, if it is not 500. */
const STATUS_CODES: { readonly [CODE in MillraceErrorCode]?: number } = {
  RUN_INPUT_INVALID: 400,
  RUN_MESSAGE_DUPLICATE: 400,
  RUN_RESUME_INVALID: 400,
  STORAGE_INPUT_INVALID: 400,
  STORAGE_MESSAGE_TOO_LARGE: 413,
  STORAGE_STREAM_TOO_LARGE: 413,
  RUN_ANSWER_FORBIDDEN: 403,
  RUN_NOT_FOUND: 404,
  RUN_ALREADY_RESUMED: 409,
  RUN_LEASE_LOST: 409,
  STORAGE_CONFLICT: 409,
  RUN_RELEASED: 410,
  RUN_EXPIRED: 410,
  RUN_CANCELLED: 410,
  RUN_LIMIT_REACHED: 429,
  STORAGE_BUSY: 503,
  STORAGE_UNAVAILABLE: 503,
  RUN_TIMEOUT: 504,
}

/**
 * The error class of Millrace. `code` is stable, so branch on it; `message` says what happened, with which value, and
 * what to do; `cause` is the original error. Messages contain no user content and no secrets.
 */
export class MillraceError extends Error {
  readonly code: MillraceErrorCode

  constructor(code: MillraceErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    Object.defineProperty(this, marker, { value: true })
    this.name = 'MillraceError'
    this.code = code
  }

  /** The HTTP status of a response with this error: 4xx if the request is at fault. */
  get statusCode(): number {
    return STATUS_CODES[this.code] ?? 500
  }

  /**
   * The error as a response: `{ error: { code, message } }` as JSON. For errors of the server, the message is
   * generic.
   *
   * @example
   * catch (error) { if (MillraceError.isInstance(error)) return error.toResponse() }
   */
  toResponse(): Response {
    const { code, statusCode: status } = this
    const message = status < 500 ? this.message : 'The server failed.'
    return Response.json({ error: { code, message } }, { status })
  }

  /** Recognizes the error also if it comes from another copy of the package. */
  static isInstance(error: unknown): error is MillraceError {
    return hasMarker(error, marker)
  }
}

/** Whether `value` has `symbol` as `true`. Errors are recognized by this across copies of the package. */
export function hasMarker(value: unknown, symbol: symbol): boolean {
  return markerOf(value, symbol) === true
}

/** The value of `symbol` in `value`. Anything can be thrown, so reading it may fail: then there is none. */
export function markerOf(value: unknown, symbol: symbol): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  try {
    return (value as Record<symbol, unknown>)[symbol]
  } catch {
    return undefined
  }
}

/** The message of anything that was thrown, or its name if it has no message. */
export function messageOf(error: unknown): string {
  const { message, name } = (readable(error) ?? {}) as Partial<Error>
  return String(message || name || error)
}

/** What foreign code has thrown. If it cannot be read, such as a proxy whose traps throw, an error in its place. */
export function readable(thrown: unknown): unknown {
  try {
    const object = Object(thrown)
    const isError = object instanceof Error
    // As whoever reports the error does.
    for (const key of [...Reflect.ownKeys(object), 'message', 'name', 'stack', 'cause'])
      Reflect.get(object, key)
    String(object.message || object.name || isError || thrown)
    return thrown
  } catch {
    return new Error('What was thrown cannot be read.')
  }
}

/** Whether the error is of this package, with a code that begins so. */
export function hasCode(error: unknown, prefix: string): boolean {
  return MillraceError.isInstance(error) && String(error.code).startsWith(prefix)
}
