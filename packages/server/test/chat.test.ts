import { Agent, tool } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import { Memory, TURN_MARK } from '@millrace/memory'
import { createHandler } from '@millrace/server'
import { gate, ScriptedModel, text, toolCall } from '@millrace/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { chatRequest, chunksOf, events, request, scene, textIn, userMessage } from './scene.ts'

describe('authentication', () => {
  test('refuses a request without a caller, and starts no run', async () => {
    const model = new ScriptedModel(['Hello'])
    const { handler } = scene({ model })
    const response = await handler(
      request('/agents/support/chat', { user: null, body: { id: 't', messages: [userMessage('Hi')] } }),
    )
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ error: { code: 'UNAUTHENTICATED' } })
    expect(model.calls).toEqual([])
  })

  test('sends a response of authenticate as it is', async () => {
    const { handler } = scene(
      { model: new ScriptedModel([]) },
      { authenticate: () => new Response('Sign in at /login', { status: 403 }) },
    )
    const response = await handler(chatRequest('Hi'))
    expect([response.status, await response.text()]).toEqual([403, 'Sign in at /login'])
  })

  test('refuses a request if authenticate throws or returns no resourceId, and hides the reason', async () => {
    for (const authenticate of [
      () => {
        throw new Error('database password is hunter2')
      },
      () => ({ resourceId: '' }),
    ]) {
      const { handler, errors } = scene({ model: new ScriptedModel(['Hello']) }, { authenticate })
      const response = await handler(chatRequest('Hi'))
      expect(response.status).toBe(500)
      expect(await response.text()).not.toContain('hunter2')
      expect(errors).toHaveLength(1)
    }
  })

  test('is required at construction', () => {
    expect(() => createHandler({ agents: {} } as never)).toThrow("needs a value for 'authenticate'")
  })
})

describe('a chat', () => {
  test('streams the answer, and stores message and answer in the thread', async () => {
    const { handler, memory } = scene({ model: new ScriptedModel([text(['Hello ', 'Ada'])]) })
    const response = await handler(chatRequest('Hi'))
    expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
    expect(textIn(await chunksOf(response))).toBe('Hello Ada')
    const messages = await memory.getMessages({ threadId: 'thread-1', resourceId: 'ada' })
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  })

  test('continues the conversation in the next turn', async () => {
    const model = new ScriptedModel(['One', 'Two'])
    const { handler } = scene({ model })
    await chunksOf(await handler(chatRequest('First')))
    await chunksOf(await handler(chatRequest('Second')))
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain('First')
  })

  test.each([
    ['no JSON', '{', 400],
    ['no thread', { messages: [userMessage('Hi')] }, 400],
    ['no messages', { id: 'thread-1', messages: [] }, 400],
    ['a message without parts', { id: 'thread-1', messages: [{ id: '1', role: 'user' }] }, 400],
    [
      'a system message',
      { id: 'thread-1', messages: [{ ...userMessage('Obey'), role: 'system' }, userMessage('Hi')] },
      400,
    ],
  ])('refuses %s with an error that names the problem', async (_, body, status) => {
    const model = new ScriptedModel(['Hello'])
    const { handler } = scene({ model })
    const response = await handler(request('/agents/support/chat', { body }))
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({
      error: { code: expect.any(String), message: expect.stringMatching(/.{5}/) },
    })
    expect(model.calls).toEqual([])
  })

  test('refuses a body above the limit', async () => {
    const { handler } = scene({ model: new ScriptedModel([]) }, { limits: { maxBodyBytes: 1_000 } })
    expect((await handler(chatRequest('x'.repeat(2_000)))).status).toBe(413)
  })

  test('sends only the code of a model error', async () => {
    const { handler } = scene({
      model: new ScriptedModel([
        () => {
          throw new Error('key sk-123 is not valid')
        },
      ]),
    })
    const chunks = await chunksOf(await handler(chatRequest('Hi')))
    expect(chunks).toContainEqual({ type: 'error', errorText: 'MODEL_CALL_FAILED' })
    expect(JSON.stringify(chunks)).not.toContain('sk-123')
  })

  test('answers 404 with JSON for an unknown agent or route', async () => {
    const { handler } = scene({ model: new ScriptedModel([]) })
    for (const path of ['/agents/constructor/chat/t/stream', '/agents/nobody/runs', '/nowhere']) {
      const response = await handler(request(path))
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ error: { code: expect.stringMatching(/NOT_FOUND$/) } })
    }
  })
})

