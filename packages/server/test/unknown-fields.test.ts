import { spawnSync } from 'node:child_process'
import { ScriptedModel } from '@millrace/testing'
import { expect, test } from 'vitest'
import { createHandler, defineConfig, type HandlerOptions } from '../src/index.ts'
import { proxied } from './openai-scene.ts'
import { request, scene, userMessage } from './scene.ts'

const hello = () => new ScriptedModel(['Hello.'], { repeat: 'last' })

async function chat(fields: object): Promise<[number, string]> {
  const { handler } = scene({ model: hello() })
  const body = { id: 'thread-1', messages: [userMessage('Hi')], ...fields }
  const response = await handler(request('/agents/support/chat', { body }))
  return [response.status, await response.text()]
}

test.each([
  [{ triger: 'regenerate-message' }, "There is no field 'triger'. Did you mean 'trigger'?"],
  [{ aproved: true }, "There is no field 'aproved'. It is like 'approved'."],
  [{ max_steps: 3 }, "There is no field 'max_steps'. It is like 'maxSteps'. The server sets"],
  [{ toolApproval: 'never' }, "There is no field 'toolApproval'. The server sets"],
])('a chat request with %j is refused, naming the nearest field', async (fields, message) => {
  const [status, text] = await chat(fields)
  expect([status, JSON.parse(text)]).toEqual([
    400,
    { error: { code: 'REQUEST_INVALID', message: expect.stringContaining(message) } },
  ])
})

test("a chat request has other fields, as the AI SDK's clients and their users send them", async () => {
  const fields = {
    trigger: 'submit-message',
    messageId: 'message-1',
    message: userMessage('Hi'),
    data: {},
    model: 'small',
    webSearch: true,
    user: 'ada',
    timezone: 'Europe/Oslo',
  }
  expect((await chat(fields))[0]).toBe(200)
})

const completion = { model: 'small', messages: [{ role: 'user', content: 'Hi' }] }
const response = { model: 'small', input: 'Hi' }

test.each([
  ['chat/completions', { ...completion, max_token: 5 }, 'max_token', "Did you mean 'max_tokens'?"],
  ['chat/completions', { ...completion, maxTokens: 5 }, 'maxTokens', "Did you mean 'max_tokens'?"],
  [
    'chat/completions',
    { ...completion, max_output_tokens: 5 },
    'max_output_tokens',
    "Here it is 'max_completion_tokens'.",
  ],
  ['chat/completions', { ...completion, tool_choise: 'none' }, 'tool_choise', "Did you mean 'tool_choice'?"],
  [
    'chat/completions',
    { ...completion, reponse_format: {} },
    'reponse_format',
    "Did you mean 'response_format'?",
  ],
  [
    'responses',
    { ...response, max_output_token: 5 },
    'max_output_token',
    "Did you mean 'max_output_tokens'?",
  ],
  ['responses', { ...response, max_tokens: 5 }, 'max_tokens', "Here it is 'max_output_tokens'."],
  ['responses', { ...response, instruction: 'Be brief.' }, 'instruction', "Did you mean 'instructions'?"],
])('%s refuses %j', async (route, body, param, message) => {
  const { baseURL } = await proxied(hello())
  const answered = await fetch(`${baseURL}/${route}`, {
    method: 'POST',
    headers: { authorization: 'Bearer key-of-ada', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect([answered.status, await answered.json()]).toEqual([
    400,
    {
      error: { type: 'invalid_request_error', param, code: null, message: expect.stringContaining(message) },
    },
  ])
})

/** The fields of OpenAI's client that have no effect here, and some of other servers. */
const COMPLETION_FIELDS =
  'audio function_call functions logit_bias logprobs metadata modalities moderation parallel_tool_calls prediction prompt_cache_key prompt_cache_options prompt_cache_retention safety_identifier service_tier store top_logprobs user verbosity web_search_options top_k min_p repetition_penalty guided_json'
const RESPONSE_FIELDS =
  'access_programs context_management image include max_tool_calls metadata moderation prompt_cache_key prompt_cache_options prompt_cache_retention safety_identifier service_tier store stream_options top_logprobs truncation user'

test("the other fields of OpenAI's clients are ignored", async () => {
  const { client } = await proxied(hello())
  const ignored = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, null]))
  const chatted = await client.chat.completions.create({
    ...ignored(COMPLETION_FIELDS),
    ...completion,
  } as never)
  expect(chatted.choices[0]?.message.content).toBe('Hello.')
  const responded = await client.responses.create({ ...ignored(RESPONSE_FIELDS), ...response } as never)
  expect((responded as { output_text?: string }).output_text).toBe('Hello.')
})

test('what is ignored is named in the debug log, which is silent by default', () => {
  const program = `
    import { createHandler } from '@millrace/server'
    import { Agent } from '@millrace/core'
    import { ScriptedModel } from '@millrace/testing'
    const handler = createHandler({ agents: { a: new Agent({ model: new ScriptedModel(['Hi.']) }) }, authenticate: () => ({ resourceId: 'r' }) })
    const body = JSON.stringify({ id: 't', messages: [{ id: '1', role: 'user', parts: [] }], webSearch: true, '\\n': 1 })
    await (await handler(new Request('http://x/agents/a/chat', { method: 'POST', headers: { 'content-type': 'application/json' }, body }))).text()
  `
  const run = (env: object) =>
    spawnSync(process.execPath, ['--conditions=@millrace/source', '--input-type=module', '-e', program], {
      cwd: import.meta.dirname,
      env: { ...process.env, ...env },
      encoding: 'utf8',
    }).stderr
  expect(run({ NODE_DEBUG: 'millrace' })).toMatch(
    /^MILLRACE \d+: chat: unknown fields are ignored: webSearch\n$/,
  )
  expect(run({ NODE_DEBUG: '' })).toBe('')
})

test('a handler and a configuration refuse an unknown option', () => {
  const options: HandlerOptions = { agents: {}, proxy: { small: hello() }, authenticate: () => undefined }
  expect(() => createHandler({ ...options, rateLimits: 1 } as never)).toThrow("Did you mean 'rateLimit'?")
  expect(() => createHandler({ ...options, limits: { maxBodyByte: 1 } } as never)).toThrow(
    "Did you mean 'limits.maxBodyBytes'?",
  )
  expect(() => defineConfig({ prot: 3000 } as never)).toThrow("Did you mean 'port'?")
})
