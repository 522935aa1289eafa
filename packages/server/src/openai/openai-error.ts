import { MillraceError } from '@millrace/core'

/** A request that cannot be taken, with the field at fault. */
export class InvalidRequest extends Error {
  readonly param: string

  constructor(param: string, message: string) {
    super(message)
    this.name = 'InvalidRequest'
    this.param = param
  }
}

/** A processor rejected the request or the answer; the message is its reason. */
export class Rejected extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = REJECTION
  }
}

/** The name of what a guarded model throws: told by it, so that no package need be loaded for it. */
const REJECTION = 'GuardRejection'

interface OpenAIError {
  error: { message: string; type: string; param: string | null; code: string | null }
}

/** An error in the shape that OpenAI's clients read, with its status. */
export function toOpenAIError(error: unknown): { status: number; body: OpenAIError } {
  if (error instanceof InvalidRequest)
    return fault(400, 'invalid_request_error', error.message, { param: error.param })
  if (isRejection(error)) {
    return fault(400, 'invalid_request_error', error.message, { code: 'content_filter' })
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

export function fault(
  status: number,
  type: string,
  message: string,
  { param = null, code = null }: { param?: string | null; code?: string | null } = {},
): { status: number; body: OpenAIError } {
  return { status, body: { error: { message, type, param, code } } }
}

function isRejection(error: unknown): error is Error {
  return error instanceof Error && error.name === REJECTION
}
