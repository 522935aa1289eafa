import { Agent, type Message, type MessagePart, type Processor, tool } from '@millrace/core'
import { reasoning, ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { ToolCallFilterProcessor } from './tool-call-filter.ts'

expect.extend(matchers)

const page = tool({ inputSchema: z.object({ page: z.number() }), execute: ({ page }) => `page ${page}` })
const note = tool({ inputSchema: z.object({}), execute: () => 'noted' })
const tools = { read: page, note }

const answered = (toolName: string, toolCallId: string): MessagePart => ({
  type: `tool-${toolName}`,
  toolCallId,
  state: 'output-available',
  input: {},
  output: toolCallId,
})
const said = (text: string): MessagePart => ({ type: 'text', text })
let count = 0
const message = (role: 'user' | 'assistant', ...parts: MessagePart[]): Message => ({
  id: `m-${count++}`,
  role,
  content: { parts },
  createdAt: new Date(0),
})
/** An earlier turn with two tools, and the question that begins this one. */
const history = () => [
  message('user', said('First')),
  message(
    'assistant',
    { type: 'step-start' },
    answered('read', 'old-1'),
    { type: 'step-start' },
    said('Found it.'),
    answered('note', 'old-2'),
    { type: 'step-start' },
    said('Done.'),
  ),
  message('user', said('Second')),
]
const calledIn = (prompt: ScriptedModel['lastPrompt']) =>
  prompt.flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : [])),
  )

test('leaves calls and results of earlier turns out of the prompt, and keeps those of this one', async () => {
  const model = new ScriptedModel([toolCall('read', { page: 1 }), toolCall('note', {}), 'Answer'])
  const agent = new Agent({ model, tools, processors: [new ToolCallFilterProcessor()] })
  const messages = history()
  const result = await agent.generate(messages, { trusted: true })

  expect(model.calls.map(({ prompt }) => calledIn(prompt))).toEqual([[], ['call-1'], ['call-1', 'call-2']])
  for (const { prompt } of model.calls) expect(prompt).toPairEveryToolCall()
  expect(model.lastPrompt.filter(({ role }) => role === 'user')).toHaveLength(2)
  expect(JSON.stringify(model.lastPrompt)).toContain('Found it.')
  expect(result).toHaveText('Answer')
  expect(messages[1]?.content.parts).toHaveLength(7)
})

test('leaves out the named tools only, or those a function selects', async () => {
  const calls = async (exclude: ConstructorParameters<typeof ToolCallFilterProcessor>[0]) => {
    const model = new ScriptedModel(['Answer'])
    await new Agent({ model, tools, processors: [new ToolCallFilterProcessor(exclude)] }).generate(
      history(),
      { trusted: true },
    )
    return calledIn(model.lastPrompt)
  }
  expect(await calls({ exclude: ['read'] })).toEqual(['old-2'])
  expect(await calls({ exclude: ({ toolName }) => toolName === 'note' })).toEqual(['old-1'])
  expect(await calls({ exclude: [] })).toEqual(['old-1', 'old-2'])
  expect(await calls({ olderThan: 2 })).toEqual(['old-2'])
})

test('counts steps back within a turn, and never leaves out the newest calls', async () => {
  const script = Array.from({ length: 5 }, (_, page) => toolCall('read', { page }))
  const model = new ScriptedModel([...script, 'Answer'])
  const agent = new Agent({
    model,
    tools,
    processors: [new ToolCallFilterProcessor({ olderThan: 2, exclude: ['read'] })],
  })
  const result = await agent.generate('Read')
  expect(model.calls.map(({ prompt }) => calledIn(prompt))).toEqual([
    [],
    ['call-1'],
    ['call-1', 'call-2'],
    ['call-2', 'call-3'],
    ['call-3', 'call-4'],
    ['call-4', 'call-5'],
  ])
  expect(result.steps.flatMap(({ toolResults }) => toolResults)).toHaveLength(5)
  expect(result.messages).toPairEveryToolCall()
  expect(
    result.messages.flatMap(({ content }) => content.parts.filter(({ type }) => type === 'tool-read')),
  ).toHaveLength(5)
})

test('removes reasoning that led only to removed calls', async () => {
  const model = new ScriptedModel([
    [reasoning('Let me read.'), toolCall('read', { page: 1 })],
    [reasoning('Both.'), toolCall('read', { page: 2 }), toolCall('note', {})],
    'Answer',
    'Again',
  ])
  const agent = new Agent({
    model,
    tools,
    processors: [new ToolCallFilterProcessor({ exclude: ['read'] })],
  })
  const first = await agent.generate('Read')
  await agent.generate([message('user', said('Read')), ...first.messages, message('user', said('More'))], {
    trusted: true,
  })
  const prompt = JSON.stringify(model.lastPrompt)
  expect(prompt).not.toContain('Let me read.')
  expect(prompt).toContain('Both.')
  expect(calledIn(model.lastPrompt)).toEqual(['call-3'])
  expect(model.lastPrompt).toPairEveryToolCall()
})

test('keeps the calls of a resumed run', async () => {
  const model = new ScriptedModel([toolCall('read', { page: 1 }), toolCall('note', {}), 'Answer'])
  const asks: Processor = {
    id: 'asks',
    processToolCall: ({ toolCall, suspend, resumeData }) => {
      if (toolCall.toolName === 'note' && resumeData === undefined) suspend()
    },
  }
  const agent = new Agent({ model, tools, processors: [new ToolCallFilterProcessor(), asks] })
  const suspended = await agent.generate(history(), { trusted: true })
  const result = await agent.resume(suspended.suspension?.runId ?? '', { go: 'on' })
  expect(result).toBeCompleted()
  expect(calledIn(model.lastPrompt)).toEqual(['call-1', 'call-2'])
})

test('serves several concurrent runs over the same messages', async () => {
  const filter = new ToolCallFilterProcessor({ olderThan: 1 })
  const shared = history()
  const run = async (steps: number) => {
    const model = new ScriptedModel([
      ...Array.from({ length: steps }, (_, page) => toolCall('read', { page })),
      'Answer',
    ])
    await new Agent({ model, tools, processors: [filter] }).generate(shared, { trusted: true })
    return calledIn(model.lastPrompt)
  }
  expect(await Promise.all([run(1), run(3), run(2)])).toEqual([['call-1'], ['call-3'], ['call-2']])
})

test('rejects an invalid number of steps', () => {
  expect(() => new ToolCallFilterProcessor({ olderThan: 0 })).toThrow(
    'olderThan is 0. Use an integer of at least 1.',
  )
})
