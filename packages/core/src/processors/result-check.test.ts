import { fail, ScriptedModel, text, toolCall } from '@millrace/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../agent/agent.ts'
import { parallel } from '../composition/parallel.ts'
import { ProcessorPipeline } from '../composition/processor-pipeline.ts'
import { when } from '../composition/when.ts'
import { whileModelRuns } from '../composition/while-model-runs.ts'
import { MillraceError } from '../errors.ts'
import { HOOK_NAMES, type HookName } from '../hook-name.ts'
import { userMessage } from '../messages/input.ts'
import { InMemoryRunStore } from '../storage/in-memory-run-store.ts'
import { tool } from '../tools/tool.ts'
import type { Processor } from './processor.ts'

const usage = { inputTokenDetails: {}, outputTokenDetails: {} }

/** A run in which every hook is called, with a tool that counts its calls. */
async function runWith(
  processors: readonly Processor[],
  way: 'generate' | 'stream' | 'resume',
  { fails = false } = {},
): Promise<{ error: unknown; executed: number; text: string | undefined; asked?: string }> {
  let executed = 0
  const pay = tool({
    inputSchema: z.object({}).loose(),
    needsApproval: way === 'resume',
    execute: () => {
      executed++
      return 'paid'
    },
  })
  const turns = [[text('One.'), toolCall('pay', { to: 'Ada' })], 'Two.']
  const model = new ScriptedModel(fails ? [[fail()], ...turns] : turns, { repeat: 'last' })
  const storage = new InMemoryRunStore()
  const agent = new Agent({
    model,
    processors,
    tools: { pay },
    storage,
    maxSteps: 3,
    modelSettings: { maxRetries: 0 },
  })
  try {
    if (way === 'generate') {
      const { text } = await agent.generate('Hi')
      return { error: undefined, executed, text, asked: JSON.stringify(model.lastPrompt) }
    }
    if (way === 'stream') {
      const stream = agent.stream('Hi')
      for await (const _ of stream.fullStream) {
        // Only read.
      }
      const { text } = await stream.result
      return { error: undefined, executed, text }
    }
    const first = await agent.generate('Hi')
    if (first.status !== 'suspended') return { error: undefined, executed, text: first.text }
    const { text } = await agent.resume(first.runId, { approved: true }).result
    return { error: undefined, executed, text }
  } catch (error) {
    return { error, executed, text: undefined }
  }
}

function returning(hook: HookName, value: unknown, id = 'faulty'): Processor {
  return { id, [hook]: () => value } as Processor
}

