import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the server does with a completion: send deltas, respond with an error status, or call back and hang. */
export type Completion =
  | { deltas: object[]; finishReason: string }
  | { status: number; message: string }
  | { silent: () => void }

export interface CompatibleServer extends AsyncDisposable {
  baseURL: string
  requests: Request[]
}

interface Request {
  url: string
  authorization: string | undefined
  body: { model: string; stream: boolean; messages: object[] } | undefined
}

/** A server on loopback with OpenAI's chat completions. It sends the answers in order. */
export async function compatibleServer({
  models = ['small-chat'],
  completions = [],
}: {
  models?: string[]
  completions?: Completion[]
}): Promise<CompatibleServer> {
  const requests: CompatibleServer['requests'] = []
  const waiting = [...completions]

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const data of request.setEncoding('utf8')) body += data
    const { url = '', headers } = request
    requests.push({
      url,
      authorization: headers.authorization,
      body: body === '' ? undefined : JSON.parse(body),
    })
    if (url === '/v1/models') return json(response, 200, { data: models.map((id) => ({ id })) })
    const completion = waiting.shift() ?? { status: 500, message: 'Nothing left to say' }
    if ('silent' in completion) return completion.silent()
    if ('status' in completion)
      return json(response, completion.status, { error: { message: completion.message, type: 'error' } })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const { deltas, finishReason } = completion
    for (const delta of deltas) response.write(event({ choices: [{ index: 0, delta }] }))
    response.write(event({ choices: [{ index: 0, delta: {}, finish_reason: finishReason }] }))
    response.end('data: [DONE]\n\n')
  }

  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function event(data: object): string {
  return `data: ${JSON.stringify({ id: 'completion', model: 'small-chat', object: 'chat.completion.chunk', ...data })}\n\n`
}
