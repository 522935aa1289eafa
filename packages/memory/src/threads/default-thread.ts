import { MillraceError, type ThreadKey } from '@millrace/core'
import type { ThreadIds } from '../thread-place.ts'

/**
 * The conversation of calls that name none: one in all, or, where they name a resource, one for each. It is for trying
 * things out, so it ends as soon as calls begin to say what they mean: from then on a call that forgets an id would mix
 * conversations up. A store that outlives the process has none, since nobody would find it again.
 */
export class DefaultThread {
  #id: string | undefined
  readonly #isPersistent: boolean
  #resourcesAreNamed = false
  #threadsAreNamed = false

  constructor({ isPersistent }: { isPersistent: boolean }) {
    this.#isPersistent = isPersistent
  }

  /** @throws MillraceError `CONFIG_INVALID` if the ids name no thread, and there is no thread without a name (any more) */
  find({ threadId, resourceId }: ThreadIds): ThreadKey {
    const owner = resourceId === undefined ? {} : { resourceId }
    if (threadId !== undefined) {
      this.#threadsAreNamed = true
      if (resourceId !== undefined) this.#resourcesAreNamed = true
      return { threadId, ...owner }
    }
    if (this.#isPersistent) throw missing('threadId', 'its store outlives this process')
    if (this.#threadsAreNamed) throw missing('threadId', 'an earlier call has named one')
    if (resourceId !== undefined) this.#resourcesAreNamed = true
    else if (this.#resourcesAreNamed) throw missing('resourceId', 'an earlier call has named one')
    // Not before it is needed: workers make no random values while they load.
    this.#id ??= crypto.randomUUID()
    return { threadId: this.#id, ...owner }
  }
}

function missing(id: 'threadId' | 'resourceId', why: string): MillraceError {
  return new MillraceError(
    'CONFIG_INVALID',
    `The memory was given no ${id}, and there is none by default because ${why}. Pass { threadId }, and { resourceId } for whose conversation it is, to the agent or to the memory's method.`,
  )
}
