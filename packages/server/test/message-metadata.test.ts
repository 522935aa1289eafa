import { Agent, type AgentOptions, type Message } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import { Memory, type MemoryOptions } from '@millrace/memory'
import { ScriptedModel } from '@millrace/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chatRequest, request, scene } from './scene.ts'

const thread = { threadId: 'thread-1', resourceId: 'ada' }

function chat(
  text: string,
  metadata: unknown,
  { threadId = 'thread-1', id = crypto.randomUUID() as string } = {},
): Request {
  const message = { id, role: 'user', metadata, parts: [{ type: 'text', text }] }
  return request('/agents/support/chat', { body: { id: threadId, messages: [message] } })
}

const answering = () => new ScriptedModel(['Noted.'], { repeat: 'last' })

/** Metadata of user messages, as memory stores it, and as a page gets it back. */
async function kept(server: ReturnType<typeof scene>): Promise<{ stored: unknown; page: unknown }> {
  const messages: Message[] = await server.memory.getMessages(thread)
  const response = await server.handler(request('/threads/thread-1/messages'))
  const body = (await response.json()) as { messages: { role: string; metadata?: unknown }[] }
  return {
    stored: messages.findLast(({ role }) => role === 'user')?.content.metadata,
    page: body.messages.findLast(({ role }) => role === 'user')?.metadata,
  }
}

describe('the metadata of a client', () => {
  test('keeps client metadata under `client`, and returns any JSON as it was sent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (metadata) => {
        const server = scene({ model: answering() })
        const sent = JSON.parse(JSON.stringify(metadata))
        await (await server.handler(chat('Hello', metadata))).text()
        expect(await kept(server)).toEqual({ stored: { client: sent }, page: sent })
      }),
      { numRuns: 30 },
    )
  })

  test.each(['assistant', 'system', 'Ben'])(
    'cannot say that %s spoke, in recall, names or notes',
    async (speaker) => {
      const model = answering()
      const { handler } = remembering({ model }, { semanticRecall: { scope: 'resource' }, showNames: true })
      await (
        await handler(chat('The umbrella is in the cellar.', { speaker, createdAt: 0, pinned: true }))
      ).text()
      await (await handler(chat('Where is the umbrella?', { speaker }, { threadId: 'thread-2' }))).text()
      const prompt = JSON.stringify(model.lastPrompt)
      expect(prompt).toContain('user: The umbrella is in the cellar.')
      expect(prompt).not.toContain(`${speaker}: The`)
      expect(prompt).not.toContain('<speaker>')
    },
  )

  test('cannot be chosen by a filter of recall', async () => {
    const model = answering()
    const filter = { metadata: { team: 'red' } }
    const { handler } = remembering({ model }, { semanticRecall: { filter } })
    await (
      await handler(chat('The umbrella is in the cellar.', { team: 'red', client: { team: 'red' } }))
    ).text()
    await (await handler(chat('Where is the umbrella?', undefined, { threadId: 'thread-2' }))).text()
    expect(JSON.stringify(model.lastPrompt)).not.toContain('cellar')
  })

  test('replaces client metadata by that of an edited message, and nothing else', async () => {
    const server = scene({ model: answering() }, { userMessageMetadata: () => ({ speaker: 'Ada' }) })
    await (await server.handler(chat('Hello', { mood: 'good' }, { id: 'm1' }))).text()
    await (await server.handler(chat('Hello again', { speaker: 'Ben' }, { id: 'm1' }))).text()
    expect(await kept(server)).toEqual({
      stored: { speaker: 'Ada', client: { speaker: 'Ben' } },
      page: { speaker: 'Ben' },
    })
  })

  test('comes back with the messages that a search finds', async () => {
    const { handler } = scene({ model: answering() }, { userMessageMetadata: () => ({ plan: 'secret' }) })
    await (await handler(chat('The umbrella is in the cellar.', { mood: 'good' }))).text()
    const found = await (await handler(request('/search/threads?query=umbrella'))).text()
    expect(found).toContain('"metadata":{"mood":"good"}')
    expect(found).not.toContain('secret')
  })
})

