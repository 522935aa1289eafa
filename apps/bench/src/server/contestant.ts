// A server in its own process: `bare` pipes the model's stream, `millrace` serves an agent with the same model.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Agent } from '@millrace/core'
import { createHandler } from '@millrace/server'
import { Hono } from 'hono'
import { pacedModel } from './paced-model.ts'

const servers: Record<string, () => (request: Request) => Response | Promise<Response>> = { bare, millrace }
const contestant = servers[process.argv[2] ?? '']
if (!contestant)
  throw new Error(`There is no server '${process.argv[2]}'. Use ${Object.keys(servers).join(' or ')}.`)

const server = createServer(getRequestListener(contestant()))
server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, () => {
  process.send?.({ port: (server.address() as AddressInfo).port })
})
process.on('message', () => {
  for (let times = 0; times < 3; times++) globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  process.send?.({ bytes: heapUsed + external })
})

function bare(): (request: Request) => Response | Promise<Response> {
  const app = new Hono()
  app.post('/agents/support/chat', async (context) => {
    const { messages } = (await context.req.json()) as { messages: { parts: { text: string }[] }[] }
    const content = messages.flatMap(({ parts }) =>
      parts.map(({ text }) => ({ type: 'text' as const, text })),
    )
    const { stream } = await pacedModel.doStream({
      prompt: [{ role: 'user', content }],
      abortSignal: context.req.raw.signal,
    })
    const encoder = new TextEncoder()
    const events = stream.pipeThrough(
      new TransformStream({
        transform: (part, controller) =>
          controller.enqueue(encoder.encode(`data: ${JSON.stringify(part)}\n\n`)),
      }),
    )
    return new Response(events, { headers: { 'content-type': 'text/event-stream' } })
  })
  return (request) => app.fetch(request)
}

function millrace(): (request: Request) => Promise<Response> {
  return createHandler({
    agents: { support: new Agent({ model: pacedModel }) },
    authenticate: (request) => ({ resourceId: request.headers.get('x-user') ?? 'nobody' }),
    onReaderGone: 'cancel',
    onError: () => {},
  })
}
