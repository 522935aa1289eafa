import { tool } from '@millrace/core'
import { gate, ScriptedModel, toolCall } from '@millrace/testing'
import { DefaultChatTransport, readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { scene } from './scene.ts'

/** The AI SDK's transport, which `useChat` uses, connected to a handler. */
function transportTo(handler: (request: Request) => Promise<Response>): DefaultChatTransport<UIMessage> {
  return new DefaultChatTransport({
    api: 'https://chat.example.com/agents/support/chat',
    headers: { 'x-user': 'ada' },
    fetch: (input, init) => handler(new Request(input, init)),
  })
}

function send(
  transport: DefaultChatTransport<UIMessage>,
  messages: UIMessage[],
  abortSignal?: AbortSignal,
): Promise<ReadableStream<UIMessageChunk>> {
  return transport.sendMessages({
    chatId: 'thread-1',
    messages,
    trigger: 'submit-message',
    messageId: undefined,
    abortSignal,
  })
}

async function lastMessage(stream: ReadableStream<UIMessageChunk>, message?: UIMessage): Promise<UIMessage> {
  let last: UIMessage | undefined
  for await (const each of readUIMessageStream({ stream, ...(message && { message }) })) last = each
  return last as UIMessage
}

const user = (text: string): UIMessage => ({
  id: crypto.randomUUID(),
  role: 'user',
  parts: [{ type: 'text', text }],
})

test('the transport of useChat sends a message and reads the answer', async () => {
  const { handler } = scene({ model: new ScriptedModel(['Hello Ada']) })
  const message = await lastMessage(await send(transportTo(handler), [user('Hi')]))
  expect(message.parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'Hello Ada' }))
})

test('it reconnects to an answer in progress, and gets nothing if there is none', async () => {
  const held = gate()
  const { handler } = scene({ model: new ScriptedModel([['Hello ', held, 'Ada']]) })
  const leaving = new AbortController()
  await send(transportTo(handler), [user('Hi')], leaving.signal)
  leaving.abort()
  const reloaded = transportTo(handler)
  const stream = await reloaded.reconnectToStream({ chatId: 'thread-1' })
  held.open()
  const message = await lastMessage(stream as ReadableStream<UIMessageChunk>)
  expect(message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')).toBe('Hello Ada')
  expect(await reloaded.reconnectToStream({ chatId: 'thread-1' })).toBeNull()
})

test('an approval in its messages resumes the waiting run once', async () => {
  let refunds = 0
  const refund = tool({
    inputSchema: z.object({ amount: z.number() }),
    needsApproval: true,
    execute: () => {
      refunds++
      return 'refunded'
    },
  })
  const { handler } = scene({
    model: new ScriptedModel([toolCall('refund', { amount: 20 }), 'Done.']),
    tools: { refund },
  })
  const transport = transportTo(handler)
  const question = user('Refund 20')
  const waiting = await lastMessage(await send(transport, [question]))
  const answered: UIMessage = {
    ...waiting,
    parts: waiting.parts.map((part) =>
      part.type === 'tool-refund' && 'approval' in part && part.approval
        ? ({
            ...part,
            state: 'approval-responded',
            approval: { id: part.approval.id, approved: true },
          } as never)
        : part,
    ),
  }
  const done = await lastMessage(await send(transport, [question, answered]), structuredClone(answered))
  expect(done.parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'Done.' }))
  expect(refunds).toBe(1)
  const again = (await send(transport, [question, answered])).getReader()
  let chunks = ''
  for (let read = await again.read(); !read.done; read = await again.read())
    chunks += JSON.stringify(read.value)
  expect(chunks).toContain('RUN_ALREADY_RESUMED')
  expect(refunds).toBe(1)
})
