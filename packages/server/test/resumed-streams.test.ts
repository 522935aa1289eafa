import { tool } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import { Memory } from '@millrace/memory'
import { type Gate, gate, ScriptedModel, text, toolCall } from '@millrace/testing'
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { chunksOf, request, scene, userMessage } from './scene.ts'

const CHAT = '/agents/support/chat'
const refund = tool({
  inputSchema: z.object({ amount: z.number() }),
  needsApproval: true,
  execute: ({ amount }) => `refunded ${amount}`,
})

/** The message that a client of the AI SDK has at the end of a stream. */
async function rebuilt(response: Response, message?: UIMessage): Promise<UIMessage> {
  const chunks = (await chunksOf(response)) as UIMessageChunk[]
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  let last: UIMessage | undefined
  const given = message && { message: structuredClone(message) }
  for await (const state of readUIMessageStream({ stream, ...given })) last = state
  return last as UIMessage
}

/** A conversation whose run waits for an approval after some text. */
async function waiting({ persist, held }: { persist: 'turn' | 'step'; held: Gate }) {
  const memory = new Memory({ storage: new InMemoryStore(), persist })
  const model = new ScriptedModel([
    [text('Let me see. '), toolCall('refund', { amount: 20 })],
    [held, text('Done.')],
  ])
  const here = scene({ model, tools: { refund } }, { memory })
  const there = scene({ model: new ScriptedModel([]), tools: { refund } }, { memory })
  const question = userMessage('Refund 20', 'm1')
  const asked = request(CHAT, { body: { id: 'thread-1', messages: [question] } })
  const asks = await rebuilt(await here.handler(asked))
  return { here, there, question, asks }
}

function answered({ parts, ...message }: UIMessage, approved: boolean): UIMessage {
  return {
    ...message,
    parts: parts.map((part) =>
      'approval' in part && part.approval
        ? ({ ...part, state: 'approval-responded', approval: { ...part.approval, approved } } as never)
        : part,
    ),
  }
}

async function listed(server: Awaited<ReturnType<typeof waiting>>['here']): Promise<UIMessage[]> {
  const response = await server.handler(request('/threads/thread-1/messages'))
  return response.status === 404 ? [] : ((await response.json()) as { messages: UIMessage[] }).messages
}

describe.each(['turn', 'step'] as const)('with persist %s, a page that loads', (persist) => {
  test('while a run waits gets the whole message, under the same id as other pages', async () => {
    const { here, there, asks } = await waiting({ persist, held: gate() })
    for (const server of [here, there]) {
      const last = (await listed(server)).at(-1)
      expect(last?.id).toBe(asks.id)
      expect(last?.parts).toMatchObject(asks.parts.map(({ type }) => ({ type })))
      expect(JSON.stringify(last)).toContain('Let me see.')
    }
  })

  test.each([true, false])(
    'while a resumed run answers (approved: %s) gets the whole message from its stream, in any process',
    async (approved) => {
      const held = gate()
      const { here, there, question, asks } = await waiting({ persist, held })
      const own = answered(asks, approved)
      const first = await here.handler(request(CHAT, { body: { id: 'thread-1', messages: [question, own] } }))
      await held.reached
      const reloaded = await here.handler(request(`${CHAT}/thread-1/stream`))
      const elsewhere = await there.handler(request(`${CHAT}/thread-1/stream`))
      // As a page that received the answer and then lost its connection.
      const again = await here.handler(request(`${CHAT}/thread-1/stream`))
      held.open()
      const whole = await rebuilt(first, own)
      expect(whole.id).toBe(asks.id)
      expect(JSON.stringify(whole)).toMatch(/Let me see.*Done\./)
      for (const response of [reloaded, elsewhere, again]) {
        const message = await rebuilt(response)
        expect(message.id).toBe(whole.id)
        expect(plain(message)).toEqual(plain(whole))
      }
      await here.handler.close()
      // The stored message is the same.
      const stored = (await listed(there)).find(({ role }) => role === 'assistant')
      expect(stored?.id).toBe(whole.id)
      expect(here.errors).toEqual([])
    },
  )
})

/** Without the ids that a stream gives to texts and the parts that only mark the wait. */
function plain({ parts }: UIMessage): unknown[] {
  return parts
    .filter(({ type }) => type !== 'data-suspended')
    .map((part) => {
      const { state, errorText, ...rest } = part as { state?: string; errorText?: string }
      return { ...rest, ...(errorText && { errorText }), state: state === 'streaming' ? 'done' : state }
    })
}

test('the first reader of a resumed run gets only the new chunks', async () => {
  const held = gate()
  held.open()
  const { here, question, asks } = await waiting({ persist: 'turn', held })
  const body = { id: 'thread-1', messages: [question, answered(asks, true)] }
  const chunks = await chunksOf(await here.handler(request(CHAT, { body })))
  expect(chunks[0]).toEqual({ type: 'start' })
  expect(JSON.stringify(chunks)).not.toContain('Let me see.')
})
