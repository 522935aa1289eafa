import { MillraceError, type OptionNames, type ThreadKey } from '@millrace/core'
import { checkId } from '@millrace/core/storage'

/** The ids that a call passes. */
export interface ThreadIds {
  threadId?: string | undefined
  resourceId?: string | undefined
}

export const THREAD_IDS: OptionNames<ThreadIds> = { threadId: 'optional', resourceId: 'optional' }

/**
 * Returns the thread that a call belongs to, or `undefined` if it has none: then nothing is read or saved.
 *
 * @throws MillraceError `CONFIG_INVALID` if a thread is required
 */
export type FindThread = (ids: ThreadIds) => ThreadKey | undefined | Promise<ThreadKey | undefined>

/** Which thread a processor works on. */
export interface ThreadPlaceOptions {
  /** Default: the thread of the run. */
  threadId?: string | undefined
  /** Default: the resource of the run. */
  resourceId?: string | undefined
  /**
   * Chooses the thread from the ids of the run and of these options. Default: the run's thread, if it has
   * one.
   */
  findThread?: FindThread | undefined
}

export const THREAD_PLACE_OPTIONS: OptionNames<ThreadPlaceOptions> = {
  threadId: 'optional',
  resourceId: 'optional',
  findThread: 'optional',
}

/**
 * The thread of a run, from the processor's options and the run's request context.
 *
 * @throws MillraceError `CONFIG_INVALID` if an id is invalid, such as an empty one
 */
export function threadKeyOf(
  options: ThreadPlaceOptions,
  run: ThreadIds,
): ThreadKey | undefined | Promise<ThreadKey | undefined> {
  const { findThread = threadIfNamed } = options
  const threadId = options.threadId ?? run.threadId
  const resourceId = options.resourceId ?? run.resourceId
  requireValidId('threadId', threadId)
  requireValidId('resourceId', resourceId)
  return findThread({ threadId, resourceId })
}

/**
 * Checked before the store is called, because a run continues after errors of the store but not after an
 * error of the caller.
 */
function requireValidId(name: string, id: string | undefined): void {
  if (id === undefined) return
  try {
    checkId(name, id)
  } catch (cause) {
    throw new MillraceError(
      'CONFIG_INVALID',
      cause instanceof Error ? cause.message : `${name} is not a valid id.`,
      {
        cause,
      },
    )
  }
}

function threadIfNamed({ threadId, resourceId }: ThreadIds): ThreadKey | undefined {
  return threadId === undefined ? undefined : { threadId, ...(resourceId !== undefined && { resourceId }) }
}
