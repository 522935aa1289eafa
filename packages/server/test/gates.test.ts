import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Agent, tool } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import { Memory } from '@millrace/memory'
import { createHandler, type Handler } from '@millrace/server'
import { RateLimit } from '@millrace/steering/rate-limit'
import { gate, ScriptedModel, toolCall } from '@millrace/testing'
import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { chatRequest, chunksOf, events, request, scene, textIn } from './scene.ts'

const completion = { model: 'small', messages: [{ role: 'user', content: 'Hi' }] }

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function listening(handler: Handler): Promise<number> {
  const server = createServer(getRequestListener(handler)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

describe('limits of requests', () => {
  test('refuses headers above the limit before it authenticates', async () => {
    const authenticate = vi.fn(() => ({ resourceId: 'ada' }))
    const { handler } = scene(
      { model: new ScriptedModel([]) },
      { authenticate, limits: { maxHeaderBytes: 1_000 } },
    )
    for (const [path, headers] of [
      ['/threads', { 'x-large': 'a'.repeat(1_000) }],
      [`/threads?cursor=${'a'.repeat(1_000)}`, {}],
    ] as const) {
      const response = await handler(new Request(`https://chat.example.com${path}`, { headers }))
      expect(response.status).toBe(431)
    }
    expect(authenticate).not.toHaveBeenCalled()
    expect((await handler(request('/threads'))).status).toBe(200)
  })

  test.each([{}, { 'content-length': 'many' }])(
    'refuses a body above the limit, also without content-length (%j)',
    async (length) => {
      const { handler } = scene({ model: new ScriptedModel([]) }, { limits: { maxBodyBytes: 1_000 } })
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(new Uint8Array(600).fill(32)),
      })
      const endless = new Request('https://chat.example.com/v1/responses', {
        method: 'POST',
        headers: { 'x-user': 'ada', 'content-type': 'application/json', ...length },
        body,
        duplex: 'half',
      } as RequestInit)
      const response = await handler(endless)
      expect([response.status, await response.json()]).toMatchObject([
        413,
        { error: { code: 'REQUEST_TOO_LARGE', type: 'invalid_request_error' } },
      ])
    },
  )

  test('refuses a client that sends its body too slowly, over HTTP', async () => {
    const { handler } = scene({ model: new ScriptedModel([]) }, { limits: { bodyTimeoutMs: 20 } })
    const socket = connect({ port: await listening(handler), host: '127.0.0.1' })
    socket.write(
      'POST /agents/support/chat HTTP/1.1\r\nhost: a\r\nx-user: ada\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{',
    )
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toContain('408')
    socket.destroy()
  })

  test('cleans up after a client that disconnects in the middle of its body', async () => {
    const model = new ScriptedModel(['Hello'])
    const { handler, errors } = scene({ model })
    const port = await listening(handler)
    const socket = connect({ port, host: '127.0.0.1' })
    socket.write(
      'POST /agents/support/chat HTTP/1.1\r\nhost: a\r\nx-user: ada\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{',
    )
    await once(socket, 'ready')
    socket.destroy()
    await once(socket, 'close')
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200)
    expect([model.calls, errors]).toEqual([[], []])
  })

  test('an idle stream sends a heartbeat comment', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    cleanups.push(() => vi.useRealTimers())
    const held = gate()
    const { handler } = scene({ model: new ScriptedModel([[held, 'Hello']]) })
    const response = await handler(chatRequest('Hi'))
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const decoder = new TextDecoder()
    let text = ''
    let read = reader.read()
    for (let beats = 0; beats < 2; ) {
      vi.advanceTimersByTime(15_000)
      const { value } = await read
      const piece = decoder.decode(value)
      if (piece === ': \n\n') beats++
      text += piece
      read = reader.read()
    }
    held.open()
    for (let part = await read; !part.done; part = await reader.read()) text += decoder.decode(part.value)
    expect(textIn(await chunksOf(new Response(text.replaceAll(': \n\n', ''))))).toBe('Hello')
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a rate limit', () => {
  test('refuses only the resource above the limit, with 429, on every route that starts work', async () => {
    const limits = [{ limit: 2, windowMs: 3_600_000 }]
    const model = new ScriptedModel(() => 'Hello')
    const { handler } = scene({ model }, { rateLimit: new RateLimit({ limits }), proxy: { small: model } })
    await chunksOf(await handler(chatRequest('Hi')))
    expect((await handler(request('/v1/chat/completions', { body: completion }))).status).toBe(200)
    const chat = await handler(chatRequest('Hi'))
    expect([chat.status, Number(chat.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect(await chat.json()).toMatchObject({ error: { code: 'RATE_LIMITED' } })
    for (const [path, body] of [
      ['/v1/chat/completions', completion],
      ['/v1/responses', { model: 'small', input: 'Hi' }],
      ['/v1/embeddings', { model: 'small', input: 'Hi' }],
      ['/agents/support/runs/1/resume', { data: {} }],
    ] as const) {
      expect((await handler(request(path, { body }))).status, path).toBe(429)
    }
    expect((await handler(request('/threads'))).status).toBe(200)
    expect((await handler(chatRequest('Hi', { user: 'ben' }))).status).toBe(200)
  })

  test('is exact for concurrent requests', async () => {
    const model = new ScriptedModel(() => 'Hello')
    const rateLimit = new RateLimit({ limits: [{ limit: 5, windowMs: 3_600_000 }] })
    const { handler } = scene({ model }, { rateLimit, proxy: { small: model } })
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => handler(request('/v1/chat/completions', { body: completion }))),
    )
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(5)
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(15)
  })

  test('of an agent becomes OpenAI’s rate limit error', async () => {
    const agent = new Agent({
      model: new ScriptedModel(() => 'Hello'),
      processors: [new RateLimit({ limits: [{ limit: 1, windowMs: 3_600_000 }] })],
    })
    const handler = createHandler({ agents: { support: agent }, authenticate: () => ({ resourceId: 'ada' }) })
    const ask = () => handler(request('/v1/responses', { body: { model: 'support', input: 'Hi' } }))
    expect((await ask()).status).toBe(200)
    const refused = await ask()
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true])
    expect(await refused.json()).toMatchObject({ error: { type: 'rate_limit_error' } })
  })
})

