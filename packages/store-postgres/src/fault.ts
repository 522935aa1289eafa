import { MillraceError } from '@millrace/core'
import { busy, failed, full, invalidInput, schemaOutdated, unavailable } from '@millrace/core/storage'
import { SCHEMA_VERSION } from './migrations.ts'

/** A database error, mapped to the errors of the contract. */
export interface Fault {
  error: MillraceError
  /** The call certainly had no effect: the server rolled back. */
  undone: boolean
  /**
   * The error is transient: the call lost a race with another transaction, or its connection. A retry can
   * succeed.
   */
  transient: boolean
}

/** `undone`: the caller knows that nothing was committed. */
export function faultOf(thrown: unknown, { undone }: { undone: boolean }): Fault {
  if (MillraceError.isInstance(thrown)) return { error: thrown, undone: true, transient: false }
  const state = sqlState(thrown)
  // Class 08 is a connection error, such as that of a pooler that lost its connection: the outcome is
  // unknown.
  if (state === undefined || state.startsWith('08')) return connectionFault(thrown, undone)
  return { error: serverError(state, thrown), undone: true, transient: TRANSIENT_STATES.has(state) }
}

/** Transient SQLSTATEs: serialization failure, deadlock, and a connection closed by the server. */
const TRANSIENT_STATES: ReadonlySet<string> = new Set(['40001', '40P01', '57P01', '57P02'])

/** Maps a SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html. */
function serverError(state: string, cause: unknown): MillraceError {
  switch (state) {
    case '40001':
    case '40P01':
      return busy(STORE, 'The transaction conflicted with others in every attempt', cause)
    case '55P03':
    case '57014':
      return busy(STORE, 'The statement was canceled: it waited for a lock, or ran, for too long', cause)
    case '53300':
      return busy(STORE, 'The server has no free connection', cause)
    case '53100':
      return full(STORE, 'The disk of the server is full', cause)
    case '25006':
      return failed(STORE, 'The database is read-only. Connect to its primary server', cause)
    case '42501':
      return failed(STORE, 'The database user lacks a privilege on the schema or its tables. Grant it', cause)
    case '3F000':
    case '42P01':
    case '42703':
      return schemaOutdated(STORE, { found: 0, needed: SCHEMA_VERSION })
    case '22021':
    case '22P05':
      return invalidInput('The database cannot store the text. Its encoding must be UTF8.', cause)
    case '3D000':
    case '28000':
    case '28P01':
      return unavailable(STORE, 'The server rejected the login. Check user, password and database', cause)
    case '57P01':
    case '57P02':
    case '57P03':
      return unavailable(STORE, 'The server is shutting down or starting up. Nothing was done', cause)
    default:
      return failed(STORE, `The database failed with SQLSTATE ${state}. Nothing was done`, cause)
  }
}

/**
 * Maps errors that do not come from the server, by the messages of node-postgres, PGlite, poolers and Node.
 */
function connectionFault(cause: unknown, undone: boolean): Fault {
  const {
    message = '',
    code,
    syscall,
  } = (cause ?? {}) as { message?: string; code?: string; syscall?: string }
  if (/timeout exceeded when trying to connect|query_wait_timeout|no more connections/.test(message)) {
    const error = busy(STORE, 'The pool had no free connection in time', cause)
    return { error, undone: true, transient: false }
  }
  if (
    // For a host with several addresses, Node reports only the code.
    code === 'ECONNREFUSED' ||
    syscall === 'connect' ||
    syscall === 'getaddrinfo' ||
    /connection timeout|calling end|clos(ed|ing)/.test(message)
  ) {
    const error = unavailable(STORE, 'The database cannot be reached. Nothing was done', cause)
    return { error, undone: true, transient: false }
  }
  if (code === undefined && !/connection|socket|terminated/i.test(message)) {
    return { error: failed(STORE, 'The database driver failed', cause), undone, transient: false }
  }
  const outcome = undone ? 'Nothing was done' : 'The call may have been executed'
  return { error: unavailable(STORE, `The connection broke off. ${outcome}`, cause), undone, transient: true }
}

function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : undefined
}

const STORE = 'PostgresStore'
