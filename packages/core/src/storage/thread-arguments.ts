import type { OptionNames } from '../option-names.ts'
import { checkCount, checkId, fromCursor, ownerKey, readKey, readOptions, toJsonObject } from './arguments.ts'
import { PAGE } from './owner.ts'
import type { SaveResourceOptions } from './resource-store.ts'
import { invalidInput } from './store-errors.ts'
import type { ListThreadsOptions, SaveThreadOptions, ThreadChanges, ThreadKey } from './thread-store.ts'

export const THREAD_KEY: OptionNames<ThreadKey> = { resourceId: 'optional', threadId: 'required' }

const SAVE_THREAD_OPTIONS: OptionNames<SaveThreadOptions> = {
  ...THREAD_KEY,
  title: 'optional',
  metadata: 'optional',
  state: 'optional',
  ifVersion: 'optional',
}

const LIST_THREADS_OPTIONS: OptionNames<ListThreadsOptions> = {
  ...PAGE,
  resourceId: 'optional',
  orderBy: 'optional',
}

const SAVE_RESOURCE_OPTIONS: OptionNames<SaveResourceOptions> = {
  resourceId: 'required',
  metadata: 'optional',
  state: 'optional',
  ifVersion: 'optional',
}

/** A thread's key as columns: see `ownerKey`. */
export interface ThreadColumns {
  owner: string
  threadId: string
}

/** Changes to a thread. `undefined`: no change. */
export interface ThreadChangeColumns {
  title: string | null | undefined
  /** JSON. */
  metadata: string | undefined
}

export function parseThreadKey(key: ThreadKey): ThreadColumns {
  return threadColumns(readKey('The key of a thread', key, THREAD_KEY))
}

/** The columns of a key, or of options with one. */
export function threadColumns({ resourceId, threadId }: ThreadKey): ThreadColumns {
  return { owner: ownerKey(resourceId), threadId: checkId('threadId', threadId) }
}

export function parseThreadChanges({ title, metadata }: ThreadChanges): ThreadChangeColumns {
  if (title !== undefined && title !== null && typeof title !== 'string') {
    throw invalidInput(`title is of type ${typeof title}. It must be a string, or null to remove it.`)
  }
  if (title?.includes('\0'))
    throw invalidInput('title contains U+0000, which databases cannot store. Remove it.')
  return {
    title: title?.toWellFormed() ?? title,
    metadata: metadata === undefined ? undefined : toJsonObject('metadata', metadata),
  }
}

export function parseSaveThread(
  given: SaveThreadOptions,
): ThreadColumns & ThreadChangeColumns & { state: string | undefined; ifVersion: number | undefined } {
  const options = readOptions('store.saveThread()', given, SAVE_THREAD_OPTIONS)
  const { state, ifVersion } = options
  return {
    ...threadColumns(options),
    ...parseThreadChanges(options),
    ...parseStateChange({ state, ifVersion }),
  }
}

export function parseListThreads(options: ListThreadsOptions): {
  owner: string
  orderBy: 'updatedAt' | 'createdAt'
  limit: number
  after: number | undefined
} {
  const {
    resourceId,
    orderBy = 'updatedAt',
    limit,
    cursor,
  } = readOptions('store.listThreads()', options, LIST_THREADS_OPTIONS)
  if (orderBy !== 'updatedAt' && orderBy !== 'createdAt') {
    throw invalidInput("orderBy must be 'updatedAt' or 'createdAt'.")
  }
  return {
    owner: ownerKey(resourceId),
    orderBy,
    limit: checkCount('limit', limit, { fallback: 100 }),
    after: fromCursor(cursor),
  }
}

export function parseResourceKey(key: { resourceId: string }): { resourceId: string } {
  const { resourceId } = readKey('The key of a resource', key, { resourceId: 'required' })
  return { resourceId: checkId('resourceId', resourceId) }
}

export function parseSaveResource(options: SaveResourceOptions): {
  resourceId: string
  metadata: string | undefined
  state: string | undefined
  ifVersion: number | undefined
} {
  const { resourceId, metadata, state, ifVersion } = readOptions(
    'store.saveResource()',
    options,
    SAVE_RESOURCE_OPTIONS,
  )
  return {
    resourceId: checkId('resourceId', resourceId),
    metadata: metadata === undefined ? undefined : toJsonObject('metadata', metadata),
    ...parseStateChange({ state, ifVersion }),
  }
}

function parseStateChange({ state, ifVersion }: Pick<SaveThreadOptions, 'state' | 'ifVersion'>): {
  state: string | undefined
  ifVersion: number | undefined
} {
  return {
    state: state === undefined ? undefined : toJsonObject('state', state),
    ifVersion:
      ifVersion === undefined ? undefined : checkCount('ifVersion', ifVersion, { fallback: 0, least: 0 }),
  }
}
