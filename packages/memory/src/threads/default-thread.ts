import { MillraceError, type ThreadKey } from '@millrace/core'
import type { ThreadIds } from '../thread-place.ts'

/**
 * The thread of calls that pass no ids: one for all, or one per resource. It is for trying things out. Once a
 * call has passed a `threadId`, later calls must pass one too, because a forgotten id would mix up
 * conversations. A store that outlives the process has no default thread, because it could not be found
 * again.
 */
export class DefaultThread {
  #id: string | undefined
  readonly #isPersistent: boolean
  #resourcesAreNamed = false
  #threadsAreNamed = false

  constructor({ isPersistent }: { isPersistent: boolean }) {
    this.#isPersistent = isPersistent
  }

  /** @throws MillraceError `CONFIG_INVALID` if an id is missing that is required by now */
  find({ threadId, resourceId }: ThreadIds): ThreadKey {
    const owner = resourceId === undefined ? {} : { resourceId }
    if (threadId !== undefined) {
      this.#threadsAreNamed = true
      if (resourceId !== undefined) this.#resourcesAreNamed = true
      return { threadId, ...owner }
    }
    if (this.#isPersistent) throw missingId('threadId', 'its store outlives the process')
    if (this.#threadsAreNamed) throw missingId('threadId', 'an earlier call passed one')
    if (resourceId !== undefined) this.#resourcesAreNamed = true
    else if (this.#resourcesAreNamed) throw missingId('resourceId', 'an earlier call passed one')
    // Created on first use: workers may not generate random values while they load.
    this.#id ??= crypto.randomUUID()
    return { threadId: this.#id, ...owner }
  }
}

function missingId(id: 'threadId' | 'resourceId', why: string): MillraceError {
  return new MillraceError(
    'CONFIG_INVALID',
    `The memory got no ${id}, and has no default because ${why}. Pass { threadId }, and { resourceId } of the conversation's owner, to the agent or to the method of the memory.`,
  )
}
