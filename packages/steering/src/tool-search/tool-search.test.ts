import { Agent, type Message, type Processor, tool } from '@millrace/core'
import { InMemoryRunStore } from '@millrace/core/storage'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { ToolIndex } from './tool-index.ts'
import { ToolSearch, type ToolSearchOptions } from './tool-search.ts'

expect.extend(matchers)

const described = (description: string, shape: z.ZodRawShape = {}) =>
  tool({ description, inputSchema: z.object(shape), execute: () => 'done' })
const catalogue = {
  create_invoice: described('Writes a bill for a customer', { amount: z.number() }),
  listInvoices: described('Lists bills of a customer'),
  weather_forecast: described('Says how the weather will be', { city: z.string().describe('A town') }),
  send_email: described('Sends a message to somebody', { recipient: z.string() }),
  HTTPRequest: described('Fetches a page'),
}
const shown = ({ calls }: ScriptedModel) => calls.map(({ tools }) => tools?.map(({ name }) => name).sort())
const search = (query: string) => toolCall('search_tools', { query })

function build(
  script: ConstructorParameters<typeof ScriptedModel>[0],
  options: Partial<ToolSearchOptions> & { processors?: Processor[]; storage?: InMemoryRunStore } = {},
) {
  const { processors = [], storage = new InMemoryRunStore(), ...others } = options
  const model = new ScriptedModel(script)
  const processor = new ToolSearch({ tools: catalogue, ...others })
  const tools = { ...processor.tools, always: described('Is always there') }
  const agent = new Agent({ model, tools, storage, processors: [processor, ...processors] })
  return { model, agent, processor }
}

test('shows only the search, and the tools it found from the next step on', async () => {
  const { model, agent } = build([
    search('write an invoice'),
    toolCall('create_invoice', { amount: 20 }),
    search('weather in a town'),
    'Answer',
  ])
  const result = await agent.generate('Go')
  expect(shown(model)).toEqual([
    ['always', 'search_tools'],
    ['always', 'create_invoice', 'listInvoices', 'search_tools'],
    ['always', 'create_invoice', 'listInvoices', 'search_tools'],
    ['always', 'create_invoice', 'listInvoices', 'search_tools', 'weather_forecast'],
  ])
  expect(result.steps[0]?.toolResults[0]).toMatchObject({
    output: {
      tools: [
        { name: 'create_invoice', description: 'Writes a bill for a customer' },
        { name: 'listInvoices', description: 'Lists bills of a customer' },
      ],
    },
  })
  expect(result.steps[1]?.toolResults).toMatchObject([{ status: 'success', output: 'done' }])
  for (const { prompt } of model.calls) expect(prompt).toPairEveryToolCall()
})

test('does not execute a tool that was not found', async () => {
  const { agent } = build([[search('invoice'), toolCall('send_email', { recipient: 'a' })], 'Answer'])
  const { steps } = await agent.generate('Go')
  expect(steps[0]?.toolResults.map(({ status }) => status)).toEqual(['success', 'error'])
})

test('starts each run without found tools, also concurrent ones', async () => {
  const words = ['invoice', 'weather', 'email']
  const { agent } = build((_, index) => (index < 3 ? search(words[index] ?? '') : 'Answer'))
  const results = await Promise.all(words.map(() => agent.generate('Go')))
  for (const [index, { steps }] of results.entries()) {
    const found = steps[1]?.request.tools.filter((name) => !['always', 'search_tools'].includes(name)) ?? []
    expect(found.length).toBeGreaterThan(0)
    for (const name of found) expect(name.toLowerCase()).toContain(words[index])
  }
})

test('shows tools that were called earlier in the conversation', async () => {
  const { model, agent } = build(['Answer'])
  const before: Message = {
    id: 'before',
    role: 'assistant',
    content: {
      parts: [
        { type: 'tool-send_email', toolCallId: 'old', state: 'output-available', input: {}, output: 'sent' },
      ],
    },
    createdAt: new Date(0),
  }
  const now: Message = {
    ...before,
    id: 'now',
    role: 'user',
    content: { parts: [{ type: 'text', text: 'Again' }] },
  }
  await agent.generate([before, now], { trusted: true })
  expect(shown(model)[0]).toContain('send_email')
})

