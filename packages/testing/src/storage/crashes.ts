import {
  Agent,
  isToolPart,
  type RunResult,
  type RunStore,
  type StandardSchema,
  type SuspendedRun,
} from '@millrace/core'
import { waitingCallsOf } from '@millrace/core/recording'
import { toolCall } from '../parts/tool.ts'
import { ScriptedModel } from '../scripted-model.ts'
import { assert } from './assert.ts'
import { eventually } from './eventually.ts'
import { type Death, MortalStore } from './mortal-store.ts'
import type { StorageRules } from './storage-rule.ts'

const owner = { resourceId: 'ada' }

/** In milliseconds: long enough for a step of a test, and short enough to wait until it expires. */
const LEASE = 10

const IDS = ['one', 'two']

/** An agent that needs approval before it pays twice, in parallel, and logs payments. */
function payingAgent(
  storage: RunStore,
  executed: string[],
  { checkpoint }: { checkpoint: 'suspend' | 'step' },
): Agent {
  return new Agent({
    storage,
    checkpoint,
    runLease: LEASE,
    model: new ScriptedModel(({ prompt }) =>
      prompt.some(({ role }) => role === 'tool') ? 'Paid.' : IDS.map((id) => toolCall('pay', {}, { id })),
    ),
    tools: {
      pay: {
        inputSchema: anything,
        needsApproval: true,
        execute: (_input: unknown, { toolCallId }: { toolCallId: string }) => {
          executed.push(toolCallId)
          return 'paid'
        },
      },
    },
  })
}

/** Suspends and resumes a run. Settles with its result, or never if the process dies. */
async function runToEnd(agent: Agent): Promise<RunResult> {
  const waiting = await agent.generate('Pay', { threadId: 'thread', ...owner })
  return agent.resume(waiting.runId, { approved: true, all: true }, owner)
}

interface Settled {
  results: RunResult[]
  /** The ids of all resumed runs. */
  runIds: Set<string>
}

/** Continues all unfinished runs, as an operator does who knows which calls were executed. */
async function settle(
  agent: Agent,
  executed: readonly string[],
  { results, runIds }: Settled,
): Promise<void> {
  for (;;) {
    const [run] = await agent.suspendedRuns(owner)
    if (!run) return
    runIds.add(run.runId)
    results.push(await agent.resume(run.runId, answerTo(run, executed), owner))
  }
}

function answerTo({ payload, interrupted }: SuspendedRun, executed: readonly string[]): unknown {
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

function outputsIn({ messages }: RunResult): unknown[] {
  const parts = messages.flatMap(({ content }) => content.parts).filter(isToolPart)
  return parts.map((part) => part.state === 'output-available' && part.output)
}

function crashes(checkpoint: 'suspend' | 'step'): StorageRules[string] {
  return async ({ store }) => {
    const healthy = new MortalStore(store)
    const all: string[] = []
    await runToEnd(payingAgent(healthy.storage, all, { checkpoint }))
    assert.deepEqual(all, IDS)
    for (let change = 1; change <= healthy.changes.length; change++) {
      for (const when of ['before', 'after'] as const) {
        await dieAt({ change, when })
      }
    }

    async function dieAt(death: Death): Promise<void> {
      const place = `dead ${death.when} change ${death.change}`
      const executed: string[] = []
      const mortal = new MortalStore(store, death)
      const ended = runToEnd(payingAgent(mortal.storage, executed, { checkpoint }))
      const results: RunResult[] = []
      const settled: Settled = { results, runIds: new Set() }
      ended.then(
        (result) => results.push(result),
        () => {},
      )
      // Calls that end together may be one change or two; with one, the run completed.
      await Promise.race([mortal.died, ended])
      const agent = payingAgent(store, executed, { checkpoint })
      await eventually(async () => {
        await settle(agent, executed, settled)
        return isOver() || results.some(({ status }) => status === 'completed')
      })
      await settle(agent, executed, settled)
      assert.deepEqual([...new Set(executed)].length, executed.length, `${place}: a call was executed twice`)
      const done = results.filter(({ status }) => status === 'completed')
      // Before the first write the run is unknown, and after its end there is nothing to do.
      if (executed.length === 0) assert.equal(done.length, 0, `${place}: without a call`)
      else assert.deepEqual(executed.toSorted(), IDS.toSorted(), `${place}: a call was lost`)
      for (const result of done) assert.deepEqual(outputsIn(result), ['paid', 'paid'], place)
      assert.deepEqual(await store.listRuns(owner), [], place)
      for (const runId of settled.runIds) {
        assert.deepEqual(await store.getRun(runId, owner), { state: 'done' }, place)
      }

      /** Whether no run can be resumed, now or when a lease expires. */
      function isOver(): boolean {
        const isFirst = death.change === 1 && death.when === 'before'
        const isLast = mortal.changes.at(-1) === 'endRun' && death.when === 'after'
        return isFirst || isLast
      }
    }
  }
}

const anything: StandardSchema = {
  '~standard': {
    version: 1,
    vendor: 'millrace',
    validate: (value) => ({ value }),
    jsonSchema: { input: () => ({ type: 'object' }) },
  },
}

export const crashRules: StorageRules = {
  'loses no call and executes none twice if the process dies at any write': crashes('suspend'),
  'loses no call and executes none twice if the process dies at any write, with every step stored':
    crashes('step'),
}
