import { assert } from '../storage/assert.ts'
import { killAtRandom } from './killed-writer.ts'
import type { ProcessContext, ProcessRule } from './process-context.ts'
import { JOB_RESOURCE as resourceId, type StoreJob, type StoreReport } from './store-job.ts'

/** Two processes resume a run at once. */
export const resumedByOne: ProcessRule = async (context) => {
  const { start, newFile } = context
  const threadId = 'thread'
  const file = newFile()
  await run(context, { type: 'suspend', threadId })
  const claimants = [0, 1].map(() => start({ type: 'resume', threadId, file }))
  await Promise.all(claimants.map((claimant) => claimant.ready()))
  for (const claimant of claimants) claimant.go()
  const said = (await Promise.all(claimants.map((claimant) => claimant.finish()))).flat()
  assert.deepEqual(
    said.filter(({ type }) => type === 'resumed'),
    [PAID],
  )
  for (const report of said) if (report.type === 'refused') assert.equal(report.code, 'RUN_ALREADY_RESUMED')
  assertCalledOnce(file, 3)
}

/** A process is killed while its run waits, resumes or is about to; another one takes over. */
export const resumedAfterKill: ProcessRule = async (context) => {
  // Each takes four processes.
  const rounds = Math.ceil(context.kills / 5)
  for (let round = 0; round < rounds; round++) {
    const threadId = `thread-${round}`
    const file = context.newFile()
    const suspend: StoreJob = { type: 'suspend', threadId }
    // Every other one may be killed before it waits.
    if (round % 2 === 0) await run(context, suspend)
    else await killed(context, { job: suspend, reports: 2 })
    const [waiting] = await context.store.listRuns({ threadId, resourceId })
    const before = await killed(context, { job: { type: 'resume', threadId, file }, reports: 6 })
    const after = await run(context, { type: 'resume', threadId, file })
    const again = await run(context, { type: 'resume', threadId, file })
    const resumed = [...before, ...after, ...again].filter(({ type }) => type === 'resumed')
    assert.ok(resumed.length <= 1, 'a run was resumed twice')
    for (const report of resumed) assert.deepEqual(report, PAID)
    assert.equal(
      again.some(({ type }) => type === 'resumed'),
      false,
    )
    assert.deepEqual(await context.store.listRuns({ threadId, resourceId }), [])
    assertCalledOnce(file, waiting && resumed.length === 1 ? 3 : undefined)
    // Nobody had taken the run before the kill: then it went on afterwards.
    if (waiting && before.length <= 1 && after.every(({ type }) => type !== 'resumed')) {
      const found = await context.store.getRun(waiting.runId, { resourceId })
      assert.deepEqual(found, { state: 'resumed' })
    }
  }
}

/** Every call has its result. */
const PAID: StoreReport = { type: 'resumed', text: 'Paid.', calls: 3, unanswered: 0 }

async function run({ start }: ProcessContext, job: StoreJob): Promise<StoreReport[]> {
  const child = start(job)
  await child.ready()
  child.go()
  return child.finish()
}

async function killed(
  { start }: ProcessContext,
  { job, reports }: { job: StoreJob; reports: number },
): Promise<StoreReport[]> {
  const child = start(job)
  await child.ready()
  child.go()
  await killAtRandom(child, { reports })
  return child.reports
}

/** No tool ran twice; where the run came to its end, all ran. */
function assertCalledOnce(file: string, count: number | undefined): void {
  const { existsSync, readFileSync } = process.getBuiltinModule('node:fs')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
  assert.equal(new Set(lines).size, lines.length, 'a tool ran twice')
  if (count !== undefined) assert.equal(lines.length, count)
}
