import { type Client, type Config, createClient } from '@libsql/client'
import { MillraceError } from '@millrace/core'
import { unavailable } from '@millrace/core/storage'
import { createFile } from '@millrace/sqlite-dialect'

export type Synchronous = 'normal' | 'full'

/** What the log keeps of its size after it has come round, in bytes: a long read makes it grow without bounds. */
const LARGEST_LOG = 16 * 1024 * 1024

export interface OpenOptions {
  url?: string | undefined
  authToken?: string | undefined
  client?: Client | undefined
  synchronous?: Synchronous | undefined
  busyTimeout?: number | undefined
  requestTimeout?: number | undefined
}

/** @throws MillraceError `CONFIG_INVALID`, or `STORAGE_UNAVAILABLE` if the file cannot be opened */
export function openClient(options: OpenOptions): Client {
  const { url, client, authToken, busyTimeout = BUSY_TIMEOUT, requestTimeout = 30_000 } = options
  if ((url === undefined) === (client === undefined)) {
    throw new MillraceError('CONFIG_INVALID', 'LibSQLStore takes a url or a client: give one of the two.')
  }
  if (client) return client
  const config: Config = {
    url: url ?? '',
    timeout: busyTimeout,
    fetch: (request: Request) => fetch(request, { signal: AbortSignal.timeout(requestTimeout) }),
    ...(authToken !== undefined && { authToken }),
    // One connection to a file, which has the settings. A server has as many as requests at once.
    ...(isLocal(url ?? '') && { concurrency: 1 }),
  }
  const path = pathIn(url ?? '')
  if (path !== undefined) createFile(path)
  try {
    return createClient(config)
  } catch (error) {
    const code = String((error as { code?: unknown }).code ?? '')
    if (code === '' || code.startsWith('SQLITE_')) {
      throw unavailable('LibSQLStore', 'the file cannot be opened. Make sure its folder exists', error)
    }
    throw new MillraceError(
      'CONFIG_INVALID',
      `The url of LibSQLStore cannot be used (${code}). Give one such as file:agents.db, :memory: or libsql://agents.example.com.`,
      { cause: error },
    )
  }
}

/** What is done with a connection to a file, first and after deletions. */
export function settingsOf(
  client: Client,
  options: OpenOptions,
): { mayReopen: boolean; settings: readonly string[]; purge: string } {
  const { synchronous = 'normal', busyTimeout = BUSY_TIMEOUT } = options
  if (synchronous !== 'normal' && synchronous !== 'full') {
    throw new MillraceError('CONFIG_INVALID', "synchronous must be 'normal' or 'full'.")
  }
  const purge = 'PRAGMA wal_checkpoint(TRUNCATE)'
  if (options.client || client.protocol !== 'file') {
    return { mayReopen: false, settings: [], purge }
  }
  return {
    mayReopen: !isMemory(options.url ?? ''),
    settings: [
      // Of a new file alone: before anything is written to it.
      'PRAGMA auto_vacuum = INCREMENTAL',
      'PRAGMA journal_mode = WAL',
      `PRAGMA synchronous = ${synchronous}`,
      `PRAGMA journal_size_limit = ${LARGEST_LOG}`,
    ],
    // Readers are not waited for long.
    purge: `PRAGMA busy_timeout = ${Math.min(busyTimeout, 100)}; ${purge}; PRAGMA busy_timeout = ${busyTimeout}`,
  }
}

/** Milliseconds. */
const BUSY_TIMEOUT = 5_000

export function isMemory(url: string): boolean {
  return url.includes(':memory:')
}

function isLocal(url: string): boolean {
  return url.startsWith('file:') || url === ':memory:'
}

/** The file that a url names, if it is one the client would open: on this machine, by a path (RFC 8089). */
function pathIn(url: string): string | undefined {
  const path = /^file:(?:\/\/(?:localhost)?(?=\/))?([^?#]+)$/i.exec(url)?.[1]
  if (path === undefined || path.startsWith('//') || isMemory(url)) return undefined
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}
