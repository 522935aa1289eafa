import type { Message, Store } from '@millrace/core'
// The words of the store's tests.
import { SampleTurns, wordOfRank } from '../../../../packages/store-sqlite/test/cost/sample-turns.ts'

const OWN = 'ada'
const TALK = { resourceId: OWN, threadId: 'talk' }
const MODEL = 'bench/vectors'
const DIMENSIONS = 384
/** Messages of the measured tenant, for every size of the database. */
const OWN_MESSAGES = 2_000
const THREAD = 100

/** A measured call. */
export interface Operation {
  name: string
  /** Prepares the call. Not measured. */
  prepare?: () => Promise<void>
  run: () => Promise<unknown>
  times: number
}

/** One tenant with some messages, and any number of other tenants. */
export class Workload {
  readonly #store: Store
  readonly #turns = new SampleTurns()
  #count = 0
  #others = 0

  constructor(store: Store) {
    this.#store = store
  }

  async begin(): Promise<void> {
    for (let thread = 0; thread < OWN_MESSAGES / THREAD; thread++) {
      const key = { resourceId: OWN, threadId: thread === 0 ? TALK.threadId : `own-${thread}` }
      const messages = this.#take(THREAD)
      await this.#store.saveMessages({ ...key, messages })
      const vectors = messages.map(({ id }) => ({ messageId: id, vector: this.#turns.vector(DIMENSIONS) }))
      await this.#store.saveVectors({ ...key, model: MODEL, vectors })
    }
    this.#count = OWN_MESSAGES
  }

  /** Other tenants save messages until the database has this number. */
  async grow(size: number): Promise<void> {
    while (this.#count < size) {
      const key = { resourceId: `user-${Math.floor(this.#others / 10)}`, threadId: `thread-${this.#others}` }
      await this.#store.saveMessages({ ...key, messages: this.#take(THREAD) })
      this.#others++
      this.#count += THREAD
    }
  }

  operations(): Operation[] {
    const store = this.#store
    const query = [3, 150, 900, 4_000].map(wordOfRank).join(' ')
    const vector = this.#turns.vector(DIMENSIONS)
    let last: Message[] = []
    let thread = 0
    const save = async (count: number): Promise<void> => {
      last = this.#take(count)
      await store.saveMessages({ ...TALK, messages: last })
    }
    const removed = (): { resourceId: string; threadId: string } => ({
      resourceId: OWN,
      threadId: `gone-${thread}`,
    })
    return [
      { name: 'save a turn', times: 200, run: () => save(2) },
      {
        name: 'read the last 20',
        times: 100,
        run: () => store.listMessages({ ...TALK, order: 'desc', limit: 20 }),
      },
      {
        name: 'words of the resource',
        times: 40,
        run: () => store.searchMessages({ resourceId: OWN, query }),
      },
      { name: 'words of a thread', times: 40, run: () => store.searchMessages({ ...TALK, query }) },
      {
        name: 'words for one who has nothing',
        times: 40,
        run: () => store.searchMessages({ resourceId: 'newcomer', query }),
      },
      {
        name: 'vectors of the resource',
        times: 20,
        run: () => store.searchVectors({ resourceId: OWN, model: MODEL, vector }),
      },
      {
        name: 'vectors of a thread',
        times: 20,
        run: () => store.searchVectors({ ...TALK, model: MODEL, vector }),
      },
      {
        name: 'delete a message',
        times: 15,
        prepare: () => save(2),
        run: () => store.deleteMessages({ ...TALK, messageIds: last.slice(0, 1).map(({ id }) => id) }),
      },
      {
        name: 'regenerate an answer',
        times: 15,
        prepare: () => save(2),
        run: () => store.saveMessages({ ...TALK, messages: this.#take(1), deleteAfter: last[0]?.id }),
      },
      {
        name: 'delete a thread of 10',
        times: 10,
        prepare: async () => {
          thread++
          await store.saveMessages({ ...removed(), messages: this.#take(10) })
        },
        run: () => store.deleteThread(removed()),
      },
    ]
  }

  /** Each message has a word that no other message has. */
  #take(count: number): Message[] {
    const messages: Message[] = []
    while (messages.length < count) messages.push(...this.#turns.next())
    return messages.slice(0, count).map((message) => {
      const [part] = message.content.parts
      const text = part?.type === 'text' ? part.text : ''
      return {
        ...message,
        content: { parts: [{ type: 'text', text: `${text} order${message.id.slice(8)}` }] },
      }
    })
  }
}