describe('pages of other origins', () => {
  const preflight = (origin: string): Request =>
    new Request('https://chat.example.com/threads', {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'GET' },
    })

  test('are refused by default', async () => {
    const { handler } = scene({ model: new ScriptedModel([]) })
    const headers = { origin: 'https://evil.example.com', 'x-user': 'ada' }
    const answers = [
      await handler(preflight('https://evil.example.com')),
      await handler(new Request('https://chat.example.com/threads', { headers })),
    ]
    for (const answer of answers) {
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })

  test('are allowed by origin, and can read error responses too', async () => {
    const { handler } = scene({ model: new ScriptedModel([]) }, { cors: ['https://page.example.com'] })
    const allowed = async (origin: string) =>
      (await handler(preflight(origin))).headers.get('access-control-allow-origin')
    expect(await allowed('https://page.example.com')).toBe('https://page.example.com')
    expect(await allowed('https://evil.example.com')).toBeNull()
    const refused = await handler(
      new Request('https://chat.example.com/threads', { headers: { origin: 'https://page.example.com' } }),
    )
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([
      401,
      'https://page.example.com',
    ])
  })

  test.each(['*', 'https://page.example.com/path', 'page.example.com'])('rejects the origin %s', (origin) => {
    expect(() => scene({ model: new ScriptedModel([]) }, { cors: [origin] })).toThrow(`cors has '${origin}'`)
  })
})

