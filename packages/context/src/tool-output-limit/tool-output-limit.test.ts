import { Agent, type AgentOptions, type Processor, type ToolSet, tool } from '@millrace/core'
import { InMemoryRunStore } from '@millrace/core/storage'
import { PIIDetector } from '@millrace/pii'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { countTokens } from '@millrace/tokens'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  InMemoryToolOutputs,
  type ToolOutputCutEvent,
  type ToolOutputKey,
  ToolOutputLimit,
  type ToolOutputLimitOptions,
} from './index.ts'

expect.extend(matchers)

const LOG = Array.from({ length: 2_000 }, (_, line) => `${line}: gate ${line % 7} is open.`).join('\n')
const read = (input: object) => toolCall('read_tool_output', input)
const empty = z.object({})

function build(
  turns: ConstructorParameters<typeof ScriptedModel>[0],
  options: ToolOutputLimitOptions = {},
  { tools, processors = [], ...agentOptions }: Partial<AgentOptions> & { processors?: Processor[] } = {},
) {
  const events: ToolOutputCutEvent[] = []
  const model = new ScriptedModel(turns, { modelId: 'gpt-5' })
  const limit = new ToolOutputLimit({ maxTokens: 300, onCut: (event) => events.push(event), ...options })
  const log = tool({ inputSchema: empty, execute: () => LOG })
  const agent = new Agent({
    model,
    tools: { ...limit.tools, ...(tools ?? { log }) },
    ...agentOptions,
    processors: [...processors, limit],
  })
  return { agent, model, events, limit }
}

interface Part {
  text: string
  end: number
  total: number
}

function partIn(result: unknown): Part {
  return (result as { output: Part }).output
}

function shownValue(message: unknown): unknown {
  return (message as { content: { output?: { value: unknown } }[] }).content[0]?.output?.value
}

/** The output of the call in the prompt, as text. */
function shown({ prompt }: ScriptedModel['lastCall'], place = -1): string {
  const value = shownValue(prompt.at(place))
  return typeof value === 'string' ? value : JSON.stringify(value)
}

test('keeps the beginning and the end of a long output, with a note about the gap', async () => {
  const { agent, model, events } = build([toolCall('log'), 'Done.'])
  const result = await agent.generate('Look')
  const text = shown(model.lastCall)
  expect(text).toMatch(/^0: gate 0 is open\.\n1: /)
  expect(text).toMatch(/1999: gate 4 is open\.$/)
  expect(text).toMatch(
    /\n\[Characters \d+ to \d+ of 42889 are left out\. read_tool_output\(\{"id":"call-1","offset":\d+\}\) reads on\.\]\n/,
  )
  expect(await countTokens(text, { model: 'gpt-5' })).toBeLessThanOrEqual(300)
  expect(result.steps[0]?.toolResults).toMatchObject([{ status: 'success', output: text }])
  expect(events).toEqual([
    {
      processorId: 'tool-output-limit',
      stepNumber: 0,
      toolCallId: 'call-1',
      toolName: 'log',
      total: LOG.length,
      kept: expect.any(Number),
    },
  ])
})

test.each(['head', 'tail'] as const)('keeps only the %s if requested', async (keep) => {
  const { agent, model } = build([toolCall('log'), 'Done.'], { keep })
  await agent.generate('Look')
  const text = shown(model.lastCall)
  expect(text.startsWith('0: gate')).toBe(keep === 'head')
  expect(text.endsWith('is open.')).toBe(keep === 'tail')
})

test('does not change an output at the limit', async () => {
  const exact = 'gate '.repeat(299)
  const same = tool({ inputSchema: empty, execute: () => exact.trim() })
  const { agent, model, events } = build([toolCall('same'), 'Done.'], {}, { tools: { same } })
  await agent.generate('Look')
  expect(shown(model.lastCall)).toBe(exact.trim())
  expect(events).toEqual([])
})