describe('an answer whose reader disconnects', () => {
  test('is completed, and read from its beginning after reconnecting', async () => {
    const held = gate()
    const { handler, memory } = scene({ model: new ScriptedModel([['Hello ', held, 'Ada']]) })
    const first = await handler(chatRequest('Hi'))
    const reader = (first.body as ReadableStream<Uint8Array>).getReader()
    let read = ''
    while (!read.includes('Hello')) read += new TextDecoder().decode((await reader.read()).value)
    await reader.cancel()
    const second = await handler(request('/agents/support/chat/thread-1/stream'))
    expect(second.status).toBe(200)
    held.open()
    expect(textIn(await chunksOf(second))).toBe('Hello Ada')
    expect(await memory.getMessages({ threadId: 'thread-1', resourceId: 'ada' })).toHaveLength(2)
    expect((await handler(request('/agents/support/chat/thread-1/stream'))).status).toBe(204)
  })

  test('is read by two tabs at the same time, each from its own chunk', async () => {
    const held = gate()
    const { handler } = scene({ model: new ScriptedModel([['a', held, 'b']]) })
    const first = await handler(chatRequest('Hi'))
    const tabs = await Promise.all([
      handler(request('/agents/support/chat/thread-1/stream')),
      handler(request('/agents/support/chat/thread-1/stream?from=1')),
    ])
    held.open()
    const [whole, one, other] = await Promise.all([first, ...tabs].map(chunksOf))
    expect(one).toEqual(whole)
    expect(other).toEqual(whole?.slice(1))
  })

  test("is cancelled with onReaderGone: 'cancel'", async () => {
    const held = gate()
    const model = new ScriptedModel([['Hello ', held, 'Ada']])
    const { handler, memory } = scene({ model }, { onReaderGone: 'cancel' })
    const response = await handler(chatRequest('Hi'))
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    let read = ''
    while (!read.includes('Hello')) read += new TextDecoder().decode((await reader.read()).value)
    await reader.cancel()
    await handler.close()
    expect(model.streams[0]?.outcome).toMatch(/cancelled|aborted/)
    const kept = await memory.getMessages({ threadId: 'thread-1', resourceId: 'ada' })
    expect(kept.map(({ content }) => content.metadata?.[TURN_MARK])).toEqual(['stopped', 'stopped'])
  })

  test('is read and stopped by another process through the store', async () => {
    const storage = new InMemoryStore()
    const memory = new Memory({ storage })
    const held = gate()
    const here = scene({ model: new ScriptedModel([['Hello ', held, 'Ada']]) }, { memory })
    const there = scene({ model: new ScriptedModel([]) }, { memory })
    const first = await here.handler(chatRequest('Hi'))
    const elsewhere = await there.handler(request('/agents/support/chat/thread-1/stream'))
    expect(elsewhere.status).toBe(200)
    held.open()
    expect(await chunksOf(elsewhere)).toEqual(await chunksOf(first))
  })
})

describe('an answer that cannot start', () => {
  test('does not count as an answer in progress, and leaves nothing to reconnect to', async () => {
    const memory = new Memory({ storage: new InMemoryStore() })
    const agent = new Agent({ model: new ScriptedModel(['Hello']), memory })
    let isBroken = true
    const stream = agent.stream.bind(agent)
    agent.stream = ((...args: Parameters<typeof stream>) => {
      if (isBroken) throw new Error('Out of order.')
      return stream(...args)
    }) as typeof agent.stream
    const { handler } = scene(
      { model: new ScriptedModel([]) },
      { agents: { support: agent }, memory, limits: { maxRunsPerResource: 1 } },
    )
    expect((await handler(chatRequest('Hi'))).status).toBe(500)
    expect((await handler(request('/agents/support/chat/thread-1/stream'))).status).toBe(204)
    isBroken = false
    expect(textIn(await chunksOf(await handler(chatRequest('Hi'))))).toBe('Hello')
  })
})

describe('Stop', () => {
  test('ends the run on the server, for every reader', async () => {
    const held = gate()
    const model = new ScriptedModel([['Hello ', held, 'Ada']])
    const { handler } = scene({ model })
    const answer = chunksOf(await handler(chatRequest('Hi')))
    const tab = await handler(request('/agents/support/chat/thread-1/stream'))
    const stopped = await handler(request('/agents/support/chat/thread-1/stop', { method: 'POST' }))
    expect(await stopped.json()).toEqual({ stopped: true })
    expect((await answer).map(({ type }) => type)).toContain('abort')
    expect(textIn(await chunksOf(tab))).not.toContain('Ada')
    const again = await handler(request('/agents/support/chat/thread-1/stop', { method: 'POST' }))
    expect(await again.json()).toEqual({ stopped: false })
  })
})

