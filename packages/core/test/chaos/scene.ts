import { Agent, type Processor, type RunResult, Suspend, type Tool, tool } from '@millrace/core'
import { waitingCallsOf } from '@millrace/core/recording'
import { InMemoryRunStore } from '@millrace/core/storage'
import {
  cut,
  errorPart,
  finish,
  hang,
  reasoning,
  refuse,
  ScriptedModel,
  type TurnContent,
  text,
  toolCall,
} from '@millrace/testing'
import fc from 'fast-check'
import { z } from 'zod'

const HOOKS = [
  'processInput',
  'processInputStep',
  'wrapModelCall',
  'processModelError',
  'processOutputStream',
  'processOutputStep',
  'processToolCall',
  'processExecution',
  'processToolResult',
  'processToolStep',
  'processOutputResult',
  'processDelivery',
] as const

type HookName = (typeof HOOKS)[number]

// biome-ignore format: a list to be read at a glance
const ACTS = [
  'pass', 'pass', 'pass', 'wait', 'wait', 'write', 'throw', 'reject',
  'abort', 'retry', 'halt', 'suspend', 'never', 'swallow',
] as const

/** What a hook does from its call number `from` on. */
interface Deed {
  act: (typeof ACTS)[number]
  from: number
}

const TOOLS = ['works', 'fails', 'streams', 'waits', 'hangs', 'asks', 'client', 'unknown', 'invalid'] as const

const ENDS = ['stop', 'stop', 'stop', 'length', 'cut', 'error', 'refuse', 'hang', 'deaf'] as const

const CONSUMERS = ['generate', 'fullStream', 'textStream', 'client', 'leaves', 'result'] as const

/** A run as bad luck and bad code make it. */
export interface Scene {
  processors: { deeds: Partial<Record<HookName, Deed>>; skip: boolean }[]
  turns: { parts: ('text' | 'reasoning' | (typeof TOOLS)[number])[]; end: (typeof ENDS)[number] }[]
  emit: 'live' | 'step'
  toolConcurrency: number
  consumer: (typeof CONSUMERS)[number]
  /** Chunks until a reader leaves. */
  patience: number
  /** Microtasks until the caller aborts. */
  abortAfter: number | null
}