describe('the id of a request', () => {
  test('is the client’s if it is valid, is returned, and is passed with faults', async () => {
    const ids: string[] = []
    const { handler } = scene(
      { model: new ScriptedModel([]) },
      {
        authenticate: () => Promise.reject(new Error('key sk-123')),
        onError: (_, __, requestId) => ids.push(requestId),
      },
    )
    const ask = async (id: string) => {
      const headers = { 'x-request-id': id }
      return (await handler(new Request('https://chat.example.com/threads', { headers }))).headers.get(
        'x-request-id',
      )
    }
    expect(await ask('request-1')).toBe('request-1')
    const own = await ask('<script>')
    expect(own).toMatch(/^[\w-]{36}$/)
    expect(ids).toEqual(['request-1', own])
  })

  test('is in a span around the span of the run, in the trace of the client', async () => {
    const exporter = new InMemorySpanExporter()
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
    trace.setGlobalTracerProvider(provider)
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
    cleanups.push(() => {
      trace.disable()
      context.disable()
    })
    const { handler } = scene({ model: new ScriptedModel(['Hello']) })
    const asked = chatRequest('Hi')
    asked.headers.set('x-request-id', 'request-1')
    await chunksOf(await handler(asked))
    await handler.close()
    const spans = exporter.getFinishedSpans()
    const server = spans.find(({ name }) => name === 'POST /agents/:agent/chat')
    expect(server?.attributes).toMatchObject({
      'http.request.header.x-request-id': ['request-1'],
      'http.response.status_code': 200,
    })
    const run = spans.find(({ name }) => name.startsWith('invoke_agent'))
    expect(run?.parentSpanContext?.spanId).toBe(server?.spanContext().spanId)
  })
})

test.each([
  ['a chat', '/agents/support/chat'],
  ['a completion', '/v1/chat/completions'],
  ['a response', '/v1/responses'],
])('%s: refuses invalid JSON and unauthenticated requests in the format of the route', async (_, path) => {
  const { handler } = scene({ model: new ScriptedModel([]) })
  const isOpenAI = path.startsWith('/v1/')
  for (const [asked, status] of [
    [request(path, { body: '{' }), 400],
    [request(path, { body: {}, user: null }), 401],
    [request(path, { method: 'PUT', body: {} }), 404],
  ] as const) {
    const response = await handler(asked)
    const { error } = (await response.json()) as { error: object }
    expect(response.status).toBe(status)
    expect(Object.keys(error).sort()).toEqual(
      isOpenAI ? ['code', 'message', 'param', 'type'] : ['code', 'message'],
    )
  }
})

describe('a graceful shutdown', () => {
  const refund = tool({
    inputSchema: z.object({}),
    needsApproval: true,
    execute: (_, { idempotencyKey }) => `refunded ${idempotencyKey}`,
  })

  test('leaves a run that has called a tool to the next process, which completes it', async () => {
    const memory = new Memory({ storage: new InMemoryStore() })
    const first = scene(
      { model: new ScriptedModel([toolCall('refund', {}), [gate(), 'never']]), tools: { refund } },
      { memory },
    )
    const next = scene({ model: new ScriptedModel(['Done.']), tools: { refund } }, { memory })
    const runs = async (handler: Handler) =>
      ((await (await handler(request('/agents/support/runs'))).json()) as { runs: { runId: string }[] }).runs
    await chunksOf(await first.handler(chatRequest('Refund')))
    const [waiting] = await runs(next.handler)
    const resume = `/agents/support/runs/${waiting?.runId}/resume`
    const under = await first.handler(request(resume, { body: { data: { approved: true } } }))
    const reader = (under.body as ReadableStream<Uint8Array>).getReader()
    let read = ''
    while (!read.includes('refunded')) read += new TextDecoder().decode((await reader.read()).value)
    await first.handler.close({ timeoutMs: 1 })
    for (let part = await reader.read(); !part.done; part = await reader.read())
      read += new TextDecoder().decode(part.value)
    expect(events(read).map(({ type }) => type)).toContain('abort')
    expect((await first.handler(request('/health'))).status).toBe(200)
    expect((await first.handler(request('/ready'))).status).toBe(503)

    const [interrupted] = await runs(next.handler)
    expect(interrupted?.runId).toBe(waiting?.runId)
    const answer = await chunksOf(await next.handler(request(resume, { body: {} })))
    expect(textIn(answer)).toBe('Done.')
    expect(await runs(next.handler)).toEqual([])
  })

  test('leaves a run that waits for an approval stored', async () => {
    const memory = new Memory({ storage: new InMemoryStore() })
    const first = scene({ model: new ScriptedModel([toolCall('refund', {})]), tools: { refund } }, { memory })
    await chunksOf(await first.handler(chatRequest('Refund')))
    await first.handler.close()
    const next = scene({ model: new ScriptedModel(['Done.']), tools: { refund } }, { memory })
    const { runs } = (await (await next.handler(request('/agents/support/runs'))).json()) as {
      runs: unknown[]
    }
    expect(runs).toHaveLength(1)
  })
})
