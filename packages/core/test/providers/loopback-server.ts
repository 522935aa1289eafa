import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How the server answers one request. A response that is left open stays open until the test goes on with it. */
export type Answer = (exchange: Exchange) => void

/** Answers with a whole event stream. */
export function streams(events: readonly string[], headers: Record<string, string> = {}): Answer {
  return (exchange) => exchange.send(events, headers).end()
}

/** Sends events, none by default, and leaves the rest to the test. */
export function holds(events: readonly string[] = []): Answer {
  return (exchange) => {
    if (events.length > 0) exchange.send(events)
  }
}

/** Answers with an HTTP error and a JSON body. */
export function fails(status: number, body: object, headers: Record<string, string> = {}): Answer {
  return (exchange) => exchange.fail(status, body, headers)
}

/** Closes the connection without an answer, or once the client has got the head of one. */
export function cuts(headers?: Record<string, string>): Answer {
  return (exchange) => {
    if (headers) exchange.send([], headers)
    exchange.cut()
  }
}

/** One request, as it came, and the response to it. */
export class Exchange {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The JSON the client sent. */
  readonly body: unknown
  /** Resolves when the response is over: ended by the server, or because the client closed the connection. */
  readonly closed: Promise<void>
  readonly #response: ServerResponse

  constructor(request: IncomingMessage, body: unknown, response: ServerResponse) {
    this.path = request.url ?? ''
    this.headers = request.headers
    this.body = body
    this.closed = new Promise((resolve) => response.once('close', resolve))
    this.#response = response
  }

  send(events: readonly string[], headers: Record<string, string> = {}): this {
    if (!this.#response.headersSent) {
      this.#response.writeHead(200, { 'content-type': 'text/event-stream', ...headers })
      this.#response.flushHeaders()
    }
    for (const event of events) this.#response.write(event)
    return this
  }

  end(): void {
    this.#response.end()
  }

  fail(status: number, body: object, headers: Record<string, string>): void {
    this.#response.writeHead(status, { 'content-type': 'application/json', ...headers })
    this.#response.end(JSON.stringify(body))
  }

  /** Destroys the connection as soon as what was sent before has left. */
  cut(): void {
    if (this.#response.headersSent) this.#response.write(': cut\n\n', () => this.#response.destroy())
    else this.#response.destroy()
  }
}

/** A model provider's server on 127.0.0.1, with an answer for every request in order. */
export class LoopbackServer {
  /** Every request so far, in order. */
  readonly exchanges: Exchange[] = []
  readonly #server = createServer((request, response) => this.#receive(request, response))
  readonly #answers: Answer[] = []
  readonly #expected: ((exchange: Exchange) => void)[] = []

  static async start(): Promise<LoopbackServer> {
    const server = new LoopbackServer()
    server.#server.listen(0, '127.0.0.1')
    await once(server.#server, 'listening')
    return server
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The bodies of all requests so far. */
  get bodies(): unknown[] {
    return this.exchanges.map(({ body }) => body)
  }

  /** Answers the coming requests, one each. A request beyond them is refused. */
  answer(...answers: Answer[]): void {
    this.#answers.push(...answers)
  }

  /** The next request, once it has come and its answer, if any, has begun. */
  nextExchange(): Promise<Exchange> {
    return new Promise((resolve) => this.#expected.push(resolve))
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => this.#answer(request, text, response))
  }

  #answer(request: IncomingMessage, text: string, response: ServerResponse): void {
    const exchange = new Exchange(request, JSON.parse(text), response)
    this.exchanges.push(exchange)
    const answer = this.#answers.shift() ?? fails(400, { error: { message: 'No answer is left.' } })
    answer(exchange)
    this.#expected.shift()?.(exchange)
  }
}