export const scenes: fc.Arbitrary<Scene> = fc.record({
  processors: fc.array(
    fc.record({
      deeds: fc.dictionary(
        fc.constantFrom(...HOOKS),
        fc.record({ act: fc.constantFrom(...ACTS), from: fc.nat(4) }),
        { minKeys: 1, maxKeys: 4, noNullPrototype: true },
      ),
      skip: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
  turns: fc.array(
    fc.record({
      parts: fc.array(fc.constantFrom('text', 'text', 'reasoning', ...TOOLS), { maxLength: 4 }),
      end: fc.constantFrom(...ENDS),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  emit: fc.constantFrom('live', 'step'),
  toolConcurrency: fc.integer({ min: 1, max: 3 }),
  consumer: fc.constantFrom(...CONSUMERS),
  patience: fc.nat(8),
  abortAfter: fc.option(fc.nat(150)),
})

export async function ticks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick++) await undefined
}

const never = new Promise<never>(() => {})

/** An agent for a scene. `executed` counts by call how often its tool has finished. */
export function build(scene: Scene): { agent: Agent; executed: Map<string, number> } {
  const executed = new Map<string, number>()
  const { emit, toolConcurrency } = scene
  const agent = new Agent({
    model: modelOf(scene),
    tools: toolsOf(executed),
    processors: scene.processors.map(processorOf),
    storage: new InMemoryRunStore(),
    maxSteps: 6,
    emit,
    toolConcurrency,
  })
  return { agent, executed }
}

function modelOf({ turns }: Scene): ScriptedModel {
  let calls = 0
  return new ScriptedModel((): TurnContent => {
    const number = calls++
    const turn = turns[number]
    if (!turn) return 'The end.'
    if (turn.end === 'refuse') return refuse(new Error('Not today.'))
    const parts = turn.parts.map((part, index) => {
      if (part === 'text') return text([`text ${number}.${index}, `, 'and more. '])
      if (part === 'reasoning') return reasoning(['Hm. ', 'Well. '])
      return toolCall(part, { at: part === 'invalid' ? 'x' : index }, { id: `call-${number}-${index}` })
    })
    switch (turn.end) {
      case 'length':
        return [...parts, finish({ reason: 'length' })]
      case 'cut':
        return [...parts, cut()]
      case 'error':
        return [...parts, errorPart(new Error('Overloaded.'))]
      case 'hang':
      case 'deaf':
        return [...parts, hang({ ignoreAbort: turn.end === 'deaf' })]
      default:
        return parts.length === 0 ? 'Nothing to say.' : parts
    }
  })
}

function toolsOf(executed: Map<string, number>): Record<string, Tool> {
  const inputSchema = z.object({ at: z.number() })
  const work = tool({
    inputSchema,
    execute: async ({ at }, { toolCallId }) => {
      await ticks(at * 3)
      executed.set(toolCallId, (executed.get(toolCallId) ?? 0) + 1)
      return `done at ${at}`
    },
  })
  return {
    works: work,
    asks: { ...work, needsApproval: true },
    client: { inputSchema },
    invalid: work,
    hangs: tool({ inputSchema, execute: () => never }),
    fails: tool({
      inputSchema,
      execute: async (input, options) => {
        await work.execute(input, options)
        throw new Error('broken')
      },
    }),
    streams: tool({
      inputSchema,
      async *execute(input, options) {
        yield 'a part'
        yield await work.execute(input, options)
      },
    }),
    waits: tool({
      inputSchema,
      execute: (input, options) => {
        if (options.resumeData === undefined) throw new Suspend({ type: 'waits' })
        return work.execute(input, options)
      },
    }),
  }
}

function processorOf({ deeds, skip }: Scene['processors'][number], index: number): Processor {
  const hooks = Object.entries(deeds).map(([hook, deed]) => [hook, hookOf(hook as HookName, deed)])
  return { id: `processor-${index}`, ...(skip && { onError: 'skip' }), ...Object.fromEntries(hooks) }
}

// biome-ignore lint/suspicious/noExplicitAny: one function in the place of any hook
function hookOf(hook: HookName, { act, from }: Deed): (args: any) => unknown {
  let calls = 0
  return (args) => {
    const unchanged =
      hook === 'processOutputStream'
        ? () => args.part
        : hook === 'wrapModelCall'
          ? () => args.next(args.request)
          : () => undefined
    if (calls++ < from || args.resumeData !== undefined) return unchanged()
    switch (act) {
      case 'wait':
        return ticks(from * 3).then(unchanged)
      case 'write':
        if (args.part?.type !== 'data-note') args.writer.write({ type: 'data-note', data: hook })
        return unchanged()
      case 'throw':
        throw new Error('The hook is broken.')
      case 'reject':
        return ticks(from).then(() => Promise.reject(new Error('The hook is broken.')))
      case 'abort':
        return args.abort('No.')
      case 'retry':
        return args.abort('Once more.', { retry: true })
      case 'halt':
        return args.halt('An answer of its own.')
      case 'suspend':
        return args.suspend({ type: 'waits' })
      case 'never':
        return never
      case 'swallow':
        try {
          args.abort('No.')
        } catch {
          // Caught, and meant all the same.
        }
        return unchanged()
      default:
        return unchanged()
    }
  }
}

/** Whether something of the scene may never answer. */
export function mayHang({ processors, turns }: Scene): boolean {
  return (
    processors.some(({ deeds }) => Object.values(deeds).some(({ act }) => act === 'never')) ||
    turns.some(({ parts, end }) => parts.includes('hangs') || end === 'hang' || end === 'deaf')
  )
}

/** What a suspended run is resumed with. */
export function answerTo({ suspension }: RunResult): unknown {
  const answers = waitingCallsOf(suspension?.payload).map(({ toolCallId, waitsFor }) => [
    toolCallId,
    waitsFor === 'approval' ? { approved: true } : waitsFor === 'output' ? 'from the client' : 'go on',
  ])
  return answers.length > 0 ? Object.fromEntries(answers) : 'go on'
}
