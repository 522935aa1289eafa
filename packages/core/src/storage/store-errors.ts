import { MillraceError } from '../errors.ts'

// Error messages that all adapters share.

/** An argument that a store does not accept. */
export function invalidInput(message: string, cause?: unknown): MillraceError {
  return new MillraceError('STORAGE_INPUT_INVALID', message, cause === undefined ? undefined : { cause })
}

export function unsupported(store: string, method: string, remedy: string): MillraceError {
  return new MillraceError('STORAGE_UNSUPPORTED', `${store} has no ${method}. ${remedy}`)
}

export function conflict(what: string, versions: { expected: number; found: number }): MillraceError {
  return new MillraceError(
    'STORAGE_CONFLICT',
    `The ${what} has version ${versions.found} instead of ${versions.expected}: it was changed in the meantime. Read it again, and repeat the change.`,
  )
}

/** Run ids must be unique: with a second run of the same id, the first could be resumed twice. */
export function runExists(): MillraceError {
  return new MillraceError(
    'STORAGE_CONFLICT',
    'A run with this id has been stored before. Use a unique id for every run.',
  )
}

export function closed(store: string): MillraceError {
  return new MillraceError('STORAGE_CLOSED', `This ${store} has been closed. Open another one.`)
}

export function schemaOutdated(store: string, versions: { found: number; needed: number }): MillraceError {
  return new MillraceError(
    'STORAGE_SCHEMA_OUTDATED',
    `The schema has version ${versions.found} and this ${store} needs ${versions.needed}. Call store.migrate() once, or open it with migrate: 'auto'.`,
  )
}

export function schemaNewer(store: string, versions: { found: number; known: number }): MillraceError {
  return new MillraceError(
    'STORAGE_SCHEMA_NEWER',
    `The schema has version ${versions.found} and this ${store} supports versions up to ${versions.known}. Install a newer version of the adapter.`,
  )
}

/** Another process has locked the data for longer than the timeout. Nothing was done. */
export function busy(store: string, why: string, cause?: unknown): MillraceError {
  return new MillraceError('STORAGE_BUSY', `${store}: ${why}. Nothing was done; try again.`, { cause })
}

/** There is no space left. Nothing was done. */
export function full(store: string, why: string, cause?: unknown): MillraceError {
  return new MillraceError('STORAGE_FULL', `${store}: ${why}. Nothing was done; make room, and try again.`, {
    cause,
  })
}

/** The database cannot be reached. `why` says whether the call may have been executed. */
export function unavailable(store: string, why: string, cause?: unknown): MillraceError {
  return new MillraceError('STORAGE_UNAVAILABLE', `${store}: ${why}.`, { cause })
}

/** Any other error of the database. */
export function failed(store: string, why: string, cause?: unknown): MillraceError {
  return new MillraceError('STORAGE_FAILED', `${store}: ${why}.`, { cause })
}

export function messageTooLarge(id: string, { bytes, most }: { bytes: number; most: number }): MillraceError {
  return new MillraceError(
    'STORAGE_MESSAGE_TOO_LARGE',
    `The text of the message '${id}' takes ${bytes} bytes and the store allows ${most}. Raise maxMessageBytes, or save long texts as files.`,
  )
}

export function blobTooLarge(
  messageId: string,
  { bytes, most }: { bytes: number; most: number },
): MillraceError {
  return new MillraceError(
    'STORAGE_MESSAGE_TOO_LARGE',
    `The message '${messageId}' has a file of ${bytes} bytes, but the maximum is ${most}. Store it elsewhere and pass its URL, or raise maxBlobBytes of the store.`,
  )
}

export function runTooLarge(bytes: number, maxRunBytes: number): MillraceError {
  return new MillraceError(
    'RUN_TOO_LARGE',
    `The run takes ${bytes} bytes as JSON and the store allows ${maxRunBytes}. Raise maxRunBytes, or keep attachments and large outputs outside of messages.`,
  )
}

export function tooManyRuns(count: number, maxRuns: number): MillraceError {
  return new MillraceError(
    'RUN_LIMIT_REACHED',
    `${count} runs of this resource are suspended, running or interrupted, and the store allows ${maxRuns}. Resume or release some, or raise maxRuns.`,
  )
}

/** A newer attempt has claimed the run, or it has ended: changes of this attempt are rejected. */
export function leaseLost({ runId, attempt }: { runId: string; attempt: number }): MillraceError {
  return new MillraceError(
    'RUN_LEASE_LOST',
    `Attempt ${attempt} has lost the run '${runId}': another attempt has claimed it, or the run has ended or was deleted. Nothing was stored. Raise runLease if runs are claimed while they are still running.`,
  )
}

export function streamTooLarge(bytes: number, maxStreamBytes: number): MillraceError {
  return new MillraceError(
    'STORAGE_STREAM_TOO_LARGE',
    `The stream would take ${bytes} bytes and the store allows ${maxStreamBytes}. Raise maxStreamBytes, or end the stream.`,
  )
}

/** The stream has another length than the caller expects, so chunks cannot be appended. */
export function streamMoved(offset: number, found: { length: number; ended: boolean }): MillraceError {
  const state = found.ended ? `has ended with ${found.length} chunks` : `has ${found.length} chunks`
  return new MillraceError(
    'STORAGE_CONFLICT',
    `The stream ${state}, but the offset of the new chunks is ${offset}. Read its length again: another process may be writing it.`,
  )
}