describe('forms of outputs', () => {
  const run = async (tools: ToolSet) => {
    const built = build([toolCall(Object.keys(tools)[0] ?? ''), 'Done.'], {}, { tools })
    const result = await built.agent.generate('Look')
    const content = built.model.lastPrompt.at(-1)?.content as { output: { type: string; value: unknown } }[]
    return { output: content[0]?.output, result, ...built }
  }

  test('objects are cut as their JSON', async () => {
    const rows = tool({ inputSchema: empty, execute: () => ({ lines: LOG.split('\n') }) })
    const { output } = await run({ rows })
    expect(output?.type).toBe('text')
    expect(output?.value).toMatch(/^\{"lines":\["0: gate.*left out.*is open\."\]\}$/s)
  })

  test('errors are cut, and stay errors', async () => {
    const fails = tool({ inputSchema: empty, execute: () => Promise.reject(new Error(LOG)) })
    const { output } = await run({ fails })
    expect(output?.type).toBe('error-text')
    expect(String(output?.value).length).toBeLessThan(2_000)
  })

  test('of content, texts are cut and files are kept', async () => {
    const image = { type: 'image-data', data: 'AAAA', mediaType: 'image/png' }
    const shows = tool({
      inputSchema: empty,
      execute: () => ({ type: 'content', value: [{ type: 'text', text: LOG }, image] }),
    })
    const { output } = await run({ shows })
    expect(output?.type).toBe('content')
    expect(output?.value).toMatchObject([{ type: 'text' }, { type: 'file', mediaType: 'image/png' }])
    expect(JSON.stringify(output).length).toBeLessThan(3_000)
  })

  test.each([
    ['a text', (text: string) => ({ type: 'text', value: text })],
    ['JSON', (text: string) => ({ type: 'json', value: { text } })],
    ['content', (text: string) => ({ type: 'content', value: [{ type: 'text', text }] })],
  ])('the %s result of toModelOutput is cut, and the output stays whole', async (_, toModelOutput) => {
    const views = tool({
      inputSchema: empty,
      execute: () => ({ secret: LOG }),
      toModelOutput: ({ output }) => toModelOutput(output.secret) as never,
    })
    const { output, result } = await run({ views })
    expect(JSON.stringify(output)).toContain('are left out')
    expect(JSON.stringify(output).length).toBeLessThan(3_000)
    expect(result.steps[0]?.toolResults[0]).toMatchObject({ output: { secret: LOG } })
  })
})

