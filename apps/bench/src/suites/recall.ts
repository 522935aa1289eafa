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
          { name: 'without memory', run: () => bare.generate('Where are the bees of the orchard?', place) },
          {
            name: 'with memory',
            run: () => remembering.generate('Where are the bees of the orchard?', place),
          },
        ],
        rounds: quick ? 15 : 51,
      })
      const [without, withMemory] = measurements
      const value = (withMemory?.median ?? Number.NaN) - (without?.median ?? Number.NaN)
      // "About a millisecond": half as much again is still that.
      return {
        measurements,
        figures: [{ name: 'what memory adds to a turn', value, unit: 'ms', budget: 1.5 }],
      }
    } finally {
      await storage.close()
      rmSync(folder, { recursive: true })
    }
  },
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
