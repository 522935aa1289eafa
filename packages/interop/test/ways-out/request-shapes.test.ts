import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { RegexFilter } from '@millrace/guards/regex-filter'
import { guardModel } from '@millrace/interop/ai-sdk'
import { ScriptedModel } from '@millrace/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { requests } from './call-options.ts'

const CANARY = 'KEY-12345678'
const sent: string[] = []
const server = createServer(async (request, response) => {
  let body = ''
  for await (const piece of request) body += piece
  sent.push(`${request.url} ${JSON.stringify(request.headers)} ${body}`)
  response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"Enough."}}')
})
let baseURL = ''
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

/** Each request with the canary at the end of one of its texts or keys. */
const shapes = requests.flatMap((request) => {
  const json = JSON.stringify(request)
  return [...json.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(({ index, 0: text }) => {
    const end = index + text.length - 1
    return json.slice(0, end) + CANARY + json.slice(end)
  })
})

function optionsOf(json: string): LanguageModelV4CallOptions {
  return JSON.parse(json, (key, value) => (key === 'url' ? new URL(value) : value))
}

const guard = (strategy: 'block' | 'redact'): RegexFilter =>
  new RegexFilter({ patterns: [/KEY-\d{8}/], strategy })

/** What the provider gets of a request. */
async function ask(model: LanguageModelV4, options: LanguageModelV4CallOptions): Promise<string> {
  sent.length = 0
  try {
    await model.doGenerate(options)
  } catch {
    // A guard refuses it, or the provider.
  }
  return sent.join('\n')
}

/** The texts that reach the model although a guard looks for what is in them, and how many do without a guard. */
async function passedShapes(
  create: () => { model: LanguageModelV4; got?: () => string },
  strategy: 'block' | 'redact',
): Promise<{ passed: string[]; reaching: number }> {
  const passed: string[] = []
  let reaching = 0
  for (const json of shapes) {
    const options = optionsOf(json)
    const plain = create()
    const bare = (await ask(plain.model, options)) + (plain.got?.() ?? '')
    if (!bare.includes(CANARY)) continue
    reaching++
    const inner = create()
    const left = (await ask(guardModel(inner.model, [guard(strategy)]), options)) + (inner.got?.() ?? '')
    if (left.includes(CANARY))
      passed.push(json.slice(Math.max(0, json.indexOf(CANARY) - 60), json.indexOf(CANARY) + 60))
  }
  return { passed, reaching }
}

const recorder = () => {
  const model = new ScriptedModel(['ok'])
  return { model, got: () => JSON.stringify(model.calls) }
}

test.each(['block', 'redact'] as const)(
  'a guard that would %s sees every text and key of a call that reaches a model of the AI SDK',
  async (strategy) => {
    const { passed, reaching } = await passedShapes(recorder, strategy)
    expect(passed).toEqual([])
    expect(reaching).toBeGreaterThan(700)
  },
)

test.each([
  ['OpenAI responses', () => createOpenAI({ baseURL, apiKey: 'k' })('gpt-5-mini')],
  ['OpenAI chat', () => createOpenAI({ baseURL, apiKey: 'k' }).chat('gpt-4.1-mini')],
  ['Anthropic', () => createAnthropic({ baseURL, apiKey: 'k' })('claude-sonnet-4-5')],
  ['Google', () => createGoogleGenerativeAI({ baseURL, apiKey: 'k' })('gemini-2.5-flash')],
])('a guard that would redact sees every text of a call that reaches %s over HTTP', async (_, create) => {
  const { passed, reaching } = await passedShapes(() => ({ model: create() }), 'redact')
  expect(passed).toEqual([])
  expect(reaching).toBeGreaterThan(200)
})

test.each(requests.map((request, index) => ({ request, index })))(
  'a guard that finds nothing lets request $index through as it is',
  async ({ request }) => {
    const { model } = recorder()
    await guardModel(model, [guard('block')]).doGenerate(request)
    const { abortSignal: _, ...asked } = model.calls[0] as LanguageModelV4CallOptions
    // As JSON has them: an address in the output of a tool is a string.
    expect(JSON.parse(JSON.stringify(asked))).toEqual(JSON.parse(JSON.stringify(request)))
  },
)
