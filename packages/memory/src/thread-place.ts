import type { ThreadKey } from '@millrace/core'

/** What a call says about the conversation it belongs to. */
export interface ThreadIds {
  threadId?: string | undefined
  resourceId?: string | undefined
}

/**
 * The conversation a call belongs to; `undefined` if it belongs to none, and then nothing is read or saved.
 *
 * @throws MillraceError `CONFIG_INVALID` if it must belong to one
 */
export type FindThread = (ids: ThreadIds) => ThreadKey | undefined | Promise<ThreadKey | undefined>

/** Which conversation a processor works on. */
export interface ThreadPlaceOptions {
  /** Default: that of the run. */
  threadId?: string | undefined
  /** Default: that of the run. */
  resourceId?: string | undefined
  /** Decides from what the run and these options say. Default: a run without a thread belongs to none. */
  findThread?: FindThread | undefined
}

/** The conversation of a run, as the processor's options and the run's request context say. */
export function placeOf(
  options: ThreadPlaceOptions,
  run: ThreadIds,
): ThreadKey | undefined | Promise<ThreadKey | undefined> {
  const { findThread = threadIfNamed } = options
  return findThread({
    threadId: options.threadId ?? run.threadId,
    resourceId: options.resourceId ?? run.resourceId,
  })
}

function threadIfNamed({ threadId, resourceId }: ThreadIds): ThreadKey | undefined {
  return threadId === undefined ? undefined : { threadId, ...(resourceId !== undefined && { resourceId }) }
}
