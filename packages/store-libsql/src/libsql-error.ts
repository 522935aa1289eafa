import type { MillraceError } from '@millrace/core'
import { failed, unavailable } from '@millrace/core/storage'
import { storageError } from '@millrace/sqlite-dialect'

/** Codes of sockets that were never connected: nothing was sent. */
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/** Whether the database certainly did nothing, and may do it when asked again. */
export function isUndone(error: unknown): boolean {
  return causes(error).some(({ code, status }) => NEVER_CONNECTED.has(code) || status === 429)
}

/** Whether the connection or the server failed, and not what they were told. */
export function isWorthAnotherTry(error: unknown): boolean {
  const found = causes(error)
  const status = found.find((cause) => cause.status !== undefined)?.status
  if (status !== undefined) return status >= 500
  return !found.some(({ code }) => code.startsWith('SQL') || code === 'CLIENT_CLOSED')
}

export function toStorageError(store: string, error: unknown): MillraceError | unknown {
  const found = causes(error)
  const code = found.find((cause) => cause.code.startsWith('SQL'))?.code
  if (code !== undefined) return storageError(store, { code, error })
  const status = found.find((cause) => cause.status !== undefined)?.status
  if (status === 401 || status === 403) {
    return failed(store, `the server refuses the authToken (${status}): give one that is valid`, error)
  }
  if (isUndone(error)) return unavailable(store, 'the server cannot be reached; nothing was done', error)
  if (status !== undefined && status < 500) {
    return failed(store, `the server refuses the request (${status})`, error)
  }
  if (error instanceof TypeError && found.every((cause) => cause.code === '')) return error
  const why = 'the connection to the server failed; the call may have been carried out or not'
  return unavailable(store, why, error)
}

interface Cause {
  code: string
  status: number | undefined
}

/** An error with those it was made of. */
function causes(error: unknown): Cause[] {
  const found: Cause[] = []
  for (let cause = error; cause instanceof Error && found.length < 8; cause = cause.cause) {
    const { code, status } = cause as { code?: unknown; status?: unknown }
    found.push({
      code: typeof code === 'string' ? code : '',
      status: typeof status === 'number' ? status : undefined,
    })
    if (cause instanceof AggregateError) for (const one of cause.errors) found.push(...causes(one))
  }
  return found
}
