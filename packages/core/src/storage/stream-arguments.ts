import type { OptionNames } from '../option-names.ts'
import { checkCount, checkId, checkText, expiry, ownerKey, readKey, readOptions } from './arguments.ts'
import { invalidInput, streamTooLarge } from './store-errors.ts'
import type { AppendToStreamOptions, ReadStreamOptions, StreamKey, StreamLimits } from './stream-store.ts'

const STREAM_KEY: OptionNames<StreamKey> = { runId: 'required', resourceId: 'optional' }

const APPEND_TO_STREAM_OPTIONS: OptionNames<AppendToStreamOptions> = {
  ...STREAM_KEY,
  threadId: 'optional',
  offset: 'required',
  chunks: 'required',
  end: 'optional',
  expiresIn: 'optional',
}

const READ_STREAM_OPTIONS: OptionNames<ReadStreamOptions> = {
  ...STREAM_KEY,
  from: 'optional',
  limit: 'optional',
}

const DAY = 24 * 60 * 60 * 1000

export interface StreamKeyColumns {
  owner: string
  runId: string
}

export function parseStreamKey(key: StreamKey): StreamKeyColumns {
  return streamColumns(readKey('The key of a stream', key, STREAM_KEY))
}

function streamColumns({ runId, resourceId }: StreamKey): StreamKeyColumns {
  return { owner: ownerKey(resourceId), runId: checkId('runId', runId) }
}

export interface AppendToStreamColumns extends StreamKeyColumns {
  threadId: string | undefined
  offset: number
  chunks: readonly string[]
  /** Total size of the chunks in bytes of UTF-8. */
  bytes: number
  maxBytes: number
  end: boolean
  expiresAt: number
}

/** @throws MillraceError `STORAGE_STREAM_TOO_LARGE` */
export function parseAppendToStream(
  given: AppendToStreamOptions,
  { maxStreamBytes = 16 * 1024 * 1024 }: StreamLimits = {},
): AppendToStreamColumns {
  const options = readOptions('store.appendToStream()', given, APPEND_TO_STREAM_OPTIONS)
  const { threadId, offset, chunks, end = false, expiresIn = DAY } = options
  if (!Array.isArray(chunks)) throw invalidInput('chunks is not an array. Pass an array of strings.')
  const encoder = new TextEncoder()
  let bytes = 0
  for (const chunk of chunks) bytes += encoder.encode(checkText('A chunk', chunk)).length
  if (bytes > maxStreamBytes) throw streamTooLarge(bytes, maxStreamBytes)
  return {
    ...streamColumns(options),
    threadId: threadId === undefined ? undefined : checkId('threadId', threadId),
    offset: checkCount('offset', offset, { fallback: 0, least: 0 }),
    chunks: [...chunks],
    bytes,
    maxBytes: maxStreamBytes,
    end: end === true,
    expiresAt: expiry('expiresIn', expiresIn),
  }
}

export function parseReadStream(
  given: ReadStreamOptions,
): StreamKeyColumns & { from: number; limit: number } {
  const options = readOptions('store.readStream()', given, READ_STREAM_OPTIONS)
  return {
    ...streamColumns(options),
    from: checkCount('from', options.from, { fallback: 0, least: 0 }),
    limit: checkCount('limit', options.limit, { fallback: 1_000 }),
  }
}