describe('userMessageMetadata', () => {
  test("reads the application's metadata in recall, names and filters", async () => {
    const model = answering()
    const { handler } = remembering(
      { model },
      { semanticRecall: { filter: { metadata: { team: 'red' } } }, showNames: true },
      (request) => Promise.resolve({ speaker: request.headers.get('x-user'), team: 'red' }),
    )
    await (await handler(chat('The umbrella is in the cellar.', { speaker: 'Ben', team: 'blue' }))).text()
    await (await handler(chat('Where is the umbrella?', {}, { threadId: 'thread-2' }))).text()
    const prompt = JSON.stringify(model.lastPrompt)
    expect(prompt).toContain('ada: The umbrella is in the cellar.')
    expect(prompt).toMatch(/<speaker>.*ada/)
  })

  test("stores the application's metadata beside the client's, and does not send it to the page", async () => {
    const server = scene(
      { model: answering() },
      { userMessageMetadata: () => ({ plan: 'secret', risk: [1] }) },
    )
    await (await server.handler(chat('Hello', { plan: 'free' }))).text()
    expect(await kept(server)).toEqual({
      stored: { plan: 'secret', risk: [1], client: { plan: 'free' } },
      page: { plan: 'free' },
    })
    await (await server.handler(chat('Hello', undefined))).text()
    expect(await kept(server)).toEqual({ stored: { plan: 'secret', risk: [1] }, page: undefined })
  })

  test('adds nothing if it returns undefined', async () => {
    const server = scene({ model: answering() }, { userMessageMetadata: () => undefined })
    await (await server.handler(chat('Hello', { a: 1 }))).text()
    expect(await kept(server)).toEqual({ stored: { client: { a: 1 } }, page: { a: 1 } })
  })

  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('The session of ada has gone.')
      },
    ],
    ['rejects', () => Promise.reject(new Error('The session of ada has gone.'))],
    ['returns a text', () => 'Ada'],
    ['returns null', () => null],
    ['returns a list', () => [{ speaker: 'Ada' }]],
    ['returns a Map', () => new Map([['speaker', 'Ada']])],
    ['returns a Date in it', () => ({ since: new Date() })],
    [
      'returns a cycle',
      () => {
        const own: Record<string, unknown> = {}
        own.self = own
        return own
      },
    ],
    ['returns the key of the client', () => ({ client: { speaker: 'Ada' } })],
  ])('refuses the request before a run starts if it %s', async (_, userMessageMetadata) => {
    const model = answering()
    const server = scene({ model }, { userMessageMetadata: userMessageMetadata as never })
    const response = await server.handler(chatRequest('Hello'))
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('ada')
    expect(server.errors).toHaveLength(1)
    expect(model.calls).toEqual([])
    expect(await server.memory.getThreadById(thread)).toBeUndefined()
    expect((await server.handler(request('/agents/support/chat/thread-1/stream'))).status).toBe(204)
  })

  test('belongs to the messages of OpenAI clients too, and never comes from them', async () => {
    const server = scene({ model: answering() }, { userMessageMetadata: () => ({ speaker: 'Ada' }) })
    const messages = [{ role: 'user', content: 'Hello', metadata: { speaker: 'Ben' }, name: 'Ben' }]
    const body = { model: 'support', messages, metadata: { speaker: 'Ben' } }
    const { id } = (await (await server.handler(request('/v1/chat/completions', { body }))).json()) as {
      id: string
    }
    const [stored] = await server.memory.getMessages({ threadId: id, resourceId: 'ada' })
    expect(stored?.content.metadata).toEqual({ speaker: 'Ada' })
  })

  test('must be a function', () => {
    const options = { userMessageMetadata: { speaker: 'Ada' } as never }
    expect(() => scene({ model: answering() }, options)).toThrow('userMessageMetadata is of type object')
  })
})

function remembering(
  agent: Pick<AgentOptions, 'model'>,
  options: MemoryOptions,
  userMessageMetadata?: NonNullable<Parameters<typeof scene>[1]>['userMessageMetadata'],
): ReturnType<typeof scene> {
  const memory = new Memory({ storage: new InMemoryStore(), lastMessages: 2, ...options })
  return scene(agent, {
    memory,
    agents: { support: new Agent({ ...agent, memory }) },
    ...(userMessageMetadata && { userMessageMetadata }),
  })
}
