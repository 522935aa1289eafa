import { Workspace } from '@millrace/context/workspace'
import { Agent, MessageList, MillraceError, ProcessorPipeline, RequestContext, tool } from '@millrace/core'
import { durable } from '@millrace/dbos'
import { Memory } from '@millrace/memory'
import { PIIDetector } from '@millrace/pii'
import { CostGuard } from '@millrace/steering/cost-guard'
import { ScriptedModel } from '@millrace/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { DurableRun } from '../packages/dbos/src/durable-run.ts'
import { type OptionTaker, optionTakers, publicModules } from './option-takers.ts'

/** What is called otherwise than with options at the place of their parameter. */
const OBJECTS: Readonly<Record<string, () => object>> = {
  Agent: () => agent(),
  RunStream: () => agent().stream('Hi'),
  ProcessorPipeline: () => new ProcessorPipeline(),
  MessageList: () => new MessageList(),
  Memory: () => new Memory({ observations: { countTokens: () => 1 }, workingMemory: { template: '{{a}}' } }),
  Workspace: () => new Workspace({ root: '.' }),
  DurableAgent: () => durable(agent(), { name: crypto.randomUUID() }),
  DurableRun: () => new DurableRun('run'),
}

/** Parameters that are no options, or options of what is called by others than users. */
const OTHERS: Readonly<Record<string, string>> = {
  '@millrace/core: MillraceError': 'an error',
  '@millrace/core: Halt': 'counts whatever its options are, as it is thrown to end a run',
  '@millrace/core: TripWire': 'counts whatever its options are, as it is thrown to end a run',
  '@millrace/core: RequestContext.withIds': 'called by the agent',
  '@millrace/core: promptLimit': 'values, no options',
  '@millrace/core: checkCount': 'values, no options',
  '@millrace/core: parseKey': 'a key, which may be an object with more',
  '@millrace/core: parseRunKey': 'a key, which may be an object with more',
  '@millrace/core: parseLeaseOptions': 'called with more',
  '@millrace/core: parseSaveRun': 'the limits of a store, which its constructor checks',
  '@millrace/core: parseUpdateRun': 'the limits of a store, which its constructor checks',
  '@millrace/dbos: agentStep': 'passes them to DurableAgent.start',
  '@millrace/guards: withDeadline': 'called by judges',
  '@millrace/guards: GuardedText': 'called by guards',
  '@millrace/guards: checkGuardOptions': 'validates values',
  '@millrace/guards: rewriteJson': 'called by guards',
  '@millrace/memory: MessageHistoryProcessor.read': 'called by Memory',
  '@millrace/testing: ScriptedModel.doGenerate': 'called by the agent',
  '@millrace/testing: ScriptedModel.doStream': 'called by the agent',
  '@millrace/testing: TurnWriter.finish': 'called by finish()',
}

const found = optionTakers()
const takers = found.filter(({ name }) => !(name in OTHERS))
const model = new ScriptedModel(['Hello.'], { repeat: 'last' })
const pay = { inputSchema: z.object({}), execute: () => 'Paid.' }
const agent = (): Agent => new Agent({ model })

/** Calls it with these options, and what it needs before them. */
async function call({ exported, method, index, load }: OptionTaker, options: unknown): Promise<unknown> {
  const args = [...Array(index).fill(undefined), options]
  if (method !== undefined) {
    const object = OBJECTS[exported]?.() as Record<string, (...args: unknown[]) => unknown>
    const returned = object[method]?.(...args)
    return isGenerator(returned) ? returned.next() : returned
  }
  const value = (await load())[exported] as (new (
    ...args: unknown[]
  ) => unknown) &
    ((...args: unknown[]) => unknown)
  return /^[A-Z]/.test(exported) ? new value(...args) : value(...args)
}

function isGenerator(value: unknown): value is AsyncGenerator {
  return typeof (value as Partial<AsyncGenerator> | null)?.next === 'function'
}

const CODES: readonly string[] = ['CONFIG_INVALID', 'STORAGE_INPUT_INVALID']

async function refusal(use: () => unknown): Promise<string> {
  try {
    await use()
  } catch (error) {
    if (MillraceError.isInstance(error) && CODES.includes(error.code)) return error.message
    throw error
  }
  return 'accepted'
}

/** A letter is left out, two are swapped, one is doubled. */
function misspellings(name: string): string[] {
  const at = Math.floor(name.length / 2)
  const [before, letter = '', next = '', after] = [
    name.slice(0, at),
    name[at],
    name[at + 1],
    name.slice(at + 2),
  ]
  return [before + next + after, before + next + letter + after, before + letter + letter + next + after]
}

/** The names of its options, from the error that lists them. */
async function namesOf(taker: OptionTaker): Promise<string[]> {
  const message = await refusal(() => call(taker, { qqqqqqqqqqqq: 1 }))
  return (
    /^The options are (.*)\.$/.exec(message.slice(message.indexOf('The options')))?.[1]?.split(', ') ?? []
  )
}

test('finds what takes options', () => {
  expect(takers.length).toBeGreaterThan(150)
  expect(Object.keys(OTHERS).filter((name) => !found.some((taker) => taker.name === name))).toEqual([])
})

