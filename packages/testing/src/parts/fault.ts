import { APICallError } from '@ai-sdk/provider'
import { type OptionNames, requireOptions } from '@millrace/core'
import type { ScriptPart } from '../script-part.ts'

/** The stream errors at this point: `read()` rejects with `error`, as if the connection broke. */
export function fail(error: unknown = new Error('The connection was lost.')): ScriptPart {
  return { writeTo: (turn) => turn.fail(error) }
}

/** An `error` part in the stream. The turn may continue; its finish reason is then `error` by default. */
export function errorPart(error: unknown): ScriptPart {
  return { writeTo: (turn) => turn.emit({ type: 'error', error }) }
}

/** Closes the stream without a `finish` part. `doGenerate` then rejects. */
export function cut(): ScriptPart {
  return { writeTo: (turn) => turn.stop('cut') }
}

/** `doStream` and `doGenerate` reject with `error`, as if the provider did not respond. It must be the whole turn. */
export function refuse(error: unknown): ScriptPart {
  return { writeTo: (turn) => turn.refuse(error) }
}

/** The provider refuses with status 429, which the AI SDK retries. It must be the whole turn. */
export function rateLimited(options: { retryAfterMs?: number } = {}): ScriptPart {
  requireOptions('rateLimited()', options, { retryAfterMs: 'optional' })
  return refuse(apiError({ ...options, status: 429, message: 'Rate limit exceeded.' }))
}

export interface APIErrorFields {
  /** HTTP status. The AI SDK retries 408, 409, 429 and 5xx. */
  status?: number
  message?: string
  /** Milliseconds, sent as `retry-after-ms` and, rounded up to seconds, as `retry-after`. */
  retryAfterMs?: number
  /** Default: depends on the status. */
  isRetryable?: boolean
  /** The body of the response. */
  responseBody?: string
}

const API_ERROR_FIELDS: OptionNames<APIErrorFields> = {
  status: 'optional',
  message: 'optional',
  retryAfterMs: 'optional',
  isRetryable: 'optional',
  responseBody: 'optional',
}

/** An error as AI SDK providers throw it, for `refuse()`, `fail()` and `errorPart()`. */
export function apiError(options: APIErrorFields = {}): APICallError {
  const {
    status = 500,
    message,
    retryAfterMs,
    ...rest
  } = requireOptions('apiError()', options, API_ERROR_FIELDS)
  return new APICallError({
    message: message ?? `The provider answered with status ${status}.`,
    url: 'https://scripted.invalid/',
    requestBodyValues: {},
    statusCode: status,
    ...(retryAfterMs !== undefined && { responseHeaders: retryHeaders(retryAfterMs) }),
    ...rest,
  })
}

function retryHeaders(milliseconds: number): Record<string, string> {
  return { 'retry-after-ms': String(milliseconds), 'retry-after': String(Math.ceil(milliseconds / 1_000)) }
}
