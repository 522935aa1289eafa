import { Agent, type AgentInput, type MillraceError, type Processor, tool } from '@millrace/core'
import type { Entity, EntityFinder, Finding, Surface } from '@millrace/guards/guard'
import { collect, reasoning, ScriptedModel, type ScriptPart, text, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { PIIDetector, type PIIDetectorOptions } from './pii-detector.ts'

expect.extend(matchers)

const name = 'Ada Lovelace'

/** Asks nobody: every place where the name stands. */
const entities: EntityFinder = async ({ text }) =>
  [...text.matchAll(/Ada Lovelace/g)].map(({ index }) => ({
    type: 'name',
    start: index,
    end: index + name.length,
  }))

const memory: Processor = {
  id: 'memory',
  processInput: ({ messageList }) => {
    messageList.add(
      {
        id: 'old',
        role: 'assistant',
        content: { parts: [{ type: 'text', text: `${name} came.` }] },
        createdAt: new Date(0),
      },
      'remembered',
    )
    return messageList
  },
}

const tools = {
  echo: tool({ inputSchema: z.any(), execute: () => 'done' }),
  leak: tool({ inputSchema: z.object({}), execute: () => ({ rows: [{ who: name, [name]: 1 }] }) }),
  fail: tool({
    inputSchema: z.object({}),
    execute: () => {
      throw new Error(`no user ${name}`)
    },
  }),
}

interface Case {
  surface: Surface
  turns: (ScriptPart | string)[][]
  input?: AgentInput
  output?: z.ZodType
  others?: Processor[]
}

const cases: Case[] = [
  { surface: 'input', input: `I am ${name}`, turns: [['ok']] },
  { surface: 'history', turns: [['ok']], others: [memory] },
  {
    surface: 'tool-input',
    turns: [[toolCall('echo', { to: { [name]: [`x ${name}`] } }, { chunkSize: 3 })], ['ok']],
  },
  { surface: 'tool-result', turns: [[toolCall('leak', {})], ['ok']] },
  { surface: 'tool-result', turns: [[toolCall('fail', {})], ['ok']] },
  { surface: 'reasoning', turns: [[reasoning(`She is ${name}.`, { chunkSize: 2 }), 'ok']] },
  {
    surface: 'object',
    turns: [[text(JSON.stringify({ who: name }).replace('v', '\\u0076'), { chunkSize: 3 })]],
    output: z.object({ who: z.string() }),
  },
  { surface: 'answer', turns: [[text(`Ask ${name}.`, { chunkSize: 2 })]] },
]

async function play(
  { turns, input = 'hi', output, others = [] }: Case,
  { options, how }: { options: PIIDetectorOptions; how: 'generate' | 'stream' },
) {
  const model = new ScriptedModel(turns, { repeat: 'last' })
  const processors = [...others, new PIIDetector({ entities, ...options })]
  const agent = new Agent({ name: 'a', model, tools, processors })
  const chosen = output ? { output } : {}
  if (how === 'generate') return { result: await agent.generate(input, chosen), chunks: [], model }
  const stream = agent.stream(input, chosen)
  const chunks = await collect(stream.fullStream)
  return { result: await stream.result, chunks, model }
}

describe.each(['generate', 'stream'] as const)('what a callback finds, in %s', (how) => {
  test.each(cases)('is redacted in $surface', async (each) => {
    const findings: Finding[] = []
    const onDetection = (finding: Finding) => findings.push(finding)
    const { result, chunks, model } = await play(each, { options: { redaction: 'type', onDetection }, how })
    expect(result.status).toBe('completed')
    const prompts = model.calls.map(({ prompt }) => prompt)
    for (const part of ['Lovelace', 'Ada']) expect([result, chunks, prompts]).toLeakNothingOf(part)
    expect(JSON.stringify([result.steps, prompts])).toContain('[NAME]')
    expect(findings.length).toBeGreaterThan(0)
    for (const finding of findings) {
      expect(finding).toMatchObject({ type: 'name', surface: each.surface, recognizer: 'entities', score: 1 })
      expect(finding.end - finding.start).toBe(name.length)
    }
  })

  test.each(cases)('blocks in $surface', async (each) => {
    const { result, chunks, model } = await play(each, { options: { strategy: 'block' }, how })
    if (each.surface === 'history') expect(model.lastPrompt).toHaveLength(1)
    else
      expect(result).toMatchObject({ status: 'tripwire', rejection: { metadata: { surface: each.surface } } })
    for (const part of ['Lovelace', 'Ada']) expect([result, chunks]).toLeakNothingOf(part)
  })

  test.each(cases)('is reported with warn and changes nothing in $surface', async (each) => {
    const findings: Finding[] = []
    const onDetection = (finding: Finding) => findings.push(finding)
    const { result, chunks } = await play(each, { options: { strategy: 'warn', onDetection }, how })
    const plain = await play(each, { options: { entities: () => [] }, how })
    expect(result.text).toBe(plain.result.text)
    expect(findings.map(({ surface }) => surface)).toContain(each.surface)
    if (how === 'generate') return
    const deltas = chunks.filter(({ type }) => type === 'text-delta')
    if (each.surface === 'answer') expect(deltas.length).toBeGreaterThan(3)
  })

  test('is restored with tokenize', async () => {
    const model = new ScriptedModel([
      ({ prompt }) => [text(`Hello ${/\[NAME_\w+\]/.exec(JSON.stringify(prompt))?.[0]}`, { chunkSize: 3 })],
    ])
    const processors = [new PIIDetector({ entities, redaction: 'tokenize' })]
    const agent = new Agent({ name: 'a', model, processors })
    const input = `I am ${name}`
    const { text: answer } =
      how === 'generate' ? await agent.generate(input) : await agent.stream(input).result
    expect(answer).toBe(`Hello ${name}`)
    expect(model.calls.map(({ prompt }) => prompt)).toLeakNothingOf('Lovelace')
  })
})

async function seen(input: string, options: PIIDetectorOptions): Promise<string> {
  const model = new ScriptedModel(['ok'])
  await new Agent({ name: 'a', model, processors: [new PIIDetector(options)] }).generate(input)
  const last = model.lastPrompt?.at(-1)?.content[0]
  return typeof last === 'object' && last.type === 'text' ? last.text : ''
}

/** The error a run fails with, and its cause. */
async function failure(find: EntityFinder): Promise<MillraceError> {
  return await seen('I am Ada Lovelace', { entities: find }).then(
    () => expect.unreachable(),
    (error) => error,
  )
}

describe('entities', () => {
  test('stand beside what recognizers find; within one of those they say nothing', async () => {
    const input = 'Ada Lovelace, ada@example.com'
    const found = async ({ text }: { text: string }): Promise<Entity[]> =>
      text === input
        ? [
            { type: 'name', start: 14, end: 17 },
            { type: 'name', start: 0, end: 12 },
          ]
        : []
    expect(await seen(input, { redaction: 'type', entities: found })).toBe('[NAME], [EMAIL]')
  })

  test('count from the threshold on', async () => {
    const entities =
      (score: number): EntityFinder =>
      ({ text }) =>
        text === 'Ada' ? [{ type: 'name', start: 0, end: 3, score }] : []
    expect(await seen('Ada', { entities: entities(0.4) })).toBe('Ada')
    expect(await seen('Ada', { entities: entities(0.4), threshold: 0.4 })).toBe('[REDACTED]')
  })

  test('are asked for once per text, with the signal of the run', async () => {
    const asked: string[] = []
    const signals: AbortSignal[] = []
    const find: EntityFinder = ({ text, abortSignal }) => {
      asked.push(text)
      signals.push(abortSignal)
      return []
    }
    const model = new ScriptedModel([[toolCall('echo', { a: 'one' }, { chunkSize: 2 })], ['two']])
    const agent = new Agent({ model, tools, processors: [memory, new PIIDetector({ entities: find })] })
    await agent.generate('hi')
    // The last one is what goes over from the remembered answer to that of this run.
    const over = `${name} came.two`
    expect(asked.sort()).toEqual([`${name} came.`, over, 'a', 'done', 'hi', 'one', 'two'])
    for (const signal of signals) expect(signal).toBeInstanceOf(AbortSignal)
  })

  test('hold a text back until the response is complete, and only then', async () => {
    const play = async (options: PIIDetectorOptions) => {
      const order: string[] = []
      const note =
        (name: string): NonNullable<Processor['processOutputStream']> =>
        ({ part }) => {
          if (part.type === 'text-delta' || part.type === 'response-end') order.push(`${name} ${part.type}`)
          return part
        }
      const model = new ScriptedModel([[text('It was a dark and stormy night.', { chunkSize: 16 })]])
      const before: Processor = { id: 'before', processOutputStream: note('in') }
      const after: Processor = { id: 'after', processOutputStream: note('out') }
      const agent = new Agent({ model, processors: [before, new PIIDetector(options), after] })
      expect((await agent.generate('hi')).text).toBe('It was a dark and stormy night.')
      return order.indexOf('out text-delta') > order.indexOf('in response-end')
    }
    expect(await play({ entities: () => [] })).toBe(true)
    expect(await play({})).toBe(false)
  })

  test('fail the run where the callback throws, and keep what recognizers find with onError skip', async () => {
    const find: EntityFinder = () => {
      throw new Error('offline')
    }
    expect(await failure(find)).toMatchObject({ code: 'PROCESSOR_FAILED', cause: { message: 'offline' } })
    const detector = new PIIDetector({ entities: find, onError: 'skip' })
    for (const how of ['generate', 'stream'] as const) {
      const model = new ScriptedModel([[text('Write to jo@example.com or Ada.', { chunkSize: 3 })]])
      const agent = new Agent({ model, processors: [detector] })
      const result = how === 'generate' ? await agent.generate('hi') : await agent.stream('hi').result
      expect(result.text).toBe('Write to ***@***.*** or Ada.')
      expect(result.warnings).toContainEqual(
        expect.objectContaining({ type: 'processor-skipped', hook: 'processOutputStream' }),
      )
    }
  })

  test.each<[string, unknown]>([
    ['start -1', [{ type: 'name', start: -1, end: 3 }]],
    ['end 99', [{ type: 'name', start: 0, end: 99 }]],
    ['start 3 and end 3', [{ type: 'name', start: 3, end: 3 }]],
    ['start 0.5', [{ type: 'name', start: 0.5, end: 3 }]],
    ['score 2', [{ type: 'name', start: 0, end: 3, score: 2 }]],
    ['type', [{ type: '', start: 0, end: 3 }]],
    ['value of type string', 'Ada'],
    ['value of type undefined', undefined],
  ])('refuse a wrong %s', async (what, returned) => {
    const error = await failure(() => returned as Entity[])
    expect(error).toMatchObject({ code: 'PROCESSOR_FAILED', cause: { code: 'PROCESSOR_RESULT_INVALID' } })
    const message = (error.cause as Error).message
    expect(message).toContain("'pii-detector'")
    expect(message).toContain('entities')
    expect(message).toContain(what)
    expect(message).not.toContain('Ada')
  })

  test('refuse what is no function when the detector is made', () => {
    expect(() => new PIIDetector({ entities: [] as unknown as EntityFinder })).toThrow(/entities/)
  })
})
