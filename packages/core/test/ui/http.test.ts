import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { Agent, parseUIMessages, tool } from '@millrace/core'
import { InMemoryRunStore } from '@millrace/core/storage'
import { gate, ScriptedModel, toolCall } from '@millrace/testing'
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai'
import { afterEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { TestChat } from './test-chat.ts'

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
})

/** A route handler, `Request` body in, `Response` out, on a port of its own. */
async function serve(handle: (body: { messages: unknown }) => Response): Promise<string> {
  const server = createServer(async (request, response) => {
    const answer = handle((await json(request)) as { messages: unknown })
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    await send(answer, response)
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function send({ body }: Response, response: ServerResponse): Promise<void> {
  try {
    await pipeline(Readable.fromWeb(body as ReadableStream), response)
  } catch {
    // The client has closed the connection.
  }
}

test('a chat over HTTP: tools, an approval, Stop, and the next turn', async () => {
  const execute = vi.fn(({ amount }: { amount: number }) => `refunded ${amount}`)
  const pause = gate()
  const model = new ScriptedModel([
    ['Let me see. ', toolCall('refund', { amount: 5 })],
    'Done.',
    ['Once upon ', pause, 'a time.'],
    'Sure.',
  ])
  const agent = new Agent({
    model,
    storage: new InMemoryRunStore(),
    tools: { refund: tool({ inputSchema: z.object({ amount: z.number() }), needsApproval: true, execute }) },
  })
  const runs: ReturnType<typeof agent.stream>[] = []
  const api = await serve(({ messages }) => {
    const run = agent.stream(parseUIMessages(messages), { threadId: 't' })
    runs.push(run)
    return run.toUIMessageStreamResponse()
  })
  const chat = new TestChat({
    transport: new DefaultChatTransport({ api }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })

  await chat.sendMessage({ text: 'Refund 5.' })
  expect(chat.error).toBeUndefined()
  await chat.addToolApprovalResponse({ id: chat.parts[2].approval.id, approved: true })
  await chat.until(() => chat.parts.at(-1)?.text === 'Done.' && chat.status === 'ready')
  expect(execute).toHaveBeenCalledTimes(1)
  expect(chat.messages).toHaveLength(2)

  const sending = chat.sendMessage({ text: 'A story, please.' })
  await chat.until(() => chat.parts.at(-1)?.text === 'Once upon ')
  await chat.stop()
  await sending
  expect(await runs[2]?.status).toBe('aborted')
  await model.lastStream.settled
  expect(['aborted', 'cancelled']).toContain(model.lastStream.outcome)

  await chat.sendMessage({ text: 'Go on.' })
  expect(chat.parts.at(-1)).toMatchObject({ text: 'Sure.' })
  expect(chat.messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'user',
    'assistant',
    'user',
    'assistant',
  ])
})