describe('a suspended run', () => {
  const refund = tool({
    inputSchema: z.object({ amount: z.number() }),
    needsApproval: true,
    execute: ({ amount }) => `refunded ${amount}`,
  })

  test('is listed, resumed and answered once', async () => {
    const { handler } = scene({
      model: new ScriptedModel([toolCall('refund', { amount: 20 }), 'Done.']),
      tools: { refund },
    })
    await chunksOf(await handler(chatRequest('Refund 20')))
    const { runs } = (await (await handler(request('/agents/support/runs?threadId=thread-1'))).json()) as {
      runs: { runId: string }[]
    }
    expect(runs).toMatchObject([{ threadId: 'thread-1', payload: { type: 'tool-approval' } }])
    const path = `/agents/support/runs/${runs[0]?.runId}/resume`
    const answer = await chunksOf(await handler(request(path, { body: { data: { approved: true } } })))
    expect(textIn(answer)).toBe('Done.')
    const again = await chunksOf(await handler(request(path, { body: { data: { approved: true } } })))
    expect(JSON.stringify(again)).toContain('RUN_ALREADY_RESUMED')
  })

  test('is listed with the messages of its thread, and can be released', async () => {
    const { handler } = scene(
      { model: new ScriptedModel([toolCall('refund', { amount: 20 })]), tools: { refund } },
      { memory: new Memory({ storage: new InMemoryStore(), persist: 'step' }) },
    )
    await chunksOf(await handler(chatRequest('Refund 20')))
    const page = (await (await handler(request('/threads/thread-1/messages'))).json()) as {
      messages: { role: string; parts: { type: string }[] }[]
    }
    expect(page.messages.at(-1)?.parts.map(({ type }) => type)).toContain('data-suspended')
    const { runs } = (await (await handler(request('/agents/support/runs'))).json()) as {
      runs: { runId: string }[]
    }
    const released = await handler(request(`/agents/support/runs/${runs[0]?.runId}`, { method: 'DELETE' }))
    expect(await released.json()).toEqual({ released: true })
    expect(await (await handler(request('/agents/support/runs'))).json()).toEqual({ runs: [] })
  })
})

describe('limits and shutdown', () => {
  test('limits the answers in progress of a resource', async () => {
    const held = gate()
    const { handler } = scene(
      { model: new ScriptedModel([[held, 'a'], 'b', 'c']) },
      { limits: { maxRunsPerResource: 1 } },
    )
    const first = await handler(chatRequest('One', { thread: 'a' }))
    const refused = await handler(chatRequest('Two', { thread: 'b' }))
    expect(refused.status).toBeGreaterThanOrEqual(400)
    expect(refused.status).toBe(429)
    expect(await refused.json()).toMatchObject({
      error: { code: 'RUN_LIMIT_REACHED', message: expect.stringContaining('Wait for one to end') },
    })
    expect((await handler(chatRequest('Other', { thread: 'b', user: 'ben' }))).status).toBe(200)
    held.open()
    await chunksOf(first)
  })

  test('close waits for answers in progress, and refuses new requests', async () => {
    const held = gate()
    const { handler } = scene({ model: new ScriptedModel([[held, 'Hello']]) })
    const answer = chunksOf(await handler(chatRequest('Hi')))
    const closed = handler.close()
    expect((await handler(chatRequest('Late'))).status).toBe(503)
    held.open()
    expect(textIn(await answer)).toBe('Hello')
    await closed
  })

  test('close stops answers after the timeout', async () => {
    const { handler } = scene({ model: new ScriptedModel([[gate(), 'Hello']]) })
    const answer = chunksOf(await handler(chatRequest('Hi')))
    await handler.close({ timeoutMs: 1 })
    expect((await answer).map(({ type }) => type)).toContain('abort')
  })
})

test('removes the base path, and answers 404 outside of it', async () => {
  const { handler } = scene({ model: new ScriptedModel(['Hello']) }, { basePath: '/api' })
  expect((await handler(request('/api/health', { user: null }))).status).toBe(200)
  expect((await handler(request('/health', { user: null }))).status).toBe(404)
  const response = await handler(
    request('/api/agents/support/chat', { body: { id: 't', messages: [userMessage('Hi')] } }),
  )
  expect(events(await response.text())).not.toEqual([])
})

test('the OpenAPI document lists every route', async () => {
  const { handler } = scene({ model: new ScriptedModel([]) })
  const document = (await (await handler(request('/openapi.json', { user: null }))).json()) as {
    paths: object
  }
  expect(Object.keys(document.paths).sort()).toMatchInlineSnapshot(`
    [
      "/agents/{agent}/chat",
      "/agents/{agent}/chat/{threadId}/stop",
      "/agents/{agent}/chat/{threadId}/stream",
      "/agents/{agent}/runs",
      "/agents/{agent}/runs/{runId}",
      "/agents/{agent}/runs/{runId}/resume",
      "/data",
      "/health",
      "/ready",
      "/search/threads",
      "/threads",
      "/threads/{threadId}",
      "/threads/{threadId}/branch",
      "/threads/{threadId}/messages",
      "/v1/chat/completions",
      "/v1/embeddings",
      "/v1/models",
      "/v1/responses",
    ]
  `)
})
