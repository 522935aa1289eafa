import { busy, failed, unavailable } from '@millrace/core/storage'
import { storageError } from '@millrace/sqlite-dialect'

/** Codes of sockets that were never connected: nothing was sent. */
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/** What the driver says of statements that it does not send to the server of a replica, or that the server refuses. */
const OF_REPLICAS = /^(?:Sqlite3UnsupportedStatement|WriteDelegation)\b/

/** Whether the database certainly did nothing, and may do it when asked again. */
export function isUndone(error: unknown): boolean {
  const { codes, status } = read(error)
  return status === 429 || codes.some((code) => NEVER_CONNECTED.has(code))
}

/** Whether somebody else has a file locked. */
export function isBusy(error: unknown): boolean {
  return read(error).codes.some((code) => code.startsWith('SQLITE_BUSY'))
}

/** Whether the client was closed before it did anything. */
export function isClosed(error: unknown): boolean {
  return read(error).codes.includes('CLIENT_CLOSED')
}

/** Whether the connection or the server failed, and the database has not said that it did nothing. */
export function isUnknown(error: unknown): boolean {
  const { status, refusal, isForeign } = read(error)
  if (refusal !== undefined || isForeign || isClosed(error)) return false
  return status === undefined || status >= 500
}

/** What a store throws for an error of `@libsql/client`. */
export function toStorageError(store: string, error: unknown): unknown {
  const { status, refusal, isForeign } = read(error)
  if (error instanceof Error && OF_REPLICAS.test(error.message)) {
    const why = 'its client is an embedded replica (syncUrl), whose driver cannot do what a store asks for'
    return failed(store, `${why}: give the url of the server`, error)
  }
  if (isForeign) return error
  if (isClosed(error)) return unavailable(store, 'its client has been closed', error)
  if (refusal?.startsWith('TRANSACTION_')) {
    return busy(store, `the server gave up the transaction (${refusal})`, error)
  }
  if (refusal !== undefined) return storageError(store, { code: refusal, error })
  if (isUndone(error)) return unavailable(store, 'the server cannot be reached; nothing was done', error)
  if (status === 401 || status === 403) {
    return failed(store, `the server refuses the authToken (${status}): give one that is valid`, error)
  }
  if (status !== undefined && status < 500) {
    return failed(store, `the server refuses the request (${status})`, error)
  }
  const why = 'the connection to the server failed; the call may have been carried out or not'
  return unavailable(store, why, error)
}

interface Reading {
  codes: readonly string[]
  /** Of HTTP. */
  status: number | undefined
  /** The code with which the database said that it did nothing. */
  refusal: string | undefined
  /** Neither the client's nor the network's: a mistake in a program. */
  isForeign: boolean
}

/** An error and those it was made of. */
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
    isForeign: codes.every((code) => code === '') && status === undefined && !causes.some(isOfNetwork),
  }
}

/** `fetch` fails with errors that have no code of their own. */
function isOfNetwork({ name, message }: Error): boolean {
  return (
    name === 'AbortError' || name === 'TimeoutError' || message === 'fetch failed' || message === 'terminated'
  )
}