describe('the omitted part', () => {
  test('can be read to its end, part by part, and equals the output', async () => {
    let text = ''
    const model = new ScriptedModel(({ prompt }, index) => {
      if (index === 0) return toolCall('log')
      const value = shownValue(prompt.at(-1)) as Partial<Part> | undefined
      if (index === 1) return read({ id: 'call-1' })
      text += value?.text ?? ''
      return value?.total !== undefined && (value.end ?? 0) < value.total
        ? read({ id: 'call-1', offset: value.end })
        : 'Done.'
    })
    const limit = new ToolOutputLimit({ maxTokens: 2_000 })
    const log = tool({ inputSchema: empty, execute: () => LOG })
    const agent = new Agent({ model, tools: { ...limit.tools, log }, processors: [limit], maxSteps: 100 })
    expect(await agent.generate('Look')).toHaveText('Done.')
    expect(text).toBe(LOG)
  })

  test('has whole characters at any boundary', async () => {
    const outputs = '😀'.repeat(2_000)
    const smiles = tool({ inputSchema: empty, execute: () => outputs })
    const parts = fc.record({
      offset: fc.integer({ min: 0, max: 4_100 }),
      length: fc.integer({ min: 1, max: 60 }),
    })
    await fc.assert(
      fc.asyncProperty(parts, async ({ offset, length }) => {
        const { agent } = build(
          [toolCall('smiles'), read({ id: 'call-1', offset, length }), 'Done.'],
          {},
          { tools: { smiles } },
        )
        const { steps } = await agent.generate('Look')
        const { text, end, total } = partIn(steps[1]?.toolResults[0])
        expect(text.isWellFormed()).toBe(true)
        expect(text.length).toBeLessThanOrEqual(length + 1)
        expect(end).toBeLessThanOrEqual(total)
        if (length > 1 && offset < 4_000) expect(text).not.toBe('')
      }),
      { numRuns: 40 },
    )
  })

  test('cannot be read by another run or another resource', async () => {
    const limit = new ToolOutputLimit({ maxTokens: 300 })
    const log = tool({ inputSchema: empty, execute: () => LOG })
    const run = (turns: ConstructorParameters<typeof ScriptedModel>[0], resourceId: string) =>
      new Agent({
        model: new ScriptedModel(turns),
        tools: { ...limit.tools, log },
        processors: [limit],
      }).generate('Look', { threadId: 't', resourceId })
    const [one] = await Promise.all([
      run([toolCall('log'), 'Done.'], 'mill-1'),
      run([toolCall('log'), 'Done.'], 'mill-2'),
    ])
    expect(one.steps[0]?.toolResults[0]?.toolCallId).toBe('call-1')
    const { steps } = await run([read({ id: 'call-1' }), read({ id: '__proto__' }), 'Done.'], 'mill-1')
    for (const { toolResults } of steps.slice(0, 2)) {
      expect(toolResults[0]).toMatchObject({
        output: { error: expect.stringContaining('There is no output') },
      })
    }
  })

  test('is stored as earlier guards left it, and passes later guards when it is read', async () => {
    const secret = `Ask miller@example.com.\n${LOG}\nAsk owner@example.com.`
    const mails = tool({ inputSchema: empty, execute: () => `${LOG}\n${secret}\n${LOG}` })
    const before = build(
      [toolCall('mails'), read({ id: 'call-1', offset: LOG.length, length: 60 }), 'Done.'],
      {},
      {
        tools: { mails },
        processors: [new PIIDetector()],
      },
    )
    await before.agent.generate('Look')
    expect(shown(before.model.lastCall)).toContain('Ask')
    expect(JSON.stringify(before.model.calls)).not.toContain('@example.com')

    const limit = new ToolOutputLimit({ maxTokens: 300 })
    const model = new ScriptedModel([
      toolCall('mails'),
      read({ id: 'call-1', offset: LOG.length, length: 60 }),
      'Done.',
    ])
    const agent = new Agent({
      model,
      tools: { ...limit.tools, mails },
      processors: [limit, new PIIDetector()],
    })
    await agent.generate('Look')
    expect(JSON.stringify(model.lastPrompt.at(-1))).toContain('Ask')
    expect(JSON.stringify(model.calls)).not.toContain('@example.com')
  })

  test('is available after the run was suspended and resumed', async () => {
    const storage = new InMemoryRunStore()
    const asks: Processor = {
      id: 'asks',
      processToolCall: ({ toolCall, suspend, resumeData }) => {
        if (toolCall.toolName === 'read_tool_output' && resumeData === undefined) suspend()
      },
    }
    const { agent } = build(
      [toolCall('log'), read({ id: 'call-1', offset: 100, length: 20 }), 'Done.'],
      {},
      { storage, processors: [asks] },
    )
    const { suspension } = await agent.generate('Look')
    const { steps } = await agent.resume(suspension?.runId ?? '', 'on')
    expect(steps[1]?.toolResults[0]).toMatchObject({
      output: { text: LOG.slice(100, 120), offset: 100, end: 120 },
    })
  })

  test('is not stored with store: false', async () => {
    const { agent, model, limit } = build([toolCall('log'), 'Done.'], { store: false })
    await agent.generate('Look')
    expect(limit.tools).toEqual({})
    expect(model.lastCall.tools?.map(({ name }) => name)).toEqual(['log'])
    expect(shown(model.lastCall)).toContain('are left out.]')
  })

  test('is stored in a custom store by its whole key', async () => {
    const keys: ToolOutputKey[] = []
    const inner = new InMemoryToolOutputs()
    const store = {
      save: async (key: ToolOutputKey, text: string) => {
        keys.push(key)
        inner.save(key, text)
      },
      read: async (key: ToolOutputKey, range: { offset: number; length: number }) => inner.read(key, range),
    }
    const { agent } = build([toolCall('log'), read({ id: 'call-1', length: 5 }), 'Done.'], { store })
    const { steps } = await agent.generate('Look', { threadId: 't', resourceId: 'mill' })
    expect(keys).toEqual([
      { run: expect.stringMatching(/^[\da-f-]{36}$/), toolCallId: 'call-1', resourceId: 'mill' },
    ])
    expect(steps[1]?.toolResults[0]).toMatchObject({ output: { text: LOG.slice(0, 5) } })
  })

  test('is dropped from memory, oldest first, above the limit', () => {
    const outputs = new InMemoryToolOutputs(10)
    const key = (toolCallId: string) => ({ run: 'r', toolCallId, resourceId: undefined })
    outputs.save(key('a'), '12345')
    outputs.save(key('b'), '12345')
    outputs.save(key('b'), '1234')
    outputs.save(key('c'), '12')
    expect(outputs.read(key('a'), { offset: 0, length: 9 })).toBeUndefined()
    expect(outputs.read(key('b'), { offset: 1, length: 2 })).toEqual({ text: '23', length: 4 })
    expect(outputs.read({ ...key('b'), resourceId: 'x' }, { offset: 0, length: 9 })).toBeUndefined()
  })
})

