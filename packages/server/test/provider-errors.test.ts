import { Agent } from '@millrace/core'
import { guardModel } from '@millrace/interop/ai-sdk'
import { createHandler } from '@millrace/server'
import { ScriptedModel } from '@millrace/testing'
import OpenAI, { type APIError } from 'openai'
import { describe, expect, test } from 'vitest'
import {
  type Answer,
  BEGINNINGS,
  type FakeProvider,
  fakeProvider,
  type ProviderName,
  STREAM_ERRORS,
} from './fake-provider.ts'
import { authenticate, type Served, serve } from './openai-scene.ts'

const WAYS = ['plain', 'guarded', 'agent'] as const
const PROTOCOLS = ['chat', 'responses'] as const
type Protocol = (typeof PROTOCOLS)[number]

/** Serves one model as it is, behind guards, and as an agent. */
async function served(provider: FakeProvider, name: ProviderName): Promise<Served> {
  const model = provider.model(name)
  const errors: unknown[] = []
  const agent = new Agent({ model, modelSettings: { maxRetries: 0 } })
  return serve(
    createHandler({
      agents: { agent },
      proxy: { plain: model, guarded: guardModel(model, []) },
      authenticate,
      onError: (error) => errors.push(error),
    }),
    errors,
  )
}

/** Asks as the official client does, and reads a stream to its end. */
async function ask(client: OpenAI, protocol: Protocol, model: string, stream: boolean): Promise<unknown> {
  const answer =
    protocol === 'chat'
      ? await client.chat.completions.create({
          model,
          stream,
          messages: [{ role: 'user', content: 'Hello' }],
        })
      : await client.responses.create({ model, stream, input: 'Hello' })
  if (!stream) return answer
  for await (const _ of answer as AsyncIterable<unknown>);
  return undefined
}

const refused = (client: OpenAI, protocol: Protocol, model: string, stream: boolean): Promise<APIError> =>
  ask(client, protocol, model, stream).then(
    (answer) => expect.fail(`answered ${JSON.stringify(answer)}`),
    (error) => error,
  )

