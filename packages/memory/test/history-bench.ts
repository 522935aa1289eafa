import { Agent, type Message, ProcessorPipeline, RequestContext, type Store } from '@millrace/core'
import type { ScriptedModel } from '@millrace/testing'
import { MessageHistoryProcessor, type MessageHistoryProcessorOptions } from '../src/index.ts'
import { type WatchedStore, watchStore } from './watched-store.ts'

export const place = { threadId: 'thread-1', resourceId: 'user-1' }

/** A store with one thread, and what works on it. */
export class HistoryBench {
  readonly #watched: WatchedStore = watchStore()

  get storage(): Store {
    return this.#watched.storage
  }

  get calls(): WatchedStore['calls'] {
    return this.#watched.calls
  }

  set fail(fail: WatchedStore['fail']) {
    this.#watched.fail = fail
  }

  /** Puts messages into the thread, off the record. */
  async seed(messages: Message[]): Promise<void> {
    await this.storage.saveMessages({ ...place, messages })
    this.calls.length = 0
  }

  async stored(): Promise<Message[]> {
    const { items } = await this.storage.listMessages(place)
    return items.map(({ message }) => message)
  }

  pipeline(
    options: Partial<MessageHistoryProcessorOptions> = {},
    ids: { threadId?: string; resourceId?: string } = place,
  ): ProcessorPipeline {
    const processor = new MessageHistoryProcessor({ storage: this.storage, ...options })
    return new ProcessorPipeline([processor], { requestContext: new RequestContext({}, ids) })
  }

  agentWith(
    model: ScriptedModel,
    options: Partial<MessageHistoryProcessorOptions> = {},
    agent: Partial<ConstructorParameters<typeof Agent>[0]> = {},
  ): Agent {
    const processor = new MessageHistoryProcessor({ storage: this.storage, ...options })
    return new Agent({ model, processors: [processor], ...agent })
  }
}
