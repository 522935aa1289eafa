import { MillraceError, type ThreadKey } from '@millrace/core'
import { checkId } from '@millrace/core/storage'

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

/**
 * The conversation of a run, as the processor's options and the run's request context say.
 *
 * @throws MillraceError `CONFIG_INVALID` if an id is none, such as an empty one
 */
export function placeOf(
  options: ThreadPlaceOptions,
  run: ThreadIds,
): ThreadKey | undefined | Promise<ThreadKey | undefined> {
  const { findThread = threadIfNamed } = options
  const threadId = options.threadId ?? run.threadId
  const resourceId = options.resourceId ?? run.resourceId
  refuseBadId('threadId', threadId)
  refuseBadId('resourceId', resourceId)
  return findThread({ threadId, resourceId })
}

/** A mistake of the caller, and not trouble of the store, which a run would survive. */
function refuseBadId(name: string, id: string | undefined): void {
  if (id === undefined) return
  try {
    checkId(name, id)
  } catch (cause) {
    throw new MillraceError('CONFIG_INVALID', cause instanceof Error ? cause.message : `${name} is no id.`, {
      cause,
    })
  }
}

function threadIfNamed({ threadId, resourceId }: ThreadIds): ThreadKey | undefined {
  return threadId === undefined ? undefined : { threadId, ...(resourceId !== undefined && { resourceId }) }
}
