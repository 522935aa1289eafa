import { InMemoryStore } from '@millrace/core/storage'
import { expect, onTestFinished, test } from 'vitest'
import { startChatServer } from './chat-server.ts'
import { scriptedModel } from './scripted-model.ts'

/** Starts a server, and sends requests with a session. */
async function serve(): Promise<
  (session: string | undefined, path: string, body?: unknown) => Promise<Response>
> {
  const server = await startChatServer({ model: scriptedModel(), storage: new InMemoryStore() })
  onTestFinished(() => server.close({ timeoutMs: 0 }))
  return (session, path, body) =>
    fetch(`${server.url}/api${path}`, {
      headers: {
        'content-type': 'application/json',
        ...(session !== undefined && { cookie: `fernhill-session=${session}` }),
      },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    })
}

const question = (text: string) => ({
  id: 'thread-1',
  messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text }] }],
})

test('refuses requests without a session, or with a forged one', async () => {
  const request = await serve()
  for (const session of [undefined, '', 'ada', `${crypto.randomUUID()}x`]) {
    expect((await request(session, '/threads')).status).toBe(401)
  }
})

test('conversations are private to a session', async () => {
  const request = await serve()
  const [ada, ben] = [crypto.randomUUID(), crypto.randomUUID()]
  const answer = await request(ada, '/agents/support/chat', question('Where is my order 1042?'))
  expect(await answer.text()).toContain('on its way to you')
  expect((await request(ada, '/threads/thread-1/messages')).status).toBe(200)
  expect((await request(ben, '/threads/thread-1/messages')).status).toBe(404)
})

test('a staff voucher is in no chunk and in no thread', async () => {
  const request = await serve()
  const ada = crypto.randomUUID()
  const answer = await (
    await request(ada, '/agents/support/chat', question('Is there a voucher code?'))
  ).text()
  expect(answer).toContain('data-tripwire')
  expect(answer).toContain('reset-step')
  const thread = await (await request(ada, '/threads/thread-1/messages')).text()
  for (const text of [answer, thread]) expect(text).not.toContain('7731')
})