const openai = (status: number, error: object, headers?: Record<string, string>): Answer => ({
  status,
  body: { error: { param: null, code: null, ...error } },
  ...(headers && { headers }),
})
const anthropic = (
  status: number,
  type: string,
  message: string,
  headers?: Record<string, string>,
): Answer => ({
  status,
  body: { type: 'error', error: { type, message }, request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy' },
  ...(headers && { headers }),
})
const google = (code: number, status: string, message: string, details: unknown[] = []): Answer => ({
  status: code,
  body: { error: { code, message, status, details } },
})

const KEY_OF_SERVER =
  'Incorrect API key provided: sk-proj-****abcd. See https://platform.example.com/api-keys.'

interface Case {
  provider: ProviderName
  answer: Answer
  status: number
  type: string
  code: string | null
  /** What of the provider's sentence the client gets. */
  says?: string
  retryAfter?: string
  /** Whether the official client gives up at once. */
  final?: boolean
}

const CASES: Record<string, Case> = {
  'openai, a prompt that is too long': {
    provider: 'openai',
    answer: openai(400, {
      message:
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    }),
    status: 400,
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
    says: 'maximum context length is 8192 tokens',
    final: true,
  },
  'openai, a content filter': {
    provider: 'openai',
    answer: openai(400, {
      message:
        "The response was filtered due to the prompt triggering the provider's content management policy.",
      type: null,
      param: 'prompt',
      code: 'content_filter',
      status: 400,
      innererror: { code: 'ResponsibleAIPolicyViolation' },
    }),
    status: 400,
    type: 'invalid_request_error',
    code: 'content_filter',
    says: 'content management policy',
    final: true,
  },
  'openai, a wrong key': {
    provider: 'openai',
    answer: openai(401, { message: KEY_OF_SERVER, type: 'invalid_request_error', code: 'invalid_api_key' }),
    status: 502,
    type: 'server_error',
    code: 'provider_auth',
    final: true,
  },
  'openai, a country': {
    provider: 'responses',
    answer: openai(403, {
      message: 'Country, region, or territory not supported',
      type: 'request_forbidden',
      code: 'unsupported_country_region_territory',
    }),
    status: 502,
    type: 'server_error',
    code: 'provider_auth',
    final: true,
  },
  'deepseek, no credit': {
    provider: 'openai',
    answer: openai(402, {
      message: 'Insufficient Balance',
      type: 'unknown_error',
      code: 'invalid_request_error',
    }),
    status: 402,
    type: 'unknown_error',
    code: 'invalid_request_error',
    says: 'Insufficient Balance',
    final: true,
  },
  'openai, an unknown model': {
    provider: 'responses',
    answer: openai(404, {
      message: 'The model `gpt-9` does not exist or you do not have access to it.',
      type: 'invalid_request_error',
      code: 'model_not_found',
    }),
    status: 404,
    type: 'invalid_request_error',
    code: 'model_not_found',
    says: 'The model `gpt-9` does not exist',
    final: true,
  },
  'openai, too slow a request': {
    provider: 'openai',
    answer: openai(408, { message: 'Request timed out.', type: 'timeout' }),
    status: 408,
    type: 'timeout',
    code: null,
    says: 'Request timed out.',
  },
  'openai, a rate limit': {
    provider: 'openai',
    answer: openai(
      429,
      {
        message:
          'Rate limit reached for gpt-test in organization org-AbC123dEf456 on tokens per min (TPM): Limit 30000. Visit https://platform.example.com/account/rate-limits to learn more.',
        type: 'tokens',
        code: 'rate_limit_exceeded',
      },
      { 'retry-after': '7', 'openai-organization': 'acme-corp-of-the-server' },
    ),
    status: 429,
    type: 'tokens',
    code: 'rate_limit_exceeded',
    says: 'on tokens per min (TPM): Limit 30000',
    retryAfter: '7',
  },
  'openai, an exhausted quota': {
    provider: 'openai',
    answer: openai(429, {
      message: 'You exceeded your current quota, please check your plan and billing details.',
      type: 'insufficient_quota',
      code: 'insufficient_quota',
    }),
    status: 429,
    type: 'insufficient_quota',
    code: 'insufficient_quota',
    says: 'You exceeded your current quota',
    final: true,
  },
  'openai, a fault': {
    provider: 'responses',
    answer: openai(500, {
      message: 'The server had an error. Ask org-AbC123dEf456 at https://help.example.com.',
      type: 'server_error',
    }),
    status: 502,
    type: 'server_error',
    code: 'provider_error',
  },
  'openai, overload': {
    provider: 'openai',
    answer: openai(
      503,
      { message: 'The engine is currently overloaded.', type: 'overloaded_error' },
      { 'retry-after': '3' },
    ),
    status: 503,
    type: 'server_error',
    code: 'provider_overloaded',
    retryAfter: '3',
  },
  'a page of a proxy': {
    provider: 'openai',
    answer: { status: 502, body: '<html><title>502</title>llm.internal:8080 is down</html>' },
    status: 502,
    type: 'server_error',
    code: 'provider_error',
  },
  'a 404 page of a proxy': {
    provider: 'openai',
    answer: { status: 404, body: '<html>No /v1 at https://llm.example.com, sk-proj-0123456789abcdef</html>' },
    status: 404,
    type: 'invalid_request_error',
    code: null,
    final: true,
  },
  'a server that says no JSON': {
    provider: 'openai',
    answer: { status: 200, body: '<html>Sign in at https://llm.example.com</html>' },
    status: 502,
    type: 'server_error',
    code: 'provider_interrupted',
  },
  'a small server, an unknown model': {
    provider: 'openai',
    answer: { status: 404, body: { error: 'model "tiny" not found, try pulling it first' } },
    status: 404,
    type: 'invalid_request_error',
    code: null,
    says: 'model "tiny" not found',
    final: true,
  },
  'a small server, a prompt that is too long, as its own fault': {
    provider: 'openai',
    answer: openai(500, {
      message: 'the request exceeds the available context size',
      type: 'server_error',
      code: 500,
    }),
    status: 400,
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
    says: 'exceeds the available context size',
    final: true,
  },
  'a key where a name stands': {
    provider: 'openai',
    answer: openai(400, {
      message: 'No.',
      type: 'sk-proj-0123456789abcdef',
      code: 'org-AbC123dEf456',
      param: 'a b',
    }),
    status: 400,
    type: 'invalid_request_error',
    code: null,
    says: 'No.',
    final: true,
  },
  'anthropic, a prompt that is too long': {
    provider: 'anthropic',
    answer: anthropic(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
    status: 400,
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
    says: 'prompt is too long',
    final: true,
  },
  'anthropic, a wrong key': {
    provider: 'anthropic',
    answer: anthropic(401, 'authentication_error', 'invalid x-api-key'),
    status: 502,
    type: 'server_error',
    code: 'provider_auth',
    final: true,
  },
  'anthropic, a permission': {
    provider: 'anthropic',
    answer: anthropic(
      403,
      'permission_error',
      'Your API key does not have permission to use the specified resource.',
    ),
    status: 502,
    type: 'server_error',
    code: 'provider_auth',
    final: true,
  },
  'anthropic, an unknown model': {
    provider: 'anthropic',
    answer: anthropic(404, 'not_found_error', 'model: claude-9'),
    status: 404,
    type: 'not_found_error',
    code: null,
    says: 'model: claude-9',
    final: true,
  },
  'anthropic, too large a request': {
    provider: 'anthropic',
    answer: anthropic(413, 'request_too_large', 'Request exceeds the maximum allowed number of bytes.'),
    status: 413,
    type: 'request_too_large',
    code: null,
    says: 'maximum allowed number of bytes',
    final: true,
  },
  'anthropic, a rate limit': {
    provider: 'anthropic',
    answer: anthropic(
      429,
      'rate_limit_error',
      'This request would exceed the rate limit for your organization (1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed) of 30,000 input tokens per minute.',
      { 'retry-after': '12' },
    ),
    status: 429,
    type: 'rate_limit_error',
    code: null,
    says: 'of 30,000 input tokens per minute',
    retryAfter: '12',
  },
  'anthropic, a fault': {
    provider: 'anthropic',
    answer: anthropic(500, 'api_error', 'Internal server error'),
    status: 502,
    type: 'server_error',
    code: 'provider_error',
  },
  'anthropic, overload': {
    provider: 'anthropic',
    answer: anthropic(529, 'overloaded_error', 'Overloaded'),
    status: 503,
    type: 'server_error',
    code: 'provider_overloaded',
  },
  'google, a prompt that is too long': {
    provider: 'google',
    answer: google(
      400,
      'INVALID_ARGUMENT',
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    ),
    status: 400,
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
    says: 'input token count (1200000) exceeds',
    final: true,
  },
  'google, a wrong key': {
    provider: 'google',
    answer: google(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' },
    ]),
    status: 502,
    type: 'server_error',
    code: 'provider_auth',
    final: true,
  },
  'google, a mistake': {
    provider: 'google',
    answer: google(400, 'INVALID_ARGUMENT', 'Unable to process input image.'),
    status: 400,
    type: 'invalid_request_error',
    code: 'INVALID_ARGUMENT',
    says: 'Unable to process input image.',
    final: true,
  },
  'google, a permission': {
    provider: 'google',
    answer: google(403, 'PERMISSION_DENIED', "Consumer 'projects/123456789012' has been suspended."),
    status: 502,
    type: 'server_error',
    code: 'provider_auth',
    final: true,
  },
  'google, an unknown model': {
    provider: 'google',
    answer: google(404, 'NOT_FOUND', 'models/gemini-9 is not found for API version v1beta.'),
    status: 404,
    type: 'invalid_request_error',
    code: 'NOT_FOUND',
    says: 'models/gemini-9 is not found',
    final: true,
  },
  'google, a quota': {
    provider: 'google',
    answer: google(
      429,
      'RESOURCE_EXHAUSTED',
      'Quota exceeded for metric: generativelanguage.example.com/requests, limit: 15',
      [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '35.4s' }],
    ),
    status: 429,
    type: 'rate_limit_error',
    code: 'RESOURCE_EXHAUSTED',
    says: 'limit: 15',
    retryAfter: '36',
  },
  'google, a fault': {
    provider: 'google',
    answer: google(500, 'INTERNAL', 'An internal error has occurred.'),
    status: 502,
    type: 'server_error',
    code: 'provider_error',
  },
  'google, overload': {
    provider: 'google',
    answer: google(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
    status: 503,
    type: 'server_error',
    code: 'provider_overloaded',
  },
  'google, a deadline': {
    provider: 'google',
    answer: google(504, 'DEADLINE_EXCEEDED', 'Deadline expired before operation could complete.'),
    status: 504,
    type: 'server_error',
    code: 'provider_timeout',
  },
  'a connection that is closed before the response': {
    provider: 'openai',
    answer: 'destroy',
    status: 502,
    type: 'server_error',
    code: 'provider_unreachable',
  },
}

describe('what a provider says before the answer', () => {
  test.each(Object.entries(CASES))('reaches the client: %s', async (_, expected) => {
    const {
      provider: name,
      answer,
      status,
      type,
      code,
      says = '',
      retryAfter = null,
      final = false,
    } = expected
    const provider = await fakeProvider(answer)
    const { client, baseURL } = await served(provider, name)
    const patient = new OpenAI({ baseURL, apiKey: 'key-of-ada', maxRetries: 2 })
    for (const way of WAYS) {
      for (const protocol of PROTOCOLS) {
        for (const stream of [false, true]) {
          const place = `${way}, ${protocol}, ${stream ? 'streamed' : 'whole'}`
          const before = provider.requests()
          const error = await refused(final ? patient : client, protocol, way, stream)
          expect(error, place).toBeInstanceOf(OpenAI.APIError)
          expect({ status: error.status, type: error.type, code: error.code }, place).toEqual({
            status,
            type,
            code,
          })
          expect(error.headers?.get('retry-after') ?? null, place).toBe(retryAfter)
          expect(error.message, place).toContain(says)
          const seen = `${error.message} ${JSON.stringify(error.error)}`
          for (const secret of provider.secrets) expect(seen, place).not.toContain(secret)
          if (final) expect(provider.requests() - before, place).toBe(1)
        }
      }
    }
  })

  test("reports a provider's failure to the operator, but not what only the client can mend", async () => {
    const reports: Record<string, number> = {}
    for (const name of [
      'openai, a wrong key',
      'deepseek, no credit',
      'openai, a content filter',
      'openai, a rate limit',
    ]) {
      const { provider, answer } = CASES[name] as Case
      const { client, errors } = await served(await fakeProvider(answer), provider)
      await refused(client, 'chat', 'plain', false)
      reports[name] = errors.length
    }
    expect(reports).toEqual({
      'openai, a wrong key': 1,
      'deepseek, no credit': 1,
      'openai, a content filter': 0,
      'openai, a rate limit': 0,
    })
  })

  test('reaches the client that asks for embeddings, too', async () => {
    const { answer } = CASES['openai, a rate limit'] as Case
    const provider = await fakeProvider(answer)
    const { client } = await serve(
      createHandler({
        agents: {},
        embeddings: { vectors: provider.embeddings() },
        authenticate,
        onError: () => {},
      }),
    )
    const error = await client.embeddings
      .create({ model: 'vectors', input: 'Hello' })
      .catch((reason) => reason)
    expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded' })
    expect(error.headers.get('retry-after')).toBe('7')
    for (const secret of provider.secrets) expect(error.message).not.toContain(secret)
  })

  test('answers 502 if the provider refuses the connection', async () => {
    const provider = await fakeProvider('destroy')
    const { client } = await served(provider, 'anthropic')
    await provider.close()
    for (const way of WAYS) {
      for (const stream of [false, true]) {
        const error = await refused(client, 'chat', way, stream)
        expect(error).toMatchObject({ status: 502, code: 'provider_unreachable' })
        for (const secret of provider.secrets) expect(error.message).not.toContain(secret)
      }
    }
  })

  test('answers 504 if the provider does not answer in time', async () => {
    const provider = await fakeProvider('hang')
    const late = () => Promise.reject(new DOMException('The operation timed out.', 'TimeoutError'))
    const model = provider.model('openai')
    const { client } = await serve(
      createHandler({
        agents: {},
        proxy: {
          fetch: provider.model('openai', { fetch: late as never }),
          guarded: guardModel(model, [], { timeout: 20 }),
        },
        authenticate,
        onError: () => {},
      }),
    )
    for (const stream of [false, true]) {
      expect(await refused(client, 'chat', 'fetch', stream)).toMatchObject({
        status: 504,
        code: 'provider_timeout',
      })
      expect(await refused(client, 'chat', 'guarded', stream)).toMatchObject({
        status: 504,
        code: 'RUN_TIMEOUT',
      })
    }
  })

  test("does not take an error of a guard's own model for one of the answer's provider", async () => {
    const provider = await fakeProvider(openai(400, { message: 'Bad prompt of the judge.', code: 'bad' }))
    const judge = provider.model('openai')
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Fine?' }] }]
    const guard = { id: 'judge', processInput: async () => void (await judge.doGenerate({ prompt })) }
    const model = guardModel(new ScriptedModel(['Hi'], { repeat: 'last' }), [guard])
    const { client } = await serve(
      createHandler({ agents: {}, proxy: { model }, authenticate, onError: () => {} }),
    )
    const error = await refused(client, 'chat', 'model', false)
    expect(error).toMatchObject({ status: 500, code: 'PROCESSOR_FAILED' })
    expect(error.message).not.toContain('judge')
  })
})

describe('what a provider does in the middle of a stream', () => {
  const PROVIDERS = Object.keys(BEGINNINGS) as ProviderName[]
  const faults = (name: ProviderName): Record<string, { answer: Answer; code: string }> => ({
    'an error event': {
      answer: { events: [...BEGINNINGS[name], STREAM_ERRORS[name]], ending: 'end' },
      code: 'provider_overloaded',
    },
    'a connection that breaks': {
      answer: { events: BEGINNINGS[name], ending: 'destroy' },
      code: 'provider_interrupted',
    },
    'an end without a finish': {
      answer: { events: BEGINNINGS[name], ending: 'end' },
      code: 'provider_interrupted',
    },
  })

  test.each(PROVIDERS)('is an error event without [DONE]: %s', async (name) => {
    for (const [kind, { answer, code }] of Object.entries(faults(name))) {
      const provider = await fakeProvider(answer)
      const { client, baseURL } = await served(provider, name)
      for (const way of WAYS) {
        for (const protocol of PROTOCOLS) {
          const place = `${kind}, ${way}, ${protocol}`
          const error = await refused(client, protocol, way, true)
          expect({ type: error.type, code: error.code }, place).toEqual({ type: 'server_error', code })
          const raw = await rawStream(baseURL, protocol, way)
          expect(raw, place).toContain('Half an')
          expect(raw, place).not.toMatch(/\[DONE\]|"finish_reason":"(?:stop|tool_calls)"|response\.completed/)
          expect(raw.trimEnd().split('\n\n').at(-1), place).toContain('"error":{')
          for (const secret of provider.secrets) expect(raw, place).not.toContain(secret)
        }
      }
    }
  })

  test.each(PROVIDERS)('is an error of a whole answer of an agent, too: %s', async (name) => {
    for (const [kind, { answer, code }] of Object.entries(faults(name))) {
      const { client } = await served(await fakeProvider(answer), name)
      const error = await refused(client, 'chat', 'agent', false)
      expect({ status: error.status, code: error.code }, kind).toEqual({
        status: code === 'provider_overloaded' ? 503 : 502,
        code,
      })
    }
  })
})

async function rawStream(baseURL: string, protocol: Protocol, model: string): Promise<string> {
  const [path, body] =
    protocol === 'chat'
      ? ['chat/completions', { messages: [{ role: 'user', content: 'Hello' }] }]
      : ['responses', { input: 'Hello' }]
  const response = await fetch(`${baseURL}/${path}`, {
    method: 'POST',
    headers: { authorization: 'Bearer key-of-ada', 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream: true, ...body }),
  })
  return response.text()
}
