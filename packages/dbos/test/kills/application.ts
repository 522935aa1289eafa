// The program of each worker of the kill tests: agents, and a workflow of them. Models and tools report each
// action to a server in the test's process, which counts the actions and kills workers.

import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { DBOS } from '@dbos-inc/dbos-sdk'
import { Agent, type Tool, tool } from '@millrace/core'
import { ScriptedModel, type TurnFunction, text, toolCall } from '@millrace/testing'
import { z } from 'zod'
import { agentStep, durable } from '../../src/index.ts'

/** A model call or tool call that is reported to the server. */
export interface Action {
  worker: string
  /** The input of the run, which identifies it. */
  label: string
  kind: 'model' | 'tool'
  /** How many steps the run has completed before. */
  step: number
  /** The id of the tool call. */
  call?: string
}

/**
 * How often each queue is polled. There are many queues, so frequent polling would cost more than the work.
 */
const POLL_MS = 500

/** The queue of all workflows of the test. */
export const QUEUE = 'kills'

const { MILLRACE_WORLD: server = '', MILLRACE_WORKER: worker = '' } = process.env

/** Reports an action. The server responds with a unique word, unless it kills this process first. */
async function report(action: Omit<Action, 'worker'>): Promise<string> {
  try {
    const response = await fetch(server, { method: 'POST', body: JSON.stringify({ ...action, worker }) })
    return await response.text()
  } catch (error) {
    // DBOS records only that the call has failed, not why.
    console.error(`The server did not get the report of ${JSON.stringify(action)}.`, error)
    throw error
  }
}

function labelOf({ prompt }: LanguageModelV4CallOptions): string {
  const first = prompt.find(({ role }) => role === 'user')
  const [part] = Array.isArray(first?.content) ? first.content : []
  return part?.type === 'text' ? part.text : ''
}

/** A model whose text depends only on the prompt and the server's word. */
function model(turn: (step: number, label: string) => ReturnType<TurnFunction> | undefined): ScriptedModel {
  return new ScriptedModel(async (call) => {
    const step = call.prompt.filter(({ role }) => role === 'assistant').length
    const label = labelOf(call)
    const reply = await report({ label, kind: 'model', step })
    const given = await turn(step, label)
    const parts = given === undefined ? [] : Array.isArray(given) ? given : [given]
    return [text(`${label} says ${reply} at ${step}. `, { chunkSize: 5 }), ...parts]
  })
}

/** A tool that must be called only once, unless its options say otherwise. */
function acts(name: string, options: Pick<Tool, 'onInterrupted' | 'needsApproval'> = {}): Tool {
  return tool({
    inputSchema: z.object({ label: z.string(), step: z.number() }),
    execute: async ({ label, step }, { toolCallId }) => {
      return `${name}: ${await report({ label, kind: 'tool', step, call: toolCallId })}`
    },
    ...options,
  })
}

const calls = (names: string[], step: number, label: string) =>
  names.map((name) => toolCall(name, { label, step }, { id: `${name}-${step}` }))

const look = acts('look', { onInterrupted: 'retry' })
const researcher = new Agent({
  name: 'researcher',
  model: model((step, label) => (step < 2 ? calls(['look', 'count'], step, label) : undefined)),
  tools: { look, count: acts('count', { onInterrupted: 'retry' }) },
})
const writer = new Agent({
  name: 'writer',
  model: model((step, label) => (step < 1 ? calls(['draft'], step, label) : undefined)),
  tools: { draft: acts('draft') },
})
const proofreader = new Agent({
  name: 'proofreader',
  model: model((step, label) => (step < 1 ? calls(['look'], step, label) : undefined)),
  tools: { look },
})
const editor = new Agent({
  name: 'editor',
  model: model((step, label) =>
    step < 1 ? [toolCall('proofread', { prompt: `${label} proof` }, { id: 'proofread-0' })] : undefined,
  ),
  tools: { proofread: proofreader.asTool() },
})
const publisher = new Agent({
  name: 'publisher',
  model: model((step, label) =>
    step < 2 ? calls([step === 0 ? 'publish' : 'announce'], step, label) : undefined,
  ),
  tools: {
    publish: acts('publish', { needsApproval: true }),
    announce: acts('announce', { needsApproval: true }),
  },
})

const queue = { pollMs: POLL_MS }

export const agents = {
  researcher: durable(researcher, { queue }),
  writer: durable(writer, { queue }),
  proofreader: durable(proofreader, { queue }),
  editor: durable(editor, { queue }),
  publisher: durable(publisher, { queue }),
}

/** A workflow with a sequence, a fan-out, a branch, an agent within an agent, and two approvals. */
DBOS.registerWorkflow(
  async (label: string) => {
    const sources = await agentStep(researcher, `${label} research`)
    const drafts = await Promise.all(
      [0, 1, 2, 3].map((index) => agentStep(writer, `${label} draft ${index}`)),
    )
    const edited = sources.text.includes('says')
      ? await agentStep(editor, `${label} edit`)
      : await agentStep(writer, `${label} rewrite`)
    const published = await agentStep(publisher, `${label} publish`)
    return [sources, ...drafts, edited, published].map(({ text }) => text)
  },
  { name: 'campaign' },
)
DBOS.registerLifecycleCallback({
  initialize: async () => {
    await DBOS.registerQueue(QUEUE, { minPollingIntervalMs: POLL_MS })
  },
})
