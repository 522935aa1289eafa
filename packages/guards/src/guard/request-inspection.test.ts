import {
  Agent,
  type PipelineAnswerOptions,
  ProcessorPipeline,
  type Schema,
  TripWire,
  tool,
} from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { RegexFilter, type RegexFilterOptions } from '../regex-filter/index.ts'
import type { Finding } from './options.ts'

const KEY = 'KEY-12345678'
const patterns = [/KEY-\d{8}/]

type Prompt = NonNullable<PipelineAnswerOptions['prompt']>

const hello: Prompt = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }]

function schemaOf(jsonSchema: object): Schema {
  return { jsonSchema } as Schema
}

function toolsOf(fields: object, name = 'look'): PipelineAnswerOptions['tools'] & object {
  return { [name]: { inputSchema: schemaOf({ type: 'object' }), ...fields } }
}

/** What the model gets of a request behind a filter. */
async function ask(
  options: PipelineAnswerOptions,
  filter: Partial<RegexFilterOptions> = {},
): Promise<ScriptedModel['calls'][number] | undefined> {
  const model = new ScriptedModel(['Yes.'])
  const guard = new RegexFilter({ patterns, strategy: 'redact', ...filter })
  await new ProcessorPipeline([guard]).answer({ prompt: hello, model, write: () => undefined, ...options })
    .end
  return model.calls[0]
}

async function refusalOf(
  options: PipelineAnswerOptions,
  filter?: Partial<RegexFilterOptions>,
): Promise<string> {
  const error = await ask(options, filter).catch((thrown: unknown) => thrown)
  if (!TripWire.isInstance(error)) throw new Error('The request was not refused.', { cause: error })
  return error.reason
}

describe('a guard behind a request of another program redacts', () => {
  test('system messages, each and over the boundary of two', async () => {
    const asked = await ask({
      prompt: [
        { role: 'system', content: `It is ${KEY}.` },
        { role: 'system', content: 'Also KEY-1234' },
        ...hello,
        { role: 'system', content: '5678, of course.' },
      ],
    })
    expect(asked?.prompt).toEqual([
      { role: 'system', content: 'It is [REDACTED].' },
      { role: 'system', content: 'Also [REDACTED]' },
      ...hello,
      { role: 'system', content: ', of course.' },
    ])
  })

  test('the descriptions, defaults and examples of a schema', async () => {
    const schema = {
      type: 'object',
      title: KEY,
      properties: {
        description: { type: 'string', description: `Such as ${KEY}`, default: KEY, examples: [KEY] },
        list: { type: 'array', items: { anyOf: [{ $comment: KEY }] } },
      },
    }
    const left = JSON.parse(JSON.stringify(schema).replaceAll(KEY, '[REDACTED]'))
    const asked = await ask({
      tools: toolsOf({
        inputSchema: schemaOf(schema),
        description: KEY,
        inputExamples: [{ input: { a: KEY } }],
      }),
      structuredOutput: { schema: schemaOf(schema), description: KEY },
    })
    expect(asked?.tools).toMatchObject([
      { description: '[REDACTED]', inputSchema: left, inputExamples: [{ input: { a: '[REDACTED]' } }] },
    ])
    expect(asked?.responseFormat).toMatchObject({ schema: left, description: '[REDACTED]' })
  })

  test('stop sequences, settings of others and options of the provider', async () => {
    const asked = await ask({
      modelSettings: { stopSequences: ['END', KEY], seed: 12345678, ...{ own: { text: KEY } } },
      providerOptions: { acme: { user: KEY, list: [KEY] } },
    })
    expect(asked).toMatchObject({
      stopSequences: ['END', '[REDACTED]'],
      seed: 12345678,
      own: { text: '[REDACTED]' },
      providerOptions: { acme: { user: '[REDACTED]', list: ['[REDACTED]'] } },
    })
  })

  test('the address of a file, which stays an address', async () => {
    for (const [url, left] of [
      [`https://cdn.example.com/${KEY}/a.png`, 'https://cdn.example.com/[REDACTED]/a.png'],
      ['https://cdn.example.com/K%45Y-12345678.png', 'https://cdn.example.com/%5BREDACTED%5D.png'],
      [`https://${KEY}.example.com/`, 'https://redacted.invalid/'],
    ] as const) {
      const data = { type: 'url' as const, url: new URL(url) }
      const asked = await ask(
        {
          prompt: [{ role: 'user', content: [{ type: 'file', mediaType: 'image/png', data }] }],
        },
        { patterns: [/key-\d{8}/i] },
      )
      expect(JSON.stringify(asked?.prompt)).toContain(new URL(left).href)
    }
  })
})