const asksAbout = (name: string): Processor => ({
  id: 'asks',
  processToolCall: ({ toolCall, suspend, resumeData }) => {
    if (toolCall.toolName === name && resumeData === undefined) suspend()
  },
})

test('keeps found tools over a suspension', async () => {
  const storage = new InMemoryRunStore()
  const processors = [asksAbout('send_email')]
  const first = build([search('email'), toolCall('send_email', { recipient: 'a' })], { storage, processors })
  const { suspension } = await first.agent.generate('Go')
  const second = build(['Answer'], { storage, processors })
  const result = await second.agent.resume(suspension?.runId ?? '', 'on')
  expect(result.steps[1]?.toolResults).toMatchObject([{ status: 'success' }])
  expect(shown(second.model)).toEqual([['always', 'search_tools', 'send_email']])
})

test('searches in a run that was suspended at the search itself', async () => {
  const storage = new InMemoryRunStore()
  const processor = new ToolSearch({ tools: catalogue })
  const processors = [asksAbout('search_tools'), processor]
  const agent = (model: ScriptedModel) => new Agent({ model, tools: processor.tools, storage, processors })
  const { suspension } = await agent(new ScriptedModel([search('weather')])).generate('Go')
  const model = new ScriptedModel(['Answer'])
  expect(await agent(model).resume(suspension?.runId ?? '', 'on')).toHaveText('Answer')
  expect(shown(model)).toEqual([['search_tools', 'weather_forecast']])
})

test('adds its tools if the agent does not have them', async () => {
  const model = new ScriptedModel([
    search('weather'),
    toolCall('weather_forecast', { city: 'Oslo' }),
    'Answer',
  ])
  const agent = new Agent({ model, processors: [new ToolSearch({ tools: catalogue })] })
  const { steps } = await agent.generate('Go')
  expect(shown(model)[0]).toEqual(['search_tools'])
  expect(steps[1]?.toolResults).toMatchObject([{ status: 'success' }])
})

test('shows no tool that the agent has deactivated', async () => {
  const model = new ScriptedModel([search('weather invoice'), 'Answer'])
  const processor = new ToolSearch({ tools: catalogue })
  const agent = new Agent({
    model,
    tools: processor.tools,
    activeTools: ['search_tools', 'create_invoice'],
    processors: [processor],
  })
  await agent.generate('Go')
  expect(shown(model)).toEqual([['search_tools'], ['create_invoice', 'search_tools']])
})

test.each<[string, string[]]>([
  ['create invoice', ['create_invoice', 'listInvoices']],
  ['invoices', ['listInvoices', 'create_invoice']],
  ['bills of a customer', ['listInvoices', 'create_invoice']],
  ['amount', ['create_invoice']],
  ['town', ['weather_forecast']],
  ['FORECASTS', ['weather_forecast']],
  ['http', ['HTTPRequest']],
  ['the and of', []],
  ['', []],
  ['zebra', []],
])('finds by %j: %j', (query, names) => {
  expect(new ToolIndex(catalogue).search(query, 5).map(({ name }) => name)).toEqual(names)
})

test('rejects a tool with the name of the search, and reports a missing processor', async () => {
  expect(() => new ToolSearch({ tools: { search_tools: catalogue.HTTPRequest } })).toThrow(
    "One of the tools is named 'search_tools'",
  )
  const model = new ScriptedModel([search('weather'), 'Answer'])
  const { steps } = await new Agent({ model, tools: new ToolSearch({ tools: catalogue }).tools }).generate(
    'Go',
  )
  expect(steps[0]?.toolResults).toMatchObject([
    { status: 'error', error: expect.stringContaining("Put the ToolSearch into the agent's processors") },
  ])
})
