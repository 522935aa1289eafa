import type { StudioErrorCode } from './wire.ts'

const STATUS: Readonly<Record<StudioErrorCode, number>> = {
  REQUEST_INVALID: 400,
  TOKEN_INVALID: 401,
  ORIGIN_REFUSED: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  NO_PROCESS: 409,
  BODY_TOO_LARGE: 413,
  REFUSED: 422,
  FAILED: 500,
}

/** A request that was refused, with the reason. */
export class StudioError extends Error {
  readonly code: StudioErrorCode

  constructor(code: StudioErrorCode, message: string) {
    super(message)
    this.name = 'StudioError'
    this.code = code
  }

  get status(): number {
    return STATUS[this.code]
  }

  toResponse(): Response {
    const { code, message, status } = this
    return Response.json({ error: { code, message } }, { status })
  }
}

export function runNotFound(runId: string): StudioError {
  return new StudioError(
    'NOT_FOUND',
    `There is no run '${runId.slice(0, 80)}'. It was not recorded, or has been deleted.`,
  )
}
