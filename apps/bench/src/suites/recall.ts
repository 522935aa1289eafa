import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, type Message, type Store } from '@millrace/core'
import { Memory } from '@millrace/memory'
import { SQLiteStore } from '@millrace/store-sqlite'
import type { Suite } from '../figure.ts'
import { measure } from '../measure.ts'
import { StreamModel, textAnswer } from '../stream-model.ts'

const place = { threadId: 'talk', resourceId: 'ada' }

/** The cost of a turn with memory, compared with the same turn without memory. */
export const recallSuite: Suite = {
  name: 'recall',
  about: 'a turn with history and recall on SQLite, compared with one without memory',
  async run({ quick }) {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'))
    const storage = new SQLiteStore({ path: join(folder, 'memory.db') })
    try {
      const count = quick ? 10_000 : 100_000
      await fill(storage, count)
      const model = new StreamModel(textAnswer(20))
      const recorder = new StoreRecorder(storage)
      const memory = new Memory({ storage: recorder.storage, lastMessages: 20, semanticRecall: true })
      const bare = new Agent({ model })
      const remembering = new Agent({ model, memory })
      const measurements = await measure({
        name: `a turn with ${count.toLocaleString('en')} messages stored`,
        contestants: [
          { name: 'without memory', run: () => bare.generate(QUESTION, place) },
          {
            name: 'with memory',
            run: () => {
              recorder.forget()
              return remembering.generate(QUESTION, place)
            },
          },
          { name: 'what it asks of the store', run: () => recorder.repeat() },
        ],
        rounds: 51,
        // A server plays many turns: its code is compiled.
        warmups: 50,
      })
      const [without, withMemory, store] = measurements.map(({ median }) => median)
      const value = (withMemory ?? Number.NaN) - (without ?? Number.NaN) - (store ?? Number.NaN)
      const figure = {
        name: "memory's own time in a turn, without the store's",
        value,
        unit: 'ms',
        budget: 1,
      }
      return { measurements, figures: [figure] }
    } finally {
      await storage.close()
      rmSync(folder, { recursive: true })
    }
  },
}

const QUESTION = 'Where are the bees of the orchard?'

/** Records the store calls of a turn, to repeat them without the turn. */
class StoreRecorder {
  /** The store, with its calls recorded. */
  readonly storage: Store
  readonly #target: Store
  #calls: { method: keyof Store; options: object }[] = []
  #saved = 10_000_000

  constructor(target: Store) {
    this.#target = target
    this.storage = new Proxy(target, {
      get: (_, name: keyof Store) => {
        const value: unknown = target[name]
        if (typeof value !== 'function') return value
        return (options: object) => {
          this.#calls.push({ method: name, options })
          return value.call(target, options)
        }
      },
    })
  }

  forget(): void {
    this.#calls = []
  }

  /** Saves messages with other ids and texts: otherwise they would exist already, and be found in the next round. */
  async repeat(): Promise<void> {
    for (const { method, options } of this.#calls) {
      const isSave = 'messages' in options && method === 'saveMessages'
      const messages = isSave && [message(this.#saved++), message(this.#saved++)]
      const call = this.#target[method] as (options: object) => unknown
      await call.call(
        this.#target,
        messages ? { ...options, messages, deleteAfter: messages[0]?.id } : options,
      )
    }
  }
}

const WORDS =
  'river stone lamp garden winter letter bridge copper window market silver harvest engine violin shadow planet ticket carpet anchor mirror'.split(
    ' ',
  )

/** Messages in a hundred threads of the resource, mostly with common words. */
async function fill(storage: SQLiteStore, count: number): Promise<void> {
  const perThread = count / 100
  for (let thread = 0; thread < 100; thread++) {
    const messages = Array.from({ length: perThread }, (_, index) => message(thread * perThread + index))
    const threadId = thread === 0 ? place.threadId : `thread-${thread}`
    await storage.saveMessages({ threadId, resourceId: place.resourceId, messages })
  }
}

function message(number: number): Message {
  const words = Array.from(
    { length: 20 },
    (_, index) => WORDS[(number * 31 + index * index * 7) % WORDS.length],
  )
  const rare = number % 1_000 === 0 ? ' The bees are in the orchard.' : ''
  return {
    id: `message-${number}`,
    role: number % 2 === 0 ? 'user' : 'assistant',
    content: { parts: [{ type: 'text', text: `${words.join(' ')} number${number}.${rare}` }] },
    createdAt: new Date(0),
  }
}