describe('an invalid decision', () => {
  class Denial {
    deny = 'No.'
  }
  const verdicts: [string, unknown, string][] = [
    ['an unknown key', { denied: 'no' }, "'denied'"],
    ['another unknown key', { allow: false }, "'allow'"],
    ['a list', [{ deny: 'no' }], 'a list'],
    ['an instance of a class', new Denial(), 'an instance of Denial'],
    ['a Date', new Date(0), 'an instance of Date'],
    ['an inherited key', Object.create({ deny: 'no' }), 'an instance of Object'],
    ['nothing to do', {}, "'deny'"],
    ['a reason that is no string', { deny: 7 }, "'deny'"],
    ['no reason', { deny: undefined }, "'deny'"],
    ['two things at once', { deny: 'no', input: {} }, 'mutually exclusive'],
    ['a promise within', { input: Promise.resolve({}) }, "a promise as 'input'"],
    ['a promise deep within', { output: { all: [Promise.resolve(1)] } }, "a promise as 'output'"],
    ['a function', { output: () => 'paid' }, "a function as 'output'"],
    ['a list with a hole', { output: new Array(3) }, "'output'"],
    ['a boolean', false, 'a boolean'],
    ['a string', 'deny', 'a string'],
    ['a symbol as key', { [Symbol('deny')]: 'no' }, 'Symbol(deny)'],
    [
      'a getter that throws',
      {
        get deny() {
          throw new Error('secret')
        },
      },
      'cannot be read',
    ],
  ]

  test.each(verdicts)('%s fails the run before the tool is executed', async (_, verdict, what) => {
    for (const way of ['generate', 'stream', 'resume'] as const) {
      for (const wrap of [(one: Processor) => one, (one: Processor) => parallel(one), always]) {
        const { error, executed } = await runWith([wrap(returning('processToolCall', verdict))], way)
        expect(error).toMatchObject({ code: 'PROCESSOR_RESULT_INVALID' })
        const { message } = error as Error
        expect(message).toContain("'faulty'")
        expect(message).toContain('processToolCall')
        expect(message).toContain(what)
        expect(message).toContain('{ input }, { deny: string } and { output }')
        expect(message).not.toContain('secret')
        expect(executed).toBe(0)
      }
    }
  })

  test('is an error even with onError skip', async () => {
    const careless: Processor = { ...returning('processToolCall', { denied: 'no' }), onError: 'skip' }
    for (const processor of [careless, parallel(careless)]) {
      const { error, executed } = await runWith([processor], 'generate')
      expect(error).toMatchObject({ code: 'PROCESSOR_RESULT_INVALID' })
      expect(executed).toBe(0)
    }
  })

  test('is recorded as a failure', async () => {
    const pipeline = new ProcessorPipeline([returning('processToolCall', { denied: 'no' })])
    const call = { toolCallId: 'c', toolName: 'pay', input: {} }
    await expect(pipeline.processToolCall(call)).rejects.toMatchObject({ code: 'PROCESSOR_RESULT_INVALID' })
    expect(pipeline.processors).toMatchObject([{ processorId: 'faulty', action: 'failed' }])
  })

  test.each([
    ['processInput', { message: [] }, "'message'"],
    ['processInput', { systemMessages: ['Be brief.'] }, "'systemMessages[0]'"],
    ['processInput', [{ ...userMessage('Hi'), content: 'Hi' }], "'[0].content'"],
    ['processInput', [{ ...userMessage('Hi'), content: { parts: [{ type: 'text', text: 7 }] } }], '.text'],
    ['processInput', [{ ...userMessage('Hi'), createdAt: 0 }], 'createdAt'],
    ['processInput', new Array(2), 'a hole'],
    ['processInputStep', { system: 'Be brief.' }, "'system'"],
    ['processInputStep', { activeTools: 'pay' }, "'activeTools'"],
    ['processInputStep', { activeTools: [7] }, "'activeTools[0]'"],
    ['processInputStep', { toolChoice: 'never' }, "'toolChoice'"],
    ['processInputStep', { toolChoice: { type: 'tool' } }, "'toolName'"],
    ['processInputStep', { modelSettings: { temperature: '0' } }, "'modelSettings.temperature'"],
    ['processInputStep', { providerOptions: { openai: 'low' } }, "'providerOptions.openai'"],
    ['processInputStep', { structuredOutput: { schema: 'x' } }, "'structuredOutput.schema'"],
    ['processInputStep', { model: 7 }, "'model'"],
    ['processInputStep', { tools: [] }, "'tools'"],
    ['processInputStep', { tools: { pay: { execute: () => 1 } } }, 'inputSchema'],
    ['processOutputStream', { type: 'text-delta', id: 't', textDelta: 7 }, "'textDelta'"],
    ['processOutputStream', { type: 'text-delta', textDelta: 'x' }, "'id'"],
    ['processOutputStream', { type: 'text' }, 'unknown type'],
    ['processOutputStream', 'text', 'a string'],
    ['processOutputStream', [[]], 'a list'],
    ['processOutputStep', { toolCall: [] }, "'toolCall'"],
    ['processOutputStep', { toolCalls: [{ toolCallId: 'c', toolName: 'pay', args: {} }] }, "'input'"],
    ['processOutputStep', { continue: 7 }, "'continue'"],
    ['processOutputStep', { toolCalls: [], continue: 'More.' }, 'mutually exclusive'],
    ['processExecution', { value: 1, valid: true }, "'valid'"],
    ['processExecution', [], 'a list'],
    ['processToolResult', { error: new Error('no') }, "'error'"],
    ['processToolResult', { result: 1 }, "'result'"],
    ['processToolStep', { finish: 'yes' }, "'finish'"],
    ['processToolStep', { finish: true, text: 7 }, "'text'"],
    ['processOutputResult', { messages: [] }, 'a plain object'],
    ['processOutputResult', 'text', 'a string'],
    ['processDelivery', { type: 'nothing' }, 'unknown type'],
    ['wrapModelCall', [], 'async iterable'],
    ['wrapModelCall', { [Symbol.asyncIterator]: () => ({}) }, 'async iterable'],
    ['wrapModelCall', { [Symbol.asyncIterator]: () => ({ next: () => null }) }, 'async iterable'],
    [
      'wrapModelCall',
      (async function* () {
        yield { type: 'text-delta', id: 't', textDelta: 7 }
      })(),
      "'textDelta'",
    ],
  ] as [HookName, unknown, string][])('from %s: %o', async (hook, value, what) => {
    const { error, executed } = await runWith([returning(hook, value)], 'generate')
    expect(error).toMatchObject({ code: 'PROCESSOR_RESULT_INVALID' })
    expect((error as Error).message).toContain("'faulty'")
    expect((error as Error).message).toContain(hook)
    expect((error as Error).message).toContain(what)
    expect(executed).toBeLessThan(2)
  })

  test.each([
    [{ retry: 'yes' }, "'retry'"],
    [{ retry: true, request: { prompt: 'Hi' } }, "'request.prompt'"],
    [{ retry: true, request: { models: [] } }, "'models'"],
    [{ again: true }, "'again'"],
  ])('from processModelError: %o', async (value, what) => {
    const { error } = await runWith([returning('processModelError', value)], 'generate', { fails: true })
    expect(error).toMatchObject({ code: 'PROCESSOR_RESULT_INVALID' })
    expect((error as Error).message).toContain(what)
  })

  test('of a result is invalid: a key that a result does not have, or a field of another type', async () => {
    for (const change of [
      { Text: '' },
      { text: Promise.resolve('') },
      { steps: 'all' },
      { status: 'done' },
    ]) {
      const processor: Processor = {
        id: 'faulty',
        processDelivery: ({ result }) => (result ? ({ ...result, ...change } as never) : undefined),
      }
      const { error } = await runWith([processor], 'generate')
      expect(error).toMatchObject({ code: 'PROCESSOR_RESULT_INVALID' })
    }
  })

  test('next() of a model call requires a request', async () => {
    for (const request of [undefined, {}, { prompt: 'Hi' }]) {
      const processor: Processor = {
        id: 'faulty',
        wrapModelCall: ({ next, request: given }) =>
          next((request && { ...given, ...request, odd: 1 }) as never),
      }
      const { error } = await runWith([processor], 'generate')
      expect(error).toMatchObject({ code: 'PROCESSOR_RESULT_INVALID' })
    }
  })

  test('a check in parallel with the model may return an empty change, and no other', async () => {
    const empty = await runWith([whileModelRuns(returning('processInputStep', {}))], 'generate')
    expect(empty).toMatchObject({ error: undefined, text: 'Two.' })
    const odd = await runWith([whileModelRuns(returning('processInputStep', { odd: 1 }))], 'generate')
    expect(odd.error).toMatchObject({ code: 'PROCESSOR_RESULT_INVALID' })
  })
})

