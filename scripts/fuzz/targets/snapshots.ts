import {
  Agent,
  type AgentOptions,
  isStepCount,
  type Processor,
  Suspend,
  type SuspendArgs,
  tool,
} from '@millrace/core'
import type { RunStore, StoredRun } from '@millrace/core/storage'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'
import type { FuzzTarget } from '../target.ts'
import { applyEdits, differences, type Edit } from './edits.ts'
import { holdStated } from './prompt.ts'

/** A stored run that was edited, and the data of its resumption. */
interface Stored {
  scene: string
  data: unknown
  run: unknown
}

/** Runs that suspend at different points. */
const scenes: Readonly<Record<string, { turns: unknown[]; data: unknown; options?: Partial<AgentOptions> }>> =
  {
    approval: { turns: [toolCall('refund', { amount: 5 })], data: { approved: true } },
    client: { turns: [toolCall('ask', { question: 'Why?' })], data: 'Because.' },
    tool: { turns: [toolCall('wait', {})], data: 'go' },
    several: {
      turns: [
        [toolCall('refund', { amount: 5 }), toolCall('ask', { question: 'Why?' }), toolCall('wait', {})],
      ],
      data: { approved: false, reason: 'no' },
    },
    input: { turns: [], data: 'yes', options: { processors: [asks('processInput')] } },
    output: { turns: [], data: 'yes', options: { processors: [asks('processOutputStep')] } },
    result: {
      turns: [toolCall('add', { a: 1 })],
      data: 'yes',
      options: { processors: [asks('processToolResult')] },
    },
  }

/** A stored run that was edited, truncated or mixed up is refused with a clear error, or resumes. */
export const snapshots: FuzzTarget = {
  covers: [
    'packages/core/src/run',
    'packages/core/src/loop',
    'packages/core/src/agent',
    'packages/core/src/tools',
    'packages/core/src/messages',
    'packages/core/src/storage',
  ],
  dictionary: [
    ...[
      'version',
      'place',
      'phase',
      'processor',
      'toolCallId',
      'messages',
      'message',
      'origin',
      'systemMessages',
    ],
    ...[
      'steps',
      'current',
      'usage',
      'retryCount',
      'feedback',
      'responseId',
      'warnings',
      'halt',
      'records',
      'processors',
    ],
    ...[
      'processInput',
      'processInputStep',
      'wrapModelCall',
      'processModelError',
      'processOutputStep',
      'processToolCall',
    ],
    ...[
      'approval',
      'execute',
      'processToolResult',
      'processToolStep',
      'processOutputResult',
      'calls',
      'decision',
      'outcome',
    ],
    ...[
      'toolCalls',
      'toolName',
      'input',
      'kind',
      'client',
      'answer',
      'status',
      'success',
      'error',
      'denied',
      'output',
    ],
    ...[
      'role',
      'content',
      'parts',
      'createdAt',
      'refund',
      'ask',
      'wait',
      'add',
      'data',
      'approved',
      'payload',
      'id',
    ],
  ],
  seeds: async () =>
    Promise.all(
      Object.entries(scenes).map(async ([scene, { data }]) => ({ scene, data, run: await suspend(scene) })),
    ),
  async run(input) {
    if (!isStored(input)) return
    const model = new ScriptedModel(Array(6).fill('Done.'))
    const agent = agentOf(input.scene, model, storeOf(input.run))
    try {
      await agent.resume('run', input.data)
    } catch (error) {
      holdStated(error)
    }
  },
  // Only the edits, because the format of snapshots may change.
  encode(input) {
    if (!isStored(input)) return input
    const { scene, data, run } = input
    return { scene, data, edits: differences(whole.get(scene), run) }
  },
  decode(stored) {
    const { scene, data, edits } = (stored ?? {}) as { scene: string; data: unknown; edits?: Edit[] }
    return { scene, data, run: applyEdits(whole.get(scene), Array.isArray(edits) ? edits : []) }
  },
}

const whole = new Map<string, unknown>()

function isStored(input: unknown): input is Stored {
  const { scene, run } = (input ?? {}) as Partial<Stored>
  return typeof scene === 'string' && Object.hasOwn(scenes, scene) && typeof run === 'object' && run !== null
}

/** Suspends the run of a scene, and returns its parsed snapshot. */
async function suspend(scene: string): Promise<unknown> {
  const known = whole.get(scene)
  if (known) return structuredClone(known)
  let saved: StoredRun | undefined
  const model = new ScriptedModel([...((scenes[scene]?.turns ?? []) as never[]), 'Fine.', 'Fine.'])
  const agent = agentOf(
    scene,
    model,
    storeOf(undefined, (run) => {
      saved = run
    }),
  )
  await agent.generate('Please.')
  if (!saved) throw new Error(`The run of '${scene}' was not suspended.`)
  const run = { ...saved, runId: 'run', snapshot: JSON.parse(saved.snapshot) as unknown }
  whole.set(scene, run)
  return structuredClone(run)
}

function agentOf(scene: string, model: ScriptedModel, storage: RunStore): Agent {
  return new Agent({
    model,
    storage,
    stopWhen: isStepCount(4),
    tools: {
      add: tool({ inputSchema: z.object({ a: z.number() }), execute: ({ a }) => a + 1 }),
      refund: tool({
        inputSchema: z.object({ amount: z.number() }),
        needsApproval: true,
        execute: () => 'refunded',
      }),
      ask: { inputSchema: z.object({ question: z.string() }) },
      wait: tool({
        inputSchema: z.object({}),
        execute(_, { resumeData }) {
          if (resumeData === undefined) throw new Suspend('Shall I?')
          return resumeData
        },
      }),
    },
    ...scenes[scene]?.options,
  })
}

function asks(hook: 'processInput' | 'processOutputStep' | 'processToolResult'): Processor {
  return {
    id: 'asks',
    [hook]: ({ resumeData, suspend, state }: SuspendArgs & { state: Record<string, unknown> }) => {
      state.asked = [hook]
      if (resumeData === undefined) suspend({ hook })
    },
  }
}

/** A store with one run. Expiry and claims work normally. */
function storeOf(run: unknown, onSave?: (run: StoredRun) => void): RunStore {
  const { snapshot, ...rest } = (run ?? {}) as { snapshot?: unknown }
  const text = typeof snapshot === 'string' ? snapshot : JSON.stringify(snapshot)
  const stored = { ...rest, snapshot: text ?? '' } as StoredRun
  return {
    saveRun: async (saved) => onSave?.(saved),
    getRun: async () => ({ state: 'suspended', run: stored }),
    claimRun: async () => ({ state: 'suspended', attempt: 1 }),
    updateRun: async () => {},
    endRun: async () => {},
    releaseRun: async () => 'suspended',
    listRuns: async () => [],
  }
}
