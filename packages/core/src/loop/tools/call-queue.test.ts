import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CallQueue } from './call-queue.ts'

async function ticks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick++) await Promise.resolve()
}

test('executes every call once, in order, with limited concurrency, and none before earlier outcomes are processed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ takes: fc.nat(9), hearing: fc.nat(9), executes: fc.boolean() }), {
        maxLength: 12,
      }),
      fc.integer({ min: 1, max: 4 }),
      async (calls, limit) => {
        const queue = new CallQueue(limit, 0)
        const finished = new Set<number>()
        const started: number[] = []
        let running = 0
        let heard = 0
        const outcomes = calls.map(async ({ takes, executes }, position) => {
          if (!executes) {
            finished.add(position)
            return queue.finish(position)
          }
          await queue.run(position, async () => {
            started.push(position)
            expect(++running).toBeLessThanOrEqual(limit)
            expect(finished.has(heard)).toBe(false)
            await ticks(takes)
            running--
          })
          finished.add(position)
        })
        for (const [position, { hearing }] of calls.entries()) {
          await outcomes[position]
          await ticks(hearing)
          heard = position + 1
          queue.markProcessed(position)
        }
        expect(started).toEqual(calls.flatMap(({ executes }, position) => (executes ? [position] : [])))
      },
    ),
  )
})
