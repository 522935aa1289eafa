import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { ErrorBody, Route } from '../../src/wire.ts'
import { readToken } from './token.ts'

/** An error response of the server. */
export class RequestFailed extends Error {
  /** The HTTP status. */
  readonly status: number
  readonly code: ErrorBody['error']['code'] | undefined

  constructor(status: number, { code, message }: Partial<ErrorBody['error']>) {
    super(message ?? `The server responded with ${status}.`)
    this.name = 'RequestFailed'
    this.status = status
    this.code = code
  }
}

export interface RequestOptions {
  /** The path parameters, by name. */
  params?: Readonly<Record<string, string>>
  query?: object
  /** Sent as JSON. */
  body?: unknown
  signal?: AbortSignal | undefined
}

export async function request<RESULT>(route: Route, options?: RequestOptions): Promise<RESULT> {
  return (await (await send(route, options)).json()) as RESULT
}

/** Downloads a file and its name. */
export async function requestFile(
  route: Route,
  options?: RequestOptions,
): Promise<{ name: string; content: Blob }> {
  const response = await send(route, options)
  const [, name] = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? []
  return { name: name ?? 'run', content: await response.blob() }
}

/** An event of a stream: a union, discriminated by its name. */
export type StreamEvent<EVENTS> = { [NAME in keyof EVENTS]: { name: NAME; data: EVENTS[NAME] } }[keyof EVENTS]

/** The events of a route, until the stream ends or the signal is aborted. */
export async function* requestEvents<EVENTS>(
  route: Route,
  options?: RequestOptions,
): AsyncGenerator<StreamEvent<EVENTS>> {
  const { body } = await send(route, options)
  if (!body) return
  const events = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .pipeThrough(new EventSourceParserStream())
  for await (const { event, data } of events) {
    if (event !== undefined) yield { name: event, data: JSON.parse(data) } as StreamEvent<EVENTS>
  }
}

/** The URL of a route, with path and query parameters. */
export function addressOf({ path }: Route, { params = {}, query = {} }: RequestOptions = {}): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams(
    Object.entries(query)
      .filter(([, value]) => value !== undefined && value !== '')
      .map(([name, value]) => [name, String(value)]),
  )
  return search.size > 0 ? `${filled}?${search}` : filled
}

async function send(route: Route, options: RequestOptions = {}): Promise<Response> {
  const { body, signal } = options
  const response = await fetch(addressOf(route, options), {
    method: route.method,
    headers: {
      authorization: `Bearer ${readToken()}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  if (response.ok) return response
  const { error = {} } = (await response.json().catch(() => ({}))) as Partial<ErrorBody>
  throw new RequestFailed(response.status, error)
}
