import { type Client, type Config, createClient } from '@libsql/client'
import { MillraceError } from '@millrace/core'
import { unavailable } from '@millrace/core/storage'

export type Synchronous = 'normal' | 'full'

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
  const { url, client, authToken, busyTimeout = 5_000, requestTimeout = 30_000 } = options
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
  try {
    return createClient(config)
  } catch (error) {
    const code = (error as { code?: unknown }).code
    if (typeof code === 'string' && code.startsWith('SQLITE_')) {
      throw unavailable('LibSQLStore', 'the file cannot be opened: does its folder exist?', error)
    }
    throw new MillraceError('CONFIG_INVALID', `The url of LibSQLStore cannot be used (${String(code)}).`, {
      cause: error,
    })
  }
}

/** Settings of the one connection to a file. */
export function settingsOf({ synchronous = 'normal' }: OpenOptions): string[] {
  if (synchronous !== 'normal' && synchronous !== 'full') {
    throw new MillraceError('CONFIG_INVALID', "synchronous must be 'normal' or 'full'.")
  }
  return ['PRAGMA journal_mode = WAL', `PRAGMA synchronous = ${synchronous}`]
}

function isLocal(url: string): boolean {
  return url.startsWith('file:') || url === ':memory:'
}
