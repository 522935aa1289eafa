import { Agent, isToolPart, MillraceError, type StandardSchema, type Store, tool } from '@millrace/core'
import { toolCall } from '../parts/tool.ts'
import { ScriptedModel } from '../scripted-model.ts'
import { sampleMessage } from '../storage/sample-message.ts'
import { JOB_RESOURCE, type StoreJob, type StoreReport, turnIds } from './store-job.ts'

type JobOf<TYPE> = Extract<StoreJob, { type: TYPE }>

export interface StoreJobTools {
  say: (report: StoreReport) => void
  /** Adds a line to a file, at once. */
  append: (file: string, line: string) => void
}

/** Does a job with a store. Runs in a process of its own. */
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
    const { text, messages } = await agent.resume(run.runId, { approved: true }, { resourceId: JOB_RESOURCE })
    const calls = messages.flatMap(({ content }) => content.parts.filter(isToolPart))
    const unanswered = calls.filter(({ state }) => state !== 'output-available').length
    tools.say({ type: 'resumed', text, calls: calls.length, unanswered })
  } catch (error) {
    if (!MillraceError.isInstance(error)) throw error
    tools.say({ type: 'refused', code: error.code })
  }
}

/** An agent that asks before it pays, and writes down what it has paid. */
function payingAgent(
  storage: Store,
  {
    script,
    tools,
    file,
  }: { script: ConstructorParameters<typeof ScriptedModel>[0]; tools: StoreJobTools; file: string },
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
    tools: { pay: { ...pay, needsApproval: true } },
  })
}

const anything: StandardSchema = {
  '~standard': {
    version: 1,
    vendor: 'millrace',
    validate: (value) => ({ value }),
    jsonSchema: { input: () => ({ type: 'object' }) },
  },
}
