import type { Store, Thread, ThreadKey } from '@millrace/core/storage'
import { assert } from '../storage/assert.ts'
import { idsOf } from '../storage/sample-message.ts'
import type { ProcessContext, ProcessRule } from './process-context.ts'
import { JOB_RESOURCE as resourceId, turnIds } from './store-job.ts'
import type { StoreProcess } from './store-process.ts'

/** More turns than a process can save before it is killed. */
const ENDLESS = 1_000_000

export const killedWriter: ProcessRule = async (context) => {
  let next = start(context, 0)
  for (let round = 0; round < context.kills; round++) {
    const writer = next
    await writer.ready()
    // Start the next process in advance, to avoid waiting for it.
    if (round + 1 < context.kills) next = start(context, round + 1)
    writer.go()
    await killAtRandom(writer, { reports: 30 })
    const saved = writer.reports.filter(({ type }) => type === 'saved').length
    await assertWhole(context, { prefix: `round${round}`, saved })
  }
}

function start(context: ProcessContext, round: number): StoreProcess {
  return context.start({ type: 'save', prefix: `round${round}`, threads: 1, turns: ENDLESS })
}

/** Kills a process after so many reports, or a little later. */
export async function killAtRandom(child: StoreProcess, { reports }: { reports: number }): Promise<void> {
  await child.said(1 + Math.floor(Math.random() * reports))
  const until = performance.now() + Math.random() * 3
  while (performance.now() < until) await new Promise((resolve) => setImmediate(resolve))
  child.kill()
  await child.ended
}

/** Every acknowledged turn is stored completely, and at most one more. */
async function assertWhole(
  { store }: ProcessContext,
  { prefix, saved }: { prefix: string; saved: number },
): Promise<void> {
  const key = { threadId: `${prefix}-thread`, resourceId }
  const { thread, ids } = await readWhole(store, key)
  const turns = ids.length / turnIds(prefix, 0).length
  assert.ok(turns >= saved, `${saved} turns were acknowledged, and only ${turns} are stored`)
  assert.ok(turns <= saved + 1, `${turns} turns are stored, and only ${saved} were acknowledged`)
  assert.deepEqual(ids, Array.from({ length: turns }, (_, turn) => turnIds(prefix, turn)).flat())
  assert.equal(thread?.messageCount ?? 0, ids.length)
  assert.equal(thread?.metadata[prefix], turns > 0 ? turns - 1 : undefined)
  if (!store.capabilities.search || turns === 0) return
  for (const turn of [turns - 1, turns]) {
    const found = await store.searchMessages({ ...key, query: `${prefix}turn${turn}`, limit: 100 })
    assert.deepEqual(idsOf(found).toSorted(), turn < turns ? turnIds(prefix, turn) : [])
  }
}

/** A thread and the ids of its messages. A server may still commit what the killed process has sent. */
async function readWhole(
  store: Store,
  key: ThreadKey,
): Promise<{ thread: Thread | undefined; ids: string[] }> {
  for (;;) {
    const thread = await store.getThread(key)
    const ids = idsOf((await store.listMessages({ ...key, limit: 1_000_000 })).items)
    const after = await store.getThread(key)
    if (after?.messageCount === thread?.messageCount) return { thread, ids }
  }
}
