import type { Message } from '@millrace/core'
import { assert } from '../storage/assert.ts'
import type { ProcessRule } from './process-context.ts'
import { JOB_RESOURCE as resourceId, TURN_SIZE, turnIds } from './store-job.ts'

const THREADS = 5
const TURNS = 60

export const twoWriters: ProcessRule = async ({ store, start }) => {
  const prefixes = ['left', 'right']
  const writers = prefixes.map((prefix) => start({ type: 'save', prefix, threads: THREADS, turns: TURNS }))
  await Promise.all(writers.map((writer) => writer.ready()))
  for (const writer of writers) writer.go()
  const reports = await Promise.all(writers.map((writer) => writer.finish()))
  for (const said of reports) assert.equal(said.filter(({ type }) => type === 'saved').length, TURNS)

  for (let thread = 0; thread < THREADS; thread++) {
    const key = { threadId: `thread-${thread}`, resourceId }
    const { items } = await store.listMessages({ ...key, limit: 10_000 })
    const ids = items.map(({ message }) => message.id)
    const turns = Array.from({ length: TURNS / THREADS }, (_, index) => thread + index * THREADS)
    for (const prefix of prefixes) {
      const own = ids.filter((id) => id.startsWith(prefix))
      assert.deepEqual(
        own,
        turns.flatMap((turn) => turnIds(prefix, turn)),
      )
    }
    assertUnmixed(items.map(({ message }) => message))
    assert.equal(new Set(items.map(({ sequence }) => sequence)).size, ids.length)
    const { messageCount, version } = (await store.getThread(key)) ?? {}
    assert.equal(messageCount, 2 * turns.length * TURN_SIZE)
    assert.equal(version, 2 * turns.length)
  }
  assert.equal((await store.addToCounter({ resourceId, key: 'turns', amount: 0 })).value, 2 * TURNS)
  for (let turn = 0; turn < TURNS; turn++) {
    assert.ok(prefixes.includes((await store.getKey({ resourceId, key: `turn-${turn}` })) ?? ''))
  }
}

/** The messages of a turn are adjacent. */
function assertUnmixed(messages: readonly Message[]): void {
  for (let start = 0; start < messages.length; start += TURN_SIZE) {
    const turns = messages.slice(start, start + TURN_SIZE).map(({ id }) => id.replace(/-\d+$/, ''))
    assert.equal(new Set(turns).size, 1)
  }
}