describe('a guard behind a request of another program refuses a finding', () => {
  const requests: Record<string, PipelineAnswerOptions> = {
    'the name of a tool': { tools: toolsOf({}, KEY) },
    'the name of a property': {
      tools: toolsOf({ inputSchema: schemaOf({ properties: { [KEY]: {} } }) }),
    },
    'an enum': { tools: toolsOf({ inputSchema: schemaOf({ properties: { a: { enum: ['a', KEY] } } }) }) },
    'a constant that is an object': {
      tools: toolsOf({ inputSchema: schemaOf({ const: { description: KEY } }) }),
    },
    'a pattern': { tools: toolsOf({ inputSchema: schemaOf({ pattern: KEY }) }) },
    'a keyword that has numbers': {
      tools: toolsOf({ inputSchema: schemaOf({ properties: { a: { maxItems: KEY } } }) }),
    },
    'a keyword of nobody': { structuredOutput: { schema: schemaOf({ 'x-own': [{ a: KEY }] }) } },
    'a key of a default': { tools: toolsOf({ inputSchema: schemaOf({ default: { [KEY]: 1 } }) }) },
    'the arguments of a tool of the provider': {
      tools: toolsOf({ type: 'provider', id: 'a.b', args: { to: KEY } }),
    },
    'the name of an answer': { structuredOutput: { schema: schemaOf({}), name: KEY } },
    'the choice of a tool': { tools: toolsOf({}), toolChoice: { type: 'tool', toolName: KEY } },
    'a header': { modelSettings: { headers: { 'x-user': KEY } } },
    'a key of the provider options': { providerOptions: { acme: { [KEY]: true } } },
    'the id of a call': {
      prompt: [
        ...hello,
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: KEY, toolName: 'look', input: {} }] },
        {
          role: 'tool',
          content: [
            { type: 'tool-result', toolCallId: KEY, toolName: 'look', output: { type: 'text', value: 'a' } },
          ],
        },
      ],
    },
    'the reference of a file': {
      prompt: [
        {
          role: 'user',
          content: [
            {
              type: 'file',
              mediaType: 'image/png',
              data: { type: 'reference', reference: { acme: KEY } },
            },
          ],
        },
      ],
    },
  }

  test.each(Object.entries(requests))('in %s, which it cannot change', async (_, request) => {
    expect(await refusalOf(request)).toContain('A pattern was found in the input')
    expect(await refusalOf(request, { strategy: 'block' })).toContain('A pattern was found in the input')
    const findings: Finding[] = []
    const asked = await ask(request, { strategy: 'warn', onDetection: (finding) => findings.push(finding) })
    expect(JSON.stringify(asked)).toContain(KEY)
    expect(findings[0]).toMatchObject({ surface: 'input', strategy: 'warn' })
  })

  test('with a halt as its answer', async () => {
    const model = new ScriptedModel([])
    const guard = new RegexFilter({ patterns, strategy: 'halt', response: 'No.' })
    const chunks: string[] = []
    await new ProcessorPipeline([guard]).answer({
      prompt: [{ role: 'system', content: KEY }, ...hello],
      model,
      write: (chunk) => void (chunk.type === 'text-delta' && chunks.push(chunk.textDelta)),
    }).end
    expect(chunks.join('')).toBe('No.')
  })
})

test('a guard that finds nothing in a request changes nothing of it', async () => {
  const seen: unknown[] = []
  const settings = {
    tools: toolsOf({ description: 'Looks', inputSchema: schemaOf({ properties: { a: { default: 'b' } } }) }),
    modelSettings: { stopSequences: ['END'], headers: { 'x-user': 'ada' } },
    providerOptions: { acme: { user: 'ada' } },
    structuredOutput: { schema: schemaOf({ title: 'Answer' }), description: 'The answer' },
  }
  const guard = new RegexFilter({ patterns, strategy: 'redact' })
  const pipeline = new ProcessorPipeline([guard])
  const prompt: Prompt = [
    { role: 'system', content: 'Be brief.', providerOptions: { acme: { a: 'b' } } },
    ...hello,
  ]
  const model = new ScriptedModel(['Yes.'])
  await pipeline.answer({ prompt, model, write: (chunk) => void seen.push(chunk), ...settings }).end
  expect(pipeline.processors.map(({ action }) => action)).not.toContain('changed')
})

test('a guard that filters leaves out the system message with a finding', async () => {
  const asked = await ask(
    { prompt: [{ role: 'system', content: KEY }, { role: 'system', content: 'Be brief.' }, ...hello] },
    { strategy: 'filter' },
  )
  expect(asked?.prompt).toEqual([{ role: 'system', content: 'Be brief.' }, ...hello])
})

test('a guard leaves the credentials of a request, and what is not on its surfaces', async () => {
  const headers = { authorization: `Bearer ${KEY}`, 'x-api-key': KEY }
  expect((await ask({ modelSettings: { headers } }))?.headers).toEqual(headers)
  const prompt: Prompt = [{ role: 'system', content: KEY }, ...hello]
  expect((await ask({ prompt }, { surfaces: ['answer'] }))?.prompt).toEqual(prompt)
})

test('a guard in an agent leaves the instructions and tools of the application', async () => {
  const model = new ScriptedModel(['Yes.'])
  const look = tool({ description: KEY, inputSchema: z.object({ [KEY]: z.string() }) })
  const processors = [new RegexFilter({ patterns, strategy: 'block' })]
  const agent = new Agent({ name: 'a', model, instructions: KEY, tools: { look }, processors })
  expect((await agent.generate('Hello')).text).toBe('Yes.')
  expect(JSON.stringify(model.calls[0]?.prompt)).toContain(KEY)
})
