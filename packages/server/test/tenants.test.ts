import { textOfParts, tool } from '@millrace/core'
import { InMemoryStore, InMemoryVectorStore } from '@millrace/core/storage'
import { Memory } from '@millrace/memory'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { chatRequest, chunksOf, request, scene, userMessage } from './scene.ts'

const refund = tool({ inputSchema: z.object({}), needsApproval: true, execute: () => 'refunded' })

/** Ada has a thread with a secret and a suspended run. */
async function adasServer() {
  const scene_ = scene({
    model: new ScriptedModel([
      'The vault code is 4711.',
      toolCall('refund', {}),
      'Done.',
      'Hello',
      'Hello',
      'Hello',
    ]),
    tools: { refund },
  })
  await chunksOf(await scene_.handler(chatRequest('What is the code?', { thread: 'adas' })))
  await chunksOf(await scene_.handler(chatRequest('Refund', { thread: 'waits' })))
  const { runs } = (await (await scene_.handler(request('/agents/support/runs'))).json()) as {
    runs: { runId: string }[]
  }
  return { ...scene_, runId: String(runs[0]?.runId) }
}

describe('another caller', () => {
  test.each([
    ['reads the thread', 'GET', '/threads/adas', undefined],
    ['reads its messages', 'GET', '/threads/adas/messages', undefined],
    ['renames it', 'PATCH', '/threads/adas', { title: 'Mine' }],
    ['branches it', 'POST', '/threads/adas/branch', {}],
    ['deletes it', 'DELETE', '/threads/adas', undefined],
    ['lists threads', 'GET', '/threads', undefined],
    ['searches threads', 'GET', '/search/threads', undefined],
    ['searches threads by their words', 'GET', '/search/threads?query=vault%20code', undefined],
    ['lists runs', 'GET', '/agents/support/runs?threadId=waits', undefined],
    ['reads the stream', 'GET', '/agents/support/chat/adas/stream', undefined],
    ['stops the answer', 'POST', '/agents/support/chat/adas/stop', undefined],
    ['resumes the run', 'POST', '/agents/support/runs/{runId}/resume', { data: { approved: true } }],
    ['releases the run', 'DELETE', '/agents/support/runs/{runId}', undefined],
    ['exports data', 'GET', '/data', undefined],
    ['deletes data', 'DELETE', '/data', undefined],
    ['writes into the thread', 'POST', '/agents/support/chat', { id: 'adas', messages: [userMessage('Hi')] }],
  ])('a caller who %s finds and changes nothing', async (_, method, path, body) => {
    const { handler, memory, runId } = await adasServer()
    const before = JSON.stringify(await memory.getMessages({ threadId: 'adas', resourceId: 'ada' }))
    const response = await handler(
      request(path.replace('{runId}', runId), {
        user: 'mallory',
        method,
        ...(body !== undefined && { body }),
      }),
    )
    expect(response.status).toBeLessThan(500)
    const answer = await response.text()
    expect(answer).not.toContain('4711')
    expect(answer).not.toContain('refunded')
    expect(JSON.stringify(await memory.getMessages({ threadId: 'adas', resourceId: 'ada' }))).toBe(before)
    const thread = await memory.getThreadById({ threadId: 'adas', resourceId: 'ada' })
    expect(thread?.title).not.toBe('Mine')
    const { runs } = (await (await handler(request('/agents/support/runs'))).json()) as { runs: unknown[] }
    expect(runs).toHaveLength(1)
  })
})