describe('the validated values are used', () => {
  test('a getter is read once, and a proxy too', async () => {
    let reads = 0
    const evasive = {
      get deny() {
        return reads++ === 0 ? 'No.' : undefined
      },
    }
    expect(await runWith([returning('processToolCall', evasive)], 'generate')).toMatchObject({
      executed: 0,
      text: 'Two.',
    })
    expect(reads).toBe(1)

    let asked = 0
    const proxied = new Proxy({ type: 'text-delta', id: 't', textDelta: 'x' } as Record<string, unknown>, {
      get: (target, key) => (key === 'textDelta' && asked++ > 0 ? 7 : target[key as string]),
    })
    const processor: Processor = {
      id: 'proxies',
      processOutputStream: ({ part }) => (part.type === 'text-delta' ? (proxied as never) : part),
    }
    expect((await runWith([processor], 'generate')).error).toMatchObject({ code: 'PROCESSOR_RESULT_INVALID' })
  })

  test('an object without a prototype is accepted', async () => {
    const plain = Object.assign(Object.create(null), { deny: 'No.' })
    expect(await runWith([returning('processToolCall', plain)], 'generate')).toMatchObject({
      error: undefined,
      executed: 0,
    })
  })

  test('edits of the input chunk are validated too', async () => {
    const processor: Processor = {
      id: 'edits',
      processOutputStream: ({ part }) => {
        if (part.type === 'text-delta') (part as { textDelta: unknown }).textDelta = 5
        return part
      },
    }
    const { error } = await runWith([processor], 'stream')
    expect(error).toMatchObject({ code: 'PROCESSOR_RESULT_INVALID' })
    expect((error as Error).message).toContain("'edits'")
  })

  test('messages that a hook adds to the transcript itself are validated too', async () => {
    const edits: Processor['processInput'][] = [
      ({ messageList }) => void messageList.add({ ...userMessage('x'), content: 'x' as never }, 'context'),
      ({ messages }) => {
        for (const message of messages) message.content.parts = [{ type: 'text', text: 5 as never }]
      },
      ({ messages }) => {
        for (const message of messages) (message as { content: unknown }).content = 'x'
      },
    ]
    for (const processInput of edits) {
      const { error } = await runWith([{ id: 'edits', processInput: processInput as never }], 'generate')
      // The list itself refuses what is no message.
      const code = expect.stringMatching(/^PROCESSOR_(RESULT_INVALID|FAILED)$/)
      expect(error).toMatchObject({ code })
      expect((error as Error).message).toContain("'edits'")
    }
  })
})

