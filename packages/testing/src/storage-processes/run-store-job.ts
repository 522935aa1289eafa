import {
  Agent,
  isToolPart,
  MillraceError,
  type StandardSchema,
  type Store,
  type SuspendedRun,
  tool,
} from '@millrace/core'
import { waitingCallsOf } from '@millrace/core/recording'
import { toolCall } from '../parts/tool.ts'
import { ScriptedModel } from '../scripted-model.ts'
import { sampleMessage } from '../storage/sample-message.ts'
import { JOB_RESOURCE, SHORT_LEASE, type StoreJob, type StoreReport, turnIds } from './store-job.ts'

type JobOf<TYPE> = Extract<StoreJob, { type: TYPE }>

export interface StoreJobTools {
  say: (report: StoreReport) => void
  /** Appends a line to a file, synchronously. */
  append: (file: string, line: string) => void
  /** The lines of a file; none if it does not exist. */
  linesOf: (file: string) => string[]
}

/** Executes a job with a store, in a process of its own. */
export async function runStoreJob(store: Store, job: StoreJob, tools: StoreJobTools): Promise<void> {
  switch (job.type) {
    case 'save':
      return saveTurns(store, job, tools)
    case 'claim':
      return claimRuns(store, job, tools)
    case 'suspend':
      return suspendRun(store, job, tools)
    case 'resume':
      return resumeRun(store, job, tools)
    case 'settle':
      return settleRun(store, job, tools)
    default:
      job satisfies never
  }
}

async function saveTurns(store: Store, job: JobOf<'save'>, { say }: StoreJobTools): Promise<void> {
  const resourceId = JOB_RESOURCE
  for (let turn = 0; turn < job.turns; turn++) {
    const messages = turnIds(job.prefix, turn).map((id) => sampleMessage(id, `Text ${job.prefix}turn${turn}`))
    const threadId = job.threads === 1 ? `${job.prefix}-thread` : `thread-${turn % job.threads}`
    await store.saveMessages({ threadId, resourceId, messages, thread: { metadata: { [job.prefix]: turn } } })
    await store.addToCounter({ resourceId, key: 'turns', amount: 1 })
    await store.setKey({ resourceId, key: `turn-${turn}`, value: job.prefix, ifAbsent: true })
    say({ type: 'saved', turn })
  }
}

async function claimRuns(store: Store, { runIds }: JobOf<'claim'>, { say }: StoreJobTools): Promise<void> {
  for (const runId of runIds) {
    const claim = await store.claimRun(runId, { leaseMs: 3_600_000 })
    say({ type: 'claimed', runId, before: claim?.state })
  }
}

const CALLS = 3

async function suspendRun(store: Store, { threadId }: JobOf<'suspend'>, tools: StoreJobTools): Promise<void> {
  const calls = Array.from({ length: CALLS }, (_, index) => toolCall('pay', { amount: index }))
  const agent = payingAgent(store, { script: [calls], tools, file: '' })
  const { runId } = await agent.generate('Pay', { threadId, resourceId: JOB_RESOURCE })
  tools.say({ type: 'suspended', runId })
}

async function resumeRun(
  store: Store,
  { threadId, file }: JobOf<'resume'>,
  tools: StoreJobTools,
): Promise<void> {
  const [run] = await store.listRuns({ threadId, resourceId: JOB_RESOURCE })
  if (!run) return tools.say({ type: 'absent' })
  const agent = payingAgent(store, { script: ['Paid.'], tools, file })
  try {
    const owner = { resourceId: JOB_RESOURCE }
    const { text, messages } = await agent.resume(run.runId, { approved: true, all: true }, owner)
    const calls = messages.flatMap(({ content }) => content.parts.filter(isToolPart))
    const unanswered = calls.filter(({ state }) => state !== 'output-available').length
    tools.say({ type: 'resumed', text, calls: calls.length, unanswered })
  } catch (error) {
    if (!MillraceError.isInstance(error)) throw error
    tools.say({ type: 'refused', code: error.code })
  }
}

/**
 * Acts as an operator: resumes suspended and interrupted runs, and reports the outcome of interrupted calls from the file.
 */
async function settleRun(
  store: Store,
  { threadId, file }: JobOf<'settle'>,
  tools: StoreJobTools,
): Promise<void> {
  const resourceId = JOB_RESOURCE
  for (;;) {
    const run = await openRun(store, threadId)
    if (!run) return tools.say({ type: 'absent' })
    const agent = payingAgent(store, { script: () => 'Paid.', tools, file, runLease: SHORT_LEASE })
    try {
      const result = await agent.resume(run.runId, answerTo(run, tools.linesOf(file)), { resourceId })
      if (result.status !== 'completed') continue
      const { text, messages } = result
      const calls = messages.flatMap(({ content }) => content.parts.filter(isToolPart))
      const unanswered = calls.filter(({ state }) => state !== 'output-available').length
      return tools.say({ type: 'resumed', text, calls: calls.length, unanswered })
    } catch (error) {
      if (!MillraceError.isInstance(error)) throw error
      tools.say({ type: 'refused', code: error.code })
    }
  }
}

/** A run of a dead process can be resumed when its lease has expired. */
async function openRun(store: Store, threadId: string): Promise<SuspendedRun | undefined> {
  const until = performance.now() + 4 * SHORT_LEASE
  for (;;) {
    const [run] = await store.listRuns({ threadId, resourceId: JOB_RESOURCE })
    if (run || performance.now() > until) return run
    await new Promise((resolve) => setTimeout(resolve, SHORT_LEASE / 10))
  }
}

function answerTo({ payload, interrupted }: SuspendedRun, executed: readonly string[]): unknown {
  // It continues with the data of the first resumption.
  if (interrupted) return undefined
  const answers = waitingCallsOf(payload).map(({ toolCallId, waitsFor }) => [
    toolCallId,
    waitsFor === 'approval'
      ? { approved: true }
      : executed.includes(toolCallId)
        ? { output: 'paid' }
        : { retry: true },
  ])
  return Object.fromEntries(answers)
}

/** An agent that needs approval before it pays, and logs each payment. */
function payingAgent(
  storage: Store,
  {
    script,
    tools,
    file,
    runLease = LONG_LEASE,
  }: {
    script: ConstructorParameters<typeof ScriptedModel>[0]
    tools: Pick<StoreJobTools, 'say' | 'append'>
    file: string
    runLease?: number
  },
): Agent {
  const pay = tool({
    inputSchema: anything,
    execute: (_input, { toolCallId }) => {
      tools.append(file, toolCallId)
      tools.say({ type: 'called', toolCallId })
      return 'paid'
    },
  })
  return new Agent({
    name: 'payer',
    model: new ScriptedModel(script),
    storage,
    runLease,
    tools: { pay: { ...pay, needsApproval: true } },
  })
}

/** Longer than the test, so that no live process loses its run. */
const LONG_LEASE = 3_600_000

const anything: StandardSchema = {
  '~standard': {
    version: 1,
    vendor: 'millrace',
    validate: (value) => ({ value }),
    jsonSchema: { input: () => ({ type: 'object' }) },
  },
}
