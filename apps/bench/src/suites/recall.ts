import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, type Message } from '@millrace/core'
import { Memory } from '@millrace/memory'
import { SQLiteStore } from '@millrace/store-sqlite'
import type { Suite } from '../figure.ts'
import { measure } from '../measure.ts'
import { StreamModel, textAnswer } from '../stream-model.ts'

const place = { threadId: 'talk', resourceId: 'ada' }

/** What remembering costs a turn, over the same turn without a memory. */
export const recallSuite: Suite = {
  name: 'recall',
  about: 'a turn with history and recall on SQLite, over one without memory',
  async run({ quick }) {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'))
    const storage = new SQLiteStore({ path: join(folder, 'memory.db') })
    try {
      const count = quick ? 10_000 : 100_000
      await fill(storage, count)
      const model = new StreamModel(textAnswer(20))
      const memory = new Memory({ storage, lastMessages: 20, semanticRecall: true })
      const bare = new Agent({ model })
      const remembering = new Agent({ model, memory })
      const measurements = await measure({
        name: `a turn with ${count.toLocaleString('en')} messages stored`,
        contestants: [
          { name: 'without memory', run: () => bare.generate(QUESTION, place) },
          { name: 'with memory', run: () => remembering.generate(QUESTION, place) },
          { name: 'what it asks of the store', run: () => storeCalls(storage) },
        ],
        rounds: quick ? 15 : 51,
      })
      const [without, withMemory, store] = measurements.map(({ median }) => median)
      const value = (withMemory ?? Number.NaN) - (without ?? Number.NaN) - (store ?? Number.NaN)
      // "About a millisecond": half as much again is still that.
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
let turn = 0

/** The calls of a turn with history and recall. */
async function storeCalls(storage: SQLiteStore): Promise<void> {
  const messages = [message(10_000_000 + turn++), message(10_000_000 + turn++)]
  await storage.listMessages({ ...place, order: 'desc', limit: 20, before: messages[0]?.id })
  const hits = await storage.searchMessages({ resourceId: place.resourceId, query: QUESTION, limit: 50 })
  await storage.getMessages({
    resourceId: place.resourceId,
    messages: hits
      .slice(0, 4)
      .map(({ message }) => ({ threadId: message.threadId ?? '', messageId: message.id })),
    previous: 1,
    next: 1,
  })
  await storage.saveMessages({ ...place, messages, deleteAfter: messages[0]?.id })
}

const WORDS =
  'river stone lamp garden winter letter bridge copper window market silver harvest engine violin shadow planet ticket carpet anchor mirror'.split(
    ' ',
  )

/** Messages of a hundred threads of the resource, each of words that are common to many. */
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
