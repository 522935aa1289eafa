import { assert } from '../storage/assert.ts'
import { sampleRun } from '../storage/runs.ts'
import type { ProcessRule } from './process-context.ts'

export const claimedOnce: ProcessRule = async ({ store, start }) => {
  const runIds = Array.from({ length: 50 }, (_, index) => `run-${index}`)
  for (const runId of runIds) await store.saveRun(sampleRun(runId))
  const claimants = [0, 1].map(() => start({ type: 'claim', runIds }))
  await Promise.all(claimants.map((claimant) => claimant.ready()))
  for (const claimant of claimants) claimant.go()
  const said = (await Promise.all(claimants.map((claimant) => claimant.finish()))).flat()
  for (const runId of runIds) {
    const before = said.flatMap((report) =>
      report.type === 'claimed' && report.runId === runId ? [report.before] : [],
    )
    assert.deepEqual(before.toSorted(), ['running', 'suspended'], runId)
  }
  assert.deepEqual(await store.listRuns({}), [])
}
