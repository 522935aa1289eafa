import { isRecord, MillraceError } from '@millrace/core'
import { type BodyFields, misspelledField } from '../routes/unknown-fields.ts'
import { fault, type OpenAIFault, retryAfterHeader } from './openai-fault.ts'
import { providerFault } from './provider-error.ts'

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
    return fault(429, 'rate_limit_error', error.message, {
      code: 'rate_limit_exceeded',
      headers: retryAfterHeader(retryAfterMs),
    })
  }
  const ofProvider = providerFault(error)
  if (ofProvider) return ofProvider
  if (MillraceError.isInstance(error) && error.statusCode < 500) {
    const { statusCode, message, code } = error
    return fault(statusCode, statusCode === 429 ? 'rate_limit_error' : 'invalid_request_error', message, {
      code,
    })
  }
  if (!MillraceError.isInstance(error)) return fault(500, 'server_error', 'The server failed.')
  const { statusCode, code } = error
  return fault(statusCode, 'server_error', 'The server failed.', { code })
}

export function isRejection(error: unknown): error is Error {
  return error instanceof Error && error.name === REJECTION
}

/** For a reached rate limit: how long to wait, in milliseconds. */
function retryAfterOf({ metadata }: Error & { metadata?: unknown }): number | undefined {
  return isRecord(metadata) && typeof metadata.retryAfterMs === 'number' ? metadata.retryAfterMs : undefined
}
