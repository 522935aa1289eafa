import { type Client, type Config, createClient } from '@libsql/client'
import { MillraceError } from '@millrace/core'
import { unavailable } from '@millrace/core/storage'
import { createFile } from '@millrace/sqlite-dialect'

export type Synchronous = 'normal' | 'full'

/**
 * The size in bytes that the WAL is truncated to after a checkpoint. A long read lets it grow without limit.
 */
const WAL_SIZE_LIMIT = 16 * 1024 * 1024

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
    throw new MillraceError(
      'CONFIG_INVALID',
      'LibSQLStore needs either url or client. Set exactly one of them.',
    )
  }
  if (client) return client
  const config: Config = {
    url: url ?? '',
    timeout: busyTimeout,
    fetch: (request: Request) => fetch(request, { signal: AbortSignal.timeout(requestTimeout) }),
    ...(authToken !== undefined && { authToken }),
    // A file has one connection, because the settings belong to the connection. A server gets one connection
    // per concurrent request.
    ...(isLocal(url ?? '') && { concurrency: 1 }),
  }
  const path = pathIn(url ?? '')
  if (path !== undefined) createFile(path)
  try {
    return createClient(config)
  } catch (error) {
    const code = String((error as { code?: unknown }).code ?? '')
    if (code === '' || code.startsWith('SQLITE_')) {
      throw unavailable('LibSQLStore', 'the file cannot be opened. Check that its folder exists', error)
    }
    throw new MillraceError(
      'CONFIG_INVALID',
      `The url of LibSQLStore is not valid (${code}). Use one such as file:agents.db, :memory: or libsql://agents.example.com.`,
      { cause: error },
    )
  }
}

/** The statements that configure a connection to a file, and those to run after deletions. */
export function settingsOf(
  client: Client,
  options: OpenOptions,
): { mayReopen: boolean; settings: readonly string[]; purge: string } {
  const { synchronous = 'normal', busyTimeout = BUSY_TIMEOUT } = options
  if (synchronous !== 'normal' && synchronous !== 'full') {
    throw new MillraceError(
      'CONFIG_INVALID',
      `synchronous is '${String(synchronous)}'. Use 'normal' or 'full'.`,
    )
  }
  const purge = 'PRAGMA wal_checkpoint(TRUNCATE)'
  if (options.client || client.protocol !== 'file') {
    return { mayReopen: false, settings: [], purge }
  }
  return {
    mayReopen: !isMemory(options.url ?? ''),
    settings: [
      // Only affects a new file, before anything is written to it.
      'PRAGMA auto_vacuum = INCREMENTAL',
      'PRAGMA journal_mode = WAL',
      `PRAGMA synchronous = ${synchronous}`,
      `PRAGMA journal_size_limit = ${WAL_SIZE_LIMIT}`,
    ],
    // Waits for readers only briefly.
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

/** The path in a url that the client opens as a local file (RFC 8089). */
function pathIn(url: string): string | undefined {
  const path = /^file:(?:\/\/(?:localhost)?(?=\/))?([^?#]+)$/i.exec(url)?.[1]
  if (path === undefined || path.startsWith('//') || isMemory(url)) return undefined
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}
