import { assert } from '../storage/assert.ts'
import { askedKills, isThorough } from '../thorough.ts'
import { append, linesOf } from './call-file.ts'
import { killAtRandom } from './killed-writer.ts'
import type { ProcessContext, ProcessRule } from './process-context.ts'
import { runStoreJob } from './run-store-job.ts'
import { JOB_RESOURCE as resourceId, type StoreJob, type StoreReport } from './store-job.ts'
import type { StoreProcess } from './store-process.ts'

/** Two processes resume a run at the same time. */
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

/**
 * A process is killed before, while or after its run suspends or resumes. Another one takes over, and completes the run.
 */
export const resumedAfterKill: ProcessRule = async (context) => {
  const kills = context.kills * (isThorough && askedKills === undefined ? 10 : 1)
  let killed = 0
  let rounds = 0
  // In parallel, because most of a round is waiting for leases to expire and processes to start.
  const lane = async (): Promise<void> => {
    while (killed < kills) {
      // A process that completed its job before the kill does not count.
      const wasKilled = await resumeAfterKill(context, rounds++)
      killed += wasKilled.filter(Boolean).length
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, kills) }, lane))
}

/** The number of concurrent rounds. */
const AT_ONCE = 3

const CALLS = 3

/** Returns which of the processes were killed before they had completed. */
async function resumeAfterKill(context: ProcessContext, round: number): Promise<boolean[]> {
  const threadId = `thread-${round}`
  const file = context.newFile()
  const suspend: StoreJob = { type: 'suspend', threadId }
  const killed: StoreProcess[] = []
  // Some processes may be killed before they suspend the run.
  if (round % 6 > 0) await here(context, suspend)
  else killed.push(await kill(context, { job: suspend, reports: 2 }))
  const [waiting] = await context.store.listRuns({ threadId, resourceId })
  const settle: StoreJob = { type: 'settle', threadId, file }
  const before = await kill(context, { job: settle, reports: 6 })
  killed.push(before)
  const after = await here(context, settle)
  const resumed = [...before.reports, ...after].filter(({ type }) => type === 'resumed')
  assert.ok(resumed.length <= 1, 'a run was resumed twice')
  for (const report of resumed) assert.deepEqual(report, PAID)
  assert.deepEqual(await context.store.listRuns({ threadId, resourceId }), [])
  // For any time of the kill, every call was executed exactly once.
  assertCalledOnce(file, waiting ? CALLS : 0)
  if (waiting) {
    const found = await context.store.getRun(waiting.runId, { resourceId })
    assert.deepEqual(found, { state: 'done' })
  }
  return killed.map(({ wasKilled }) => wasKilled)
}

/** Every call has its result. */
const PAID: StoreReport = { type: 'resumed', text: 'Paid.', calls: 3, unanswered: 0 }

async function run({ start }: ProcessContext, job: StoreJob): Promise<StoreReport[]> {
  const child = start(job)
  await child.ready()
  child.go()
  return child.finish()
}

async function kill(
  { start }: ProcessContext,
  { job, reports }: { job: StoreJob; reports: number },
): Promise<StoreProcess> {
  const child = start(job)
  await child.ready()
  child.go()
  await killAtRandom(child, { reports })
  return child
}

/** Executes a job in this process. */
async function here({ store }: ProcessContext, job: StoreJob): Promise<StoreReport[]> {
  const reports: StoreReport[] = []
  await runStoreJob(store, job, { say: (report) => void reports.push(report), append, linesOf })
  return reports
}

/** No tool was executed twice; if the run completed, all were executed. */
function assertCalledOnce(file: string, count: number | undefined): void {
  const lines = linesOf(file)
  assert.equal(new Set(lines).size, lines.length, 'a tool ran twice')
  if (count !== undefined) assert.equal(lines.length, count)
}