describe('the caller', () => {
  test('lists, renames, branches, reads by pages and deletes threads', async () => {
    const { handler } = await adasServer()
    const list = async () =>
      ((await (await handler(request('/threads'))).json()) as { threads: { id: string; title?: string }[] })
        .threads
    expect((await list()).map(({ id }) => id)).toContain('adas')
    const renamed = await handler(request('/threads/adas', { method: 'PATCH', body: { title: 'Codes' } }))
    expect(await renamed.json()).toMatchObject({ id: 'adas', title: 'Codes' })
    const copy = await handler(request('/threads/adas/branch', { body: { newThreadId: 'copy' } }))
    expect(await copy.json()).toMatchObject({ id: 'copy', messageCount: 2 })
    const taken = await handler(request('/threads/adas/branch', { body: { newThreadId: 'copy' } }))
    expect(taken.status).toBe(409)
    const first = (await (await handler(request('/threads/adas/messages?limit=1'))).json()) as {
      messages: { role: string }[]
      nextCursor: string
    }
    expect(first.messages.map(({ role }) => role)).toEqual(['user'])
    const second = await handler(
      request(`/threads/adas/messages?limit=1&cursor=${encodeURIComponent(first.nextCursor)}`),
    )
    expect(await second.json()).toMatchObject({ messages: [{ role: 'assistant' }] })
    expect(await (await handler(request('/threads/adas', { method: 'DELETE' }))).json()).toEqual({
      deleted: true,
    })
    expect((await handler(request('/threads/adas'))).status).toBe(404)
    expect((await list()).map(({ id }) => id)).not.toContain('adas')
  })

  test('regenerates an answer, and continues from any message in another thread', async () => {
    const model = new ScriptedModel(['One', 'Two', 'Three', 'Four', 'Five'])
    const { handler, memory } = scene({ model })
    const messages = [userMessage('First', 'm1')]
    const send = async (thread: string, sent: object[], more: object = {}) =>
      chunksOf(
        await handler(request('/agents/support/chat', { body: { id: thread, messages: sent, ...more } })),
      )
    const said = async (thread: string) =>
      (await memory.getMessages({ threadId: thread, resourceId: 'ada' })).map(({ content }) =>
        textOfParts(content.parts),
      )
    await send('t', messages)
    await send('t', [...messages, userMessage('Second', 'm2')])
    // As `useChat` does: everything up to the user's message again.
    const again = { trigger: 'regenerate-message', messageId: 'answer-1' }
    const branch = async (body: object) => handler(request('/threads/t/branch', { body }))
    const [, answer] = await memory.getMessages({ threadId: 't', resourceId: 'ada' })
    expect((await branch({ newThreadId: 'b', upTo: answer?.id })).status).toBe(200)
    expect(await said('b')).toEqual(['First', 'One'])
    expect((await branch({ upTo: 'nonesuch' })).status).toBe(400)
    await send('t', messages, again)
    expect(await said('t')).toEqual(['First', 'Three'])
    expect(JSON.stringify(model.lastPrompt)).not.toContain('One')
    await send('b', [userMessage('Other', 'm3')])
    expect(await said('b')).toEqual(['First', 'One', 'Other', 'Four'])
    expect(await said('t')).toEqual(['First', 'Three'])
    await send('t', [userMessage('First, edited', 'm4')])
    expect(await said('t')).toEqual(['First', 'Three', 'First, edited', 'Five'])
  })

  test('finds threads by title, metadata and words', async () => {
    const { handler, memory } = await adasServer()
    await memory.saveThread({
      threadId: 'adas',
      resourceId: 'ada',
      title: 'Old things',
      metadata: { color: 'red' },
    })
    const find = async (query: string) => {
      const response = await handler(request(`/search/threads?${query}`))
      const { threads } = (await response.json()) as { threads: { id: string; message?: { role: string } }[] }
      return threads.map(({ id, message }) => [id, message?.role])
    }
    expect(await find('query=vaults')).toEqual([['adas', 'assistant']])
    expect(await find('query=THING')).toEqual([['adas', undefined]])
    expect(await find(`metadata=${encodeURIComponent('{"color":"red"}')}`)).toEqual([['adas', undefined]])
    expect(await find('query=umbrella')).toEqual([])
    expect(await find('limit=1')).toHaveLength(1)
    for (const bad of ['limit=0', 'metadata=red', 'metadata={"x":{}}', `query=${'x'.repeat(2_001)}`]) {
      const refused = await handler(request(`/search/threads?${bad}`))
      expect([bad, refused.status]).toEqual([bad, 400])
    }
  })

  test('exports and deletes all data', async () => {
    const { handler } = await adasServer()
    const lines = (await (await handler(request('/data'))).text()).trim().split('\n')
    const rows = lines.map((line) => JSON.parse(line) as { type: string })
    expect(rows.map(({ type }) => type)).toContain('thread')
    expect(JSON.stringify(rows)).toContain('4711')
    await handler(request('/data', { method: 'DELETE' }))
    expect(await (await handler(request('/data'))).text()).toBe('')
    expect(await (await handler(request('/agents/support/runs'))).json()).toEqual({ runs: [] })
  })

  test('deletes vectors that are stored apart from messages', async () => {
    const embedder = {
      provider: 'example',
      modelId: 'embedding',
      maxEmbeddingsPerCall: 10,
      doEmbed: async ({ values }: { values: string[] }) => ({ embeddings: values.map(() => [1, 0]) }),
    }
    const vectors = new InMemoryVectorStore()
    const memory = new Memory({ storage: new InMemoryStore(), semanticRecall: { embedder, vectors } })
    const { handler } = scene({ model: new ScriptedModel(['The vault code is 4711.']) }, { memory })
    await chunksOf(await handler(chatRequest('What is the code?')))
    const kept = () =>
      vectors.searchVectors({ resourceId: 'ada', model: 'example/embedding', vector: [1, 0] })
    await expect.poll(kept).toHaveLength(2)
    await handler(request('/data', { method: 'DELETE' }))
    expect(await kept()).toEqual([])
  })
})
