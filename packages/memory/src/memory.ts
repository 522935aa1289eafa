import type { Processor, ProcessorProvider, Store, ThreadKey } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import type { ThreadIds } from './thread-place.ts'

export interface MemoryOptions {
  /** Where everything is kept. Default: an `InMemoryStore`, which is gone with the process. */
  storage?: Store
}

/**
 * What an agent remembers of its conversations.
 *
 * @example
 * const agent = new Agent({ model, memory: new Memory({ storage }) })
 * await agent.generate('My name is Ada.', { threadId: 'thread-1', resourceId: 'user-1' })
 */
export class Memory implements ProcessorProvider {
  readonly storage: Store

  constructor({ storage = new InMemoryStore() }: MemoryOptions = {}) {
    this.storage = storage
  }

  /** For a list of input processors: the same processors at each call. */
  getInputProcessors(): Processor[] {
    return []
  }

  /** For a list of output processors: the same processors at each call. */
  getOutputProcessors(): Processor[] {
    return []
  }

  /** Which thread is meant: see `FindThread`. */
  findThread({ threadId, resourceId }: ThreadIds): ThreadKey | undefined {
    return threadId === undefined ? undefined : { threadId, resourceId }
  }
}
