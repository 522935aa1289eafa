import { HOOK_NAMES, type HookName, type Processor, type RunResult, tool } from '@millrace/core'
import { TURN_MARK } from '@millrace/memory'
import { PIIDetector } from '@millrace/pii'
import { ApprovalGate } from '@millrace/steering/approval-gate'
import { apiError, collect, reasoning, refuse, ScriptedModel, text, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { PERSONAL } from './guards.ts'
import { besidesCalls, storedMessages } from './messages.ts'
import { recordSpans, Scene } from './scene.ts'

expect.extend(matchers)

beforeAll(recordSpans)

let scene: Scene
beforeEach(() => {
  scene = new Scene()
})
afterEach(() => scene.remove())

const { said, needles } = PERSONAL

const tools = {
  echo: tool({ inputSchema: z.any(), execute: (input) => ({ input }) }),
  leak: tool({ inputSchema: z.object({}), execute: () => ({ rows: [said] }) }),
}

/** Contains the value in all parts. */
function talking(): ScriptedModel {
  return new ScriptedModel([
    [
      reasoning(said, { chunkSize: 9 }),
      text(said, { chunkSize: 9 }),
      toolCall('leak', {}),
      toolCall('echo', { note: said }, { chunkSize: 9 }),
    ],
    [text(said, { chunkSize: 9 })],
  ])
}

const redactions = ['mask', 'tokenize'] as const
const persists = ['turn', 'step'] as const

test.each(redactions)(
  'with %s, a run that is aborted or abandoned at any point stores nothing of it',
  async (redaction) => {
    const detector = new PIIDetector({ redaction })
    const whole = scene.agent({ model: talking(), tools, processors: [detector] })
    const { length } = await collect(whole.stream(said).fullStream)
    expect(length).toBeGreaterThan(30)
    const step = process.env.MILLRACE_THOROUGH === '1' ? 2 : 6
    for (let at = 0; at < length; at += step) {
      const persist = persists[(at / step) % 2] ?? 'turn'
      for (const how of ['aborted', 'left'] as const) {
        const memory = scene.memory({ persist })
        const agent = scene.agent({
          model: talking(),
          tools,
          processors: [detector, memory],
        })
        const abort = new AbortController()
        const thread = { threadId: `${at} ${how}`, resourceId: 'ada' }
        const stream = agent.stream(said, { ...thread, abortSignal: abort.signal })
        let count = 0
        for await (const _ of stream.fullStream) {
          if (count++ < at) continue
          if (how === 'left') break
          abort.abort()
        }
        const { status, text: left } = await stream.result
        expect(['aborted', 'completed']).toContain(status)
        if (redaction === 'mask') expect(left).toLeakNothingOf(needles)
        await agent.close()
        if (status === 'aborted') {
          const stored = await storedMessages(memory, thread)
          const marks = new Set(stored.map(({ content }) => content.metadata?.[TURN_MARK]))
          if (stored.some(({ role }) => role === 'assistant')) expect([...marks]).toEqual(['stopped'])
          else expect([...marks]).toEqual(persist === 'step' && stored.length > 0 ? ['open'] : [])
          expect(stored).toPairEveryToolCall()
          expect(stored).toLeakNothingOf(needles)
        }
      }
    }
    await scene.expectClean(needles)
  },
)

/** Fails in one hook, with an error that quotes the value. */
function broken(hook: HookName, onError: 'fail' | 'skip'): Processor {
  const fail = () => {
    throw new Error(`Cannot parse: ${said}`, { cause: said })
  }
  return { id: 'broken', onError, [hook]: fail }
}

test.each(HOOK_NAMES)(
  'an error in %s, before or after a guard, is stored without the text it quotes',
  async (hook) => {
    const outcomes = new Set<string>()
    const list: Processor[] = [new PIIDetector()]
    for (const onError of ['fail', 'skip'] as const) {
      for (const place of ['first', 'between', 'last'] as const) {
        for (const persist of persists) {
          const memory = scene.memory({ persist })
          const model =
            hook === 'processModelError'
              ? new ScriptedModel([refuse(new Error('down'))], { repeat: 'last' })
              : talking()
          const fails = broken(hook, onError)
          const processors =
            place === 'first'
              ? [fails, ...list, memory]
              : place === 'between'
                ? [...list, fails, memory]
                : [...list, memory, fails]
          const agent = scene.agent({ model, tools, processors, modelSettings: { maxRetries: 0 } })
          const thread = { threadId: `${onError} ${place} ${persist}`, resourceId: 'ada' }
          const stream = agent.stream(said, thread)
          const ended = await stream.result.then(
            ({ status }: RunResult) => status,
            ({ message, stack, code }: Error & { code: string }) => {
              expect([message, stack]).toLeakNothingOf(needles)
              return code
            },
          )
          outcomes.add(ended)
          await agent.close()
          if (ended === 'PROCESSOR_FAILED' && persist === 'turn' && place !== 'last') {
            // Nothing of the answer but the calls that were executed.
            expect(besidesCalls(await storedMessages(memory, thread))).toEqual([])
          }
        }
      }
    }
    if (hook !== 'processModelError') expect(outcomes).toEqual(new Set(['PROCESSOR_FAILED', 'completed']))
    await scene.expectClean(needles)
  },
)

test('the error of a model call is stored without the text that the provider quotes', async () => {
  for (const error of [
    new Error(`Bad prompt: ${said}`),
    apiError({ message: said, responseBody: said, status: 400 }),
  ]) {
    const agent = scene.agent({
      model: new ScriptedModel([refuse(error)], { repeat: 'last' }),
      processors: [new PIIDetector(), scene.memory({ persist: 'step' })],
      modelSettings: { maxRetries: 0 },
    })
    await expect(agent.generate('Hello', { threadId: 'one', resourceId: 'ada' })).rejects.toThrow()
  }
  await scene.expectClean(needles)
})

test.each(persists)('with persist %s, a rejected attempt is stored nowhere', async (persist) => {
  const strict: Processor = {
    id: 'strict',
    processOutputStep: ({ text: answer, abort }) =>
      answer.includes('zqxharbour') ? abort('Leave the address out.', { retry: true }) : undefined,
  }
  const memory = scene.memory({ persist })
  const turns = [
    [text(said), toolCall('leak', {})],
    [text('I look.'), toolCall('echo', {})],
    [reasoning(said), text(said)],
    'Fine.',
  ]
  for (const how of ['generate', 'live', 'step'] as const) {
    const thread = { threadId: how, resourceId: 'ada' }
    const agent = scene.agent({ model: new ScriptedModel(turns), tools, processors: [strict, memory] })
    const stream = agent.stream('Hello', { ...thread, ...(how !== 'generate' && { emit: how }) })
    const chunks = how === 'generate' ? [] : await collect(stream.fullStream)
    const result = await stream.result
    expect(result).toMatchObject({ status: 'completed', text: 'Fine.' })
    expect(result).toLeakNothingOf(needles)
    if (how === 'step') expect(chunks).toLeakNothingOf(needles)
    await agent.close()
    expect((await storedMessages(memory, thread)).map(({ role }) => role)).toEqual(['user', 'assistant'])
  }
  await scene.expectClean(needles)
})

test.each(['mask', 'tokenize'] as const)(
  'with %s, a run that is suspended at a gate continues in another agent on the same file',
  async (redaction) => {
    const given: unknown[] = []
    const send = tool({
      inputSchema: z.object({ note: z.string() }),
      execute: (input) => void given.push(input),
    })
    for (const persist of persists) {
      const model = new ScriptedModel([
        [
          text(said, { chunkSize: 5 }),
          toolCall('send', { note: said }, { chunkSize: 5 }),
          toolCall('leak', {}),
        ],
        [text(said, { chunkSize: 5 })],
      ])
      const detector = new PIIDetector({ redaction })
      const agentOn = (memory: ReturnType<Scene['memory']>) =>
        scene.agent({
          name: 'desk',
          model,
          tools: { ...tools, send },
          processors: [detector, new ApprovalGate({ tools: ['send'] }), memory],
        })
      const thread = { threadId: persist, resourceId: 'ada' }
      const first = agentOn(scene.memory({ persist }))
      const waiting = await first.generate(said, thread)
      expect(waiting.status).toBe('suspended')
      if (redaction === 'mask') expect(waiting).toLeakNothingOf(needles)
      await scene.settled()
      const memory = scene.memory({ persist })
      const second = agentOn(memory)
      const done = await second.resume(waiting.runId, { approved: true }, thread).result
      expect(done.status).toBe('completed')
      if (redaction === 'mask') expect([done, given]).toLeakNothingOf(needles)
      else expect(given.at(-1)).toEqual({ note: said })
      expect((await storedMessages(memory, thread)).length).toBeGreaterThan(1)
    }
    await scene.expectClean(needles)
  },
)
