import { checkCount, checkId, fromCursor, ownerKey, toJsonObject } from './arguments.ts'
import type { SaveResourceOptions } from './resource-store.ts'
import { invalidInput } from './store-errors.ts'
import type { ListThreadsOptions, SaveThreadOptions, ThreadChanges, ThreadKey } from './thread-store.ts'

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

export function parseThreadKey({ resourceId, threadId }: ThreadKey): ThreadColumns {
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
  options: SaveThreadOptions,
): ThreadColumns & ThreadChangeColumns & { state: string | undefined; ifVersion: number | undefined } {
  const { state, ifVersion } = options
  return {
    ...parseThreadKey(options),
    ...parseThreadChanges(options),
    ...parseStateChange({ state, ifVersion }),
  }
}

export function parseListThreads({ resourceId, orderBy = 'updatedAt', limit, cursor }: ListThreadsOptions): {
  owner: string
  orderBy: 'updatedAt' | 'createdAt'
  limit: number
  after: number | undefined
} {
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

export function parseResourceKey({ resourceId }: { resourceId: string }): { resourceId: string } {
  return { resourceId: checkId('resourceId', resourceId) }
}

export function parseSaveResource({ resourceId, metadata, state, ifVersion }: SaveResourceOptions): {
  resourceId: string
  metadata: string | undefined
  state: string | undefined
  ifVersion: number | undefined
} {
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
