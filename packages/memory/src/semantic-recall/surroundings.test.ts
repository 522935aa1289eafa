import { userMessage } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Surroundings } from './surroundings.ts'

const REACH = 2

test('returns what the store would return, or nothing', async () => {
  const storage = new InMemoryStore()
  const places: { threadId: string; messageId: string }[] = []
  for (const threadId of ['one', 'two', 'three']) {
    const messages = Array.from({ length: 12 }, (_, index) => ({
      ...userMessage(`Message ${index} of ${threadId}.`),
      id: `${index}`,
    }))
    await storage.saveMessages({ threadId, messages })
    places.push(...messages.map(({ id }) => ({ threadId, messageId: id })))
  }
  const deleted = ['3', '4', '8']
  await storage.deleteMessages({ threadId: 'two', messageIds: deleted })
  const left = places.filter(({ threadId, messageId }) => threadId !== 'two' || !deleted.includes(messageId))

  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.constantFrom(...left), { minLength: 1, maxLength: 20 }),
      fc.uniqueArray(fc.nat(19), { minLength: 1, maxLength: 6 }),
      fc.record({ before: fc.nat(REACH + 1), after: fc.nat(REACH + 1) }),
      fc.option(fc.constantFrom(...left)),
      async (centres, chosen, range, other) => {
        const messages = await storage.getMessages({ messages: centres, previous: REACH, next: REACH })
        const single = async (place: { threadId: string; messageId: string }) => {
          const [stored] = await storage.getMessages({ messages: [place] })
          if (!stored) throw new Error('It is not there.')
          return stored
        }
        const known = new Surroundings(await Promise.all(centres.map(single)), { messages, reach: REACH })
        const wanted = [...chosen.flatMap((index) => centres[index] ?? []), ...(other ? [other] : [])]
        const found = await Promise.all(wanted.map(single))
        const around = known.around(found, range)
        if (Math.max(range.before, range.after) > REACH || wanted.some((place) => !centres.includes(place))) {
          expect(around).toBeUndefined()
        } else {
          const { before: previous, after: next } = range
          expect(around).toEqual(await storage.getMessages({ messages: wanted, previous, next }))
        }
      },
    ),
  )
})
