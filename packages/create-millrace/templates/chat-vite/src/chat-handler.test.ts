import { ScriptedModel } from '@millrace/testing'
import { expect, test } from 'vitest'
import { createChatHandler } from './chat-handler.ts'
import { beginSession } from './session.ts'

const handler = createChatHandler({
  model: new ScriptedModel(['Hello Jo.'], { repeat: 'last' }),
  path: ':memory:',
})

const signIn = (): string =>
  beginSession(new Request('https://chat.example.com/session')).headers.get('set-cookie')?.split(';')[0] ?? ''

function send(path: string, { cookie, body }: { cookie?: string; body?: object } = {}): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...(cookie !== undefined && { cookie }) }
  const init = body ? { method: 'POST', body: JSON.stringify(body) } : {}
  return handler(new Request(`https://chat.example.com/api${path}`, { headers, ...init }))
}

const question = {
  id: 'thread-1',
  messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'I am Jo.' }] }],
}

test('who has no session is refused', async () => {
  expect((await send('/threads')).status).toBe(401)
  expect((await send('/threads', { cookie: 'session=jo' })).status).toBe(401)
})

test('what a person says is kept, and found by that person alone', async () => {
  const [jo, ben] = [signIn(), signIn()]
  const answer = await send('/agents/shop/chat', { cookie: jo, body: question })
  expect(await answer.text()).toContain('Jo.')
  expect(await (await send('/threads/thread-1/messages', { cookie: jo })).text()).toContain('I am Jo.')
  expect((await send('/threads/thread-1/messages', { cookie: ben })).status).toBe(404)
})
