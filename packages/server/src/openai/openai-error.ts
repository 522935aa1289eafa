import { isRecord, MillraceError } from '@millrace/core'
import { type BodyFields, misspelledField } from '../routes/unknown-fields.ts'

/** A request that is not valid, with the name of the field. */
export class InvalidRequest extends Error {
  readonly param: string
  readonly status: number
  readonly code: string | null

  constructor(param: string, message: string, { status = 400, code = null as string | null } = {}) {
    super(message)
    this.name = 'InvalidRequest'
    this.param = param
    this.status = status
    this.code = code
  }
}

/** @throws InvalidRequest for an unknown field that is like one that guards, limits or approves */
export function refuseMisspelled(body: object, fields: BodyFields): void {
  const found = misspelledField(body, fields)
  if (found) throw new InvalidRequest(found.field, found.message)
}

/** A processor rejected the request or the answer; the message is its reason. */
export class Rejected extends Error {
  readonly metadata: unknown

  constructor({ reason, metadata }: { reason: string; metadata?: unknown }) {
    super(reason)
    this.name = REJECTION
    this.metadata = metadata
  }
}

/**
 * The error's name in `@millrace/interop`. Errors are recognized by name, so that this package need not be
 * imported.
 */
const REJECTION = 'GuardRejection'

interface OpenAIError {
  error: { message: string; type: string; param: string | null; code: string | null }
}

export interface OpenAIFault {
  status: number
  body: OpenAIError
  headers?: Record<string, string>
}

/** An error in OpenAI's format, with its status. */
export function toOpenAIError(error: unknown): OpenAIFault {
  if (error instanceof InvalidRequest) {
    const { status, message, param, code } = error
    return fault(status, 'invalid_request_error', message, { param, code })
  }
  if (isRejection(error)) {
    const retryAfterMs = retryAfterOf(error)
    if (retryAfterMs === undefined) {
      return fault(400, 'invalid_request_error', error.message, { code: 'content_filter' })
    }
    return {
      ...fault(429, 'rate_limit_error', error.message, { code: 'rate_limit_exceeded' }),
      headers: { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) },
    }
  }
  if (MillraceError.isInstance(error) && error.statusCode < 500) {
    const { statusCode, message, code } = error
    return fault(statusCode, statusCode === 429 ? 'rate_limit_error' : 'invalid_request_error', message, {
      code,
    })
  }
  return fault(500, 'server_error', 'The server failed.', {
    ...(MillraceError.isInstance(error) && { code: error.code }),
  })
}

export function errorResponse({ status, body, headers }: OpenAIFault): Response {
  return Response.json(body, { status, ...(headers && { headers }) })
}

export function fault(
  status: number,
  type: string,
  message: string,
  { param = null, code = null }: { param?: string | null; code?: string | null } = {},
): OpenAIFault {
  return { status, body: { error: { message, type, param, code } } }
}

function isRejection(error: unknown): error is Error {
  return error instanceof Error && error.name === REJECTION
}

/** For a reached rate limit: how long to wait, in milliseconds. */
function retryAfterOf({ metadata }: Error & { metadata?: unknown }): number | undefined {
  return isRecord(metadata) && typeof metadata.retryAfterMs === 'number' ? metadata.retryAfterMs : undefined
}
