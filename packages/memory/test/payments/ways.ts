import {
  Agent,
  Halt,
  HOOK_NAMES,
  type HookName,
  isStepCount,
  type Processor,
  Suspend,
  TripWire,
  tool,
} from '@millrace/core'
import { fail, hang, ScriptedModel, toolCall, wait } from '@millrace/testing'
import { z } from 'zod'
import { Memory } from '../../src/index.ts'
import { PAY, type Till, type Way } from './till.ts'

const output = z.object({ a: z.number() })
const anything = z.object({})
const look = { look: tool({ inputSchema: anything, execute: () => 'seen' }) }

/** A processor with this hook, which acts after the payment. */
function processorAt(
  till: Till,
  hook: HookName,
  act: (args: HookArgs, till: Till) => unknown,
): Omit<Processor, 'id'> {
  const at = (args: HookArgs): unknown => {
    const isOut = args.direction === undefined || args.direction === 'out'
    if (till.acts && isOut) act(args, till)
    if (hook === 'wrapModelCall') return args.next(args.request)
    return hook === 'processOutputStream' ? args.part : undefined
  }
  return { [hook]: at }
}

interface HookArgs {
  part: unknown
  request: unknown
  next: (request: unknown) => unknown
  direction?: string
  abort: (reason: string, options?: { retry: boolean }) => never
  halt: (text: string) => never
  suspend: () => never
}

/** The hooks that can be reached after a call was executed, each with what the model does then. */
const AFTER: Partial<Record<HookName, Pick<Way, 'after' | 'tools'>>> = {
  processInputStep: {},
  wrapModelCall: {},
  processModelError: { after: () => fail(new Error('down')) },
  processOutputStream: {},
  processOutputStep: {},
  processToolCall: { after: () => toolCall('look'), tools: () => look },
  processExecution: {},
  processToolResult: {},
  processToolStep: {},
  processOutputResult: {},
}
const REACHED = HOOK_NAMES.filter((hook) => AFTER[hook])
const SUSPENDS = REACHED.filter((hook) => hook !== 'processOutputStream' && hook !== 'processExecution')

function inEveryHook(
  name: string,
  {
    hooks = REACHED,
    act,
    ends,
  }: { hooks?: HookName[]; act: (args: HookArgs, till: Till) => unknown; ends: string },
): Record<string, Way> {
  return Object.fromEntries(
    hooks.map((hook): [string, Way] => [
      `${name} in ${hook}`,
      {
        ...AFTER[hook],
        processor: (till) => processorAt(till, hook, act),
        call: ({ stop }) => ({ abortSignal: stop.signal }),
        ends,
      },
    ]),
  )
}

/** A call beside the payment that throws this, until the till is calm. */
function beside(thrown: unknown, ends: string): Way {
  const other = (till: Till) =>
    tool({
      inputSchema: anything,
      execute: async () => {
        if (till.isCalm) return 'fine'
        throw thrown
      },
    })
  return { first: [PAY, toolCall('other')], tools: (till) => ({ other: other(till) }), ends }
}

const specialist = (till: Till, options: { handoff?: boolean; pays?: boolean } = {}) => {
  const model = new ScriptedModel(() => {
    if (till.isCalm) return 'Fine.'
    throw new Error('down')
  })
  return new Agent({ name: 'specialist', model, memory: new Memory({ storage: till.storage }) }).asTool({
    handoff: options.handoff ?? false,
  })
}

