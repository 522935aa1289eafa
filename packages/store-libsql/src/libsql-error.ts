import { busy, failed, unavailable } from '@millrace/core/storage'
import { storageError } from '@millrace/sqlite-dialect'

/** Socket error codes from before a connection existed: nothing was sent. */
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/**
 * Errors for statements that an embedded replica does not forward to its server, or that the server rejects.
 */
const REPLICA_ERROR = /^(?:Sqlite3UnsupportedStatement|WriteDelegation)\b/

/** Whether the database definitely did nothing, so that the call can be retried. */
export function isUndone(error: unknown): boolean {
  const { codes, status } = read(error)
  return status === 429 || codes.some((code) => NEVER_CONNECTED.has(code))
}

/** Whether another connection holds a lock on the file. */
export function isBusy(error: unknown): boolean {
  return read(error).codes.some((code) => code.startsWith('SQLITE_BUSY'))
}

/** Whether the client was closed before the call started. */
export function isClosed(error: unknown): boolean {
  return read(error).codes.includes('CLIENT_CLOSED')
}

/** Whether the connection or the server failed with an unknown outcome: the call may have taken effect. */
export function isUnknown(error: unknown): boolean {
  const { status, refusal, isUnrelated } = read(error)
  if (refusal !== undefined || isUnrelated || isClosed(error)) return false
  return status === undefined || status >= 500
}

/** Maps an error of `@libsql/client` to the error that a store throws. */
export function toStorageError(store: string, error: unknown): unknown {
  const { status, refusal, isUnrelated } = read(error)
  if (error instanceof Error && REPLICA_ERROR.test(error.message)) {
    const why =
      'its client is an embedded replica (syncUrl), which does not support the statements of a store'
    return failed(store, `${why}: use the url of the server`, error)
  }
  if (isUnrelated) return error
  if (isClosed(error)) return unavailable(store, 'its client has been closed', error)
  if (refusal?.startsWith('TRANSACTION_')) {
    return busy(store, `the server aborted the transaction (${refusal})`, error)
  }
  if (refusal !== undefined) return storageError(store, { code: refusal, error })
  if (isUndone(error)) return unavailable(store, 'the server cannot be reached; nothing was done', error)
  if (status === 401 || status === 403) {
    return failed(store, `the server rejects the authToken (${status}): use a valid one`, error)
  }
  if (status !== undefined && status < 500) {
    return failed(store, `the server rejects the request (${status})`, error)
  }
  const why = 'the connection to the server failed; the call may have been executed or not'
  return unavailable(store, why, error)
}

interface Reading {
  codes: readonly string[]
  /** The HTTP status. */
  status: number | undefined
  /** The error code of the database. Nothing was done in this case. */
  refusal: string | undefined
  /** An error of neither the client nor the network, such as a programming error. */
  isUnrelated: boolean
}

/** Reads an error and its causes. */
function read(error: unknown): Reading {
  const causes: Error[] = []
  for (let cause = error; cause instanceof Error && causes.length < 8; cause = cause.cause) {
    causes.push(cause)
    if (cause instanceof AggregateError) causes.push(...cause.errors.slice(0, 8))
  }
  const codes = causes.map((cause) => {
    const code = 'code' in cause ? cause.code : undefined
    return typeof code === 'string' ? code : ''
  })
  const status = causes
    .map((cause) => (cause as { status?: unknown }).status)
    .find((one) => one !== undefined)
  const answer = causes.findIndex(({ name }) => name === 'ResponseError')
  return {
    codes,
    status: typeof status === 'number' ? status : undefined,
    refusal: codes[answer] ?? codes.find((code) => code.startsWith('SQLITE_')),
    isUnrelated: codes.every((code) => code === '') && status === undefined && !causes.some(isNetworkError),
  }
}

/** `fetch` rejects with errors that have no code. */
function isNetworkError({ name, message }: Error): boolean {
  return (
    name === 'AbortError' || name === 'TimeoutError' || message === 'fetch failed' || message === 'terminated'
  )
}