describe('the reading tool', () => {
  test('is added if the agent does not have it, also to the active tools', async () => {
    const model = new ScriptedModel([toolCall('log'), read({ id: 'call-1', length: 4 }), 'Done.'])
    const log = tool({ inputSchema: empty, execute: () => LOG })
    const agent = new Agent({
      model,
      tools: { log },
      activeTools: ['log'],
      processors: [new ToolOutputLimit({ maxTokens: 300 })],
    })
    const { steps } = await agent.generate('Look')
    expect(model.calls[0]?.tools?.map(({ name }) => name)).toEqual(['log', 'read_tool_output'])
    expect(steps[1]?.toolResults[0]).toMatchObject({ output: { text: LOG.slice(0, 4) } })
  })

  test.each([{}, { id: 4 }, { id: 'x', offset: -1 }, { id: 'x', length: 0 }, { id: 'x', length: 1.5 }])(
    'rejects %o',
    async (input) => {
      const { agent } = build([read(input), 'Done.'])
      const { steps } = await agent.generate('Look')
      expect(steps[0]?.toolResults[0]).toMatchObject({ status: 'error' })
    },
  )

  test('throws without its processor, and a tool of the same name is not affected', async () => {
    const { limit } = build([])
    const alone = new Agent({ model: new ScriptedModel([read({ id: 'x' }), 'Done.']), tools: limit.tools })
    expect((await alone.generate('Look')).steps[0]?.toolResults[0]).toMatchObject({
      error: expect.stringContaining("Add the ToolOutputLimit to the agent's processors"),
    })
    const own = tool({ inputSchema: z.object({ id: z.string() }), execute: () => 'mine' })
    const { agent } = build([read({ id: 'x' }), 'Done.'], {}, { tools: { read_tool_output: own } })
    expect((await agent.generate('Look')).steps[0]?.toolResults[0]).toMatchObject({ output: 'mine' })
  })
})

test('shares half of a small context window among the outputs of a step', async () => {
  const log = tool({ inputSchema: empty, execute: () => LOG })
  const brief = tool({ inputSchema: empty, execute: () => 'ok' })
  const { agent, model } = build(
    [[toolCall('brief'), toolCall('log'), toolCall('log'), toolCall('brief'), toolCall('log')], 'Done.'],
    { maxTokens: undefined } as never,
    { tools: { log, brief }, contextWindow: 5_000, modelSettings: { maxOutputTokens: 1_000 } },
  )
  await agent.generate('Look')
  const outputs = model.lastPrompt.at(-1)?.content as { output: { value: string } }[]
  const counts = await Promise.all(outputs.map(({ output }) => countTokens(output.value, { model: 'gpt-5' })))
  expect(counts.reduce((sum, one) => sum + one)).toBeLessThanOrEqual(2_000)
  expect(Math.min(...counts.filter((one) => one > 10))).toBeGreaterThan(400)
  expect(Math.max(...counts)).toBeLessThanOrEqual(1_000)
})

test.each<[object, string]>([
  [{ maxTokens: 0 }, 'maxTokens is 0'],
  [{ keep: 'middle' }, "keep is 'middle'"],
  [{ countTokens: true }, 'countTokens is of type boolean'],
])('throws on %o', (options, message) => {
  expect(() => new ToolOutputLimit(options as never)).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) }),
  )
})