/** Every way in which a run can end after it has paid. */
export const WAYS: Record<string, Way> = {
  'an answer': { ends: 'completed' },
  'an object': { after: () => '{"a":1}', call: () => ({ output }), ends: 'completed' },
  maxSteps: { agent: () => ({ maxSteps: 1 }), ends: 'limit' },
  stopWhen: { agent: () => ({ stopWhen: isStepCount(1) }), ends: 'completed' },
  'maxSteps with an output schema': {
    agent: () => ({ maxSteps: 1 }),
    call: () => ({ output }),
    ends: 'limit',
  },
  'stopWhen with an output schema': {
    agent: () => ({ stopWhen: isStepCount(1) }),
    call: () => ({ output }),
    ends: 'limit',
  },
  'stopWhen that throws': {
    agent: (till) => ({
      stopWhen: () => {
        if (till.acts) throw new Error('broken')
        return false
      },
    }),
    ends: 'RUN_STOP_CONDITION_FAILED',
  },
  'an answer that does not match': {
    after: () => 'No JSON.',
    call: () => ({ output }),
    ends: 'MODEL_OUTPUT_INVALID',
  },
  'an object that a processor has changed': {
    after: () => '{"a":1}',
    call: () => ({ output }),
    processor: (till) => ({
      processOutputStep: ({ messages, messageList }) => {
        const last = messages.at(-1)
        const part = last?.content.parts.at(-1)
        if (!till.acts || last?.role !== 'assistant' || part?.type !== 'text') return undefined
        const parts = [...last.content.parts.slice(0, -1), { ...part, text: 'changed' }]
        return messageList && [{ ...last, content: { ...last.content, parts } }]
      },
    }),
    ends: 'PROCESSOR_OUTPUT_INVALID',
  },
  ...inEveryHook('a tripwire', { act: ({ abort }) => abort('No.'), ends: 'tripwire' }),
  ...inEveryHook('a halt', { act: ({ halt }) => halt('Closed.'), ends: 'halted' }),
  ...inEveryHook('a suspension', { hooks: SUSPENDS, act: ({ suspend }) => suspend(), ends: 'suspended' }),
  ...inEveryHook('an error', {
    act: () => {
      throw new Error('broken')
    },
    ends: 'PROCESSOR_FAILED',
  }),
  ...inEveryHook('a retry', {
    hooks: ['processOutputStep', 'processOutputResult'],
    act: ({ abort }, till) => (till.retries++ === 0 ? abort('Again.', { retry: true }) : undefined),
    ends: 'completed',
  }),
  ...inEveryHook('a retry too many', {
    hooks: ['processOutputStream', 'processOutputStep', 'processOutputResult'],
    act: ({ abort }) => abort('Again.', { retry: true }),
    ends: 'tripwire',
  }),
  ...inEveryHook('a stop', { act: (_, till) => till.stop.abort(), ends: 'aborted' }),
  'a tripwire after the schema': {
    agent: () => ({ stopWhen: isStepCount(1) }),
    processor: (till) => processorAt(till, 'processOutputResult', ({ abort }) => abort('No.')),
    ends: 'tripwire',
  },
  'a stop while the model answers': {
    after: (till) => ['Half an ', wait(async () => till.stop.abort()), hang()],
    call: ({ stop }) => ({ abortSignal: stop.signal }),
    ends: 'aborted',
  },
  'a timeout of the run': { after: () => hang(), call: () => ({ timeout: 2_000 }), ends: 'aborted' },
  'a timeout of a step': {
    after: () => hang(),
    call: () => ({ timeout: { stepMs: 2_000 } }),
    ends: 'aborted',
  },
  'a timeout of a chunk': {
    after: () => ['Half an ', hang()],
    call: () => ({ timeout: { chunkMs: 2_000 } }),
    ends: 'aborted',
  },
  'a reader that leaves': { leaves: true, ends: 'aborted' },
  'an error of the provider': { after: () => fail(new Error('down')), ends: 'MODEL_CALL_FAILED' },
  'an error of the provider in the middle': {
    after: () => ['Half an ', fail(new Error('down'))],
    ends: 'MODEL_STREAM_FAILED',
  },
  'a prepareStep that throws': {
    agent: (till) => ({
      prepareStep: () => {
        if (till.acts) throw new Error('broken')
        return undefined
      },
    }),
    ends: 'PROCESSOR_FAILED',
  },
  'an approval policy that throws': {
    after: () => toolCall('guarded'),
    tools: (till) => ({
      guarded: tool({
        inputSchema: anything,
        needsApproval: () => {
          if (till.acts) throw new Error('broken')
          return false
        },
        execute: () => 'done',
      }),
    }),
    ends: 'TOOL_APPROVAL_FAILED',
  },
  'a delivery that throws': {
    processor: (till) => ({
      processDelivery: ({ part }) => {
        if (till.acts && part?.type === 'finish') throw new Error('broken')
        return undefined
      },
    }),
    ends: 'PROCESSOR_FAILED',
  },
  'another call that fails': beside(new Error('no'), 'completed'),
  'another call that trips': beside(new TripWire('No.'), 'tripwire'),
  'another call that halts': beside(new Halt('Closed.'), 'halted'),
  'another call that suspends': beside(new Suspend({ why: 'wait' }), 'suspended'),
  'another call of a tool that does not exist': { first: [PAY, toolCall('nothing')], ends: 'completed' },
  'an agent as a tool that fails': {
    first: [PAY, toolCall('ask', { prompt: 'Fine?' })],
    tools: (till) => ({ ask: specialist(till) }),
    ends: 'completed',
  },
  'an agent that takes the turn and fails': {
    after: () => toolCall('transfer', { prompt: 'Fine?' }),
    tools: (till) => ({ transfer: specialist(till, { handoff: true }) }),
    ends: 'MODEL_CALL_FAILED',
  },
}