test.each(takers.map((taker) => [taker.name, taker] as const))(
  '%s refuses each of its options when it is misspelled',
  async (_, taker) => {
    const names = await namesOf(taker)
    expect(names).not.toEqual([])
    for (const name of names) {
      for (const misspelled of misspellings(name)) {
        if (names.includes(misspelled) || misspelled === '') continue
        const message = await refusal(() => call(taker, { [misspelled]: undefined }))
        expect(message).toContain(`has no option '${misspelled}'.`)
        expect(message).toMatch(/Did you mean '|The options are |In Millrace it is '/)
      }
    }
  },
)

/** What a constructor is called with by mistake. */
const MISTAKES: readonly (readonly [string, readonly unknown[]])[] = [
  ['nothing', []],
  ['null', [null]],
  ['a string', ['text']],
  ['an array', [['a']]],
  ['a number', [Number.NaN]],
  ['a function', [() => {}]],
  ['a symbol', [Symbol('a')]],
  ['a promise', [Promise.resolve({})]],
  ['an empty object', [{}]],
  ['null as the second argument', [undefined, null]],
  ['an array as the second argument', [undefined, ['a']]],
]

/** What is made by our own code, or to end a run. */
const MADE_BY_US = /^(?:GuardRejection|GuardedText|Halt|MortalStore|ScriptError|TripWire)$/

const constructors = (await publicValues()).filter(
  ([name, value]) => isClass(value) && !MADE_BY_US.test(name),
)

test.each(constructors)('new %s() with anything throws no error but ours', (_, Class) => {
  for (const [mistake, args] of MISTAKES) {
    try {
      new Class(...args)
    } catch (error) {
      expect.soft(MillraceError.isInstance(error) || error, mistake).toBe(true)
    }
  }
})

async function publicValues(): Promise<(readonly [string, new (...args: readonly unknown[]) => unknown])[]> {
  const modules = await Promise.all(publicModules().map(({ load }) => load()))
  const values = modules.flatMap((module) => Object.entries(module))
  return [...new Map(values)].map(([name, value]) => [name, value as new () => unknown] as const)
}

function isClass(value: unknown): boolean {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value))
}

test.each<[string, () => unknown, string]>([
  [
    'a guard in a misspelled list',
    () => new Agent({ model, inputProcesors: [] } as never),
    "Did you mean 'inputProcessors'?",
  ],
  [
    'a tool that would run unasked',
    () => tool({ ...pay, needsAproval: true } as never),
    "Did you mean 'needsApproval'?",
  ],
  [
    'such a tool as a plain object',
    () => new Agent({ model, tools: { pay: { ...pay, needsAproval: true } as never } }),
    "The tool 'pay' has no option 'needsAproval'. Did you mean 'needsApproval'?",
  ],
  [
    "Mastra's approval of a tool",
    () => new Agent({ model, tools: { pay: { ...pay, requireApproval: true } as never } }),
    "In Millrace it is 'needsApproval'.",
  ],
  [
    "the AI SDK's old name of a limit",
    () => new Agent({ model, modelSettings: { maxTokens: 9 } as never }),
    "In Millrace it is 'modelSettings.maxOutputTokens'.",
  ],
  [
    "Mastra's memory of a call",
    () => agent().generate('Hi', { memory: { thread: 'a', resource: 'b' } } as never),
    "In Millrace it is 'threadId' and 'resourceId'.",
  ],
  [
    "Mastra's name of a guard's types",
    () => new PIIDetector({ detectionTypes: ['email'] } as never),
    "In Millrace it is 'types'.",
  ],
  [
    "OpenAI's name of a limit",
    () => agent().generate('Hi', { maxTurns: 3 } as never),
    "In Millrace it is 'maxSteps'.",
  ],
  [
    "LangChain's name of processors",
    () => new Agent({ model, middleware: [] } as never),
    "In Millrace it is 'processors'.",
  ],
  [
    'a setting that is one level too high',
    () => agent().generate('Hi', { temperature: 0 } as never),
    "Did you mean 'modelSettings.temperature'?",
  ],
  [
    'an inner option',
    () => agent().generate('Hi', { timeout: { totalMS: 9 } } as never),
    "Did you mean 'timeout.totalMs'?",
  ],
  [
    'an inner option of a memory',
    () => new Memory({ semanticRecall: { topk: 3 } } as never),
    "Did you mean 'semanticRecall.topK'?",
  ],
  [
    'an option in a list',
    () => new CostGuard({ limits: [{ token: 9 }] } as never),
    "Did you mean 'limits[0].tokens'?",
  ],
  [
    'an option by name',
    () => new CostGuard({ limits: [], prices: { small: { inputs: 1 } } } as never),
    "Did you mean 'prices.small.input'?",
  ],
  [
    'the place of a processor',
    () => new Agent({ model, processors: [{ processor: new PIIDetector(), aftr: 'a' }] } as never),
    "Did you mean 'after'?",
  ],
])('refuses %s', async (_, use, remedy) => {
  expect(await refusal(use)).toContain(remedy)
})

test('leaves what is open by nature to its owner', async () => {
  const open = { temprature: 1, needsAproval: true, maxTokens: 1 }
  const { status } = await new Agent({ model, tools: { pay: tool({ ...pay, metadata: open }) } }).generate(
    'Hi',
    {
      providerOptions: { acme: open },
      requestContext: new RequestContext(open),
      modelSettings: { headers: { temprature: '1' } },
    },
  )
  expect(status).toBe('completed')
})