test('any result of a hook matches its type, or fails the run', async () => {
  const near = fc.oneof(
    fc.anything({
      maxDepth: 2,
      withDate: true,
      withMap: true,
      withSparseArray: true,
      withNullPrototype: true,
    }),
    fc.dictionary(
      fc.constantFrom(
        ...['input', 'deny', 'output', 'error', 'value', 'finish', 'retry', 'text', 'messages', 'toolCalls'],
        ...[
          'continue',
          'systemMessages',
          'activeTools',
          'toolChoice',
          'model',
          'tools',
          'request',
          'type',
          'id',
        ],
        ...['textDelta', 'messageList', 'modelSettings', 'providerOptions', 'structuredOutput', 'usage'],
      ),
      fc.oneof(
        fc.anything({ maxDepth: 1 }),
        fc.constant(true),
        fc.string(),
        fc.constant(usage),
        fc.constant([userMessage('more')]),
        fc.constant(Promise.resolve(1)),
      ),
      { maxKeys: 3 },
    ),
    fc
      .constantFrom('text-delta', 'tool-call', 'finish', 'step-finish', 'source', 'data-x')
      .chain((type) =>
        fc
          .dictionary(
            fc.constantFrom('id', 'textDelta', 'toolCallId', 'toolName', 'input', 'usage', 'data', 'url'),
            fc.oneof(fc.string(), fc.anything({ maxDepth: 1 })),
          )
          .map((fields) => ({ ...fields, type })),
      ),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...HOOK_NAMES),
      near,
      fc.constantFrom('generate' as const, 'stream' as const, 'resume' as const),
      async (hook, value, way) => {
        const { error, executed, asked } = await runWith([returning(hook, value)], way, {
          fails: hook === 'processModelError',
        })
        if (error !== undefined) {
          expect(MillraceError.isInstance(error)).toBe(true)
          const { code } = error as MillraceError
          // A text that is a model's id, a message without a word, a transcript without a message: valid, and no use.
          const allowed = /^(PROCESSOR_RESULT_INVALID|PROCESSOR_EMPTY_INPUT|MODEL_\w+|RUN_MESSAGE_DUPLICATE)$/
          expect(code).toMatch(allowed)
          if (hook === 'processToolCall') expect(executed).toBe(0)
          if (hook !== 'processInputStep' && hook !== 'wrapModelCall' && hook !== 'processModelError')
            expect(code).not.toMatch(/^MODEL/)
        } else if (asked && !hook.startsWith('processInput') && hook !== 'processModelError') {
          // Nothing of what was said is lost.
          if (hook !== 'wrapModelCall') expect(asked).toContain('Hi')
        }
        if (error === undefined && hook === 'processToolCall' && executed > 0) {
          const isNothing = value === undefined || value === null
          expect(isNothing || Object.hasOwn(value as object, 'input')).toBe(true)
        }
      },
    ),
  )
})

function always(processor: Processor): Processor {
  return when(() => true, processor)
}
