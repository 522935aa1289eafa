import type { Agent } from '@millrace/core'
import { onTestFinished } from 'vitest'
import { type StudioOptions, studio } from '../src/index.ts'
import type { ErrorBody, RunDetail, RunSummary, RunsPage } from '../src/wire.ts'

/** Runs after the current test, in reverse order. */
export function onCleanup(cleanup: () => unknown): void {
  onTestFinished(async () => {
    await cleanup()
  })
}

/** A server-sent event. */
export interface SentEvent {
  event: string
  data: unknown
}

/** A client of the studio server, as the page uses it. */
export class Client {
  readonly url: string
  readonly token: string

  constructor(link: string) {
    const { origin, hash } = new URL(link)
    this.url = origin
    this.token = new URLSearchParams(hash.slice(1)).get('token') ?? ''
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    if (!headers.has('authorization')) headers.set('authorization', `Bearer ${this.token}`)
    return fetch(new URL(path, this.url), { ...init, headers })
  }

  async get<BODY>(path: string): Promise<BODY> {
    const response = await this.fetch(path)
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
    return (await response.json()) as BODY
  }

  send(path: string, body: unknown): Promise<Response> {
    const headers = { 'content-type': 'application/json' }
    return this.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  }

  async post<BODY>(path: string, body: unknown): Promise<BODY> {
    const response = await this.send(path, body)
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
    return (await response.json()) as BODY
  }

  async refusal(path: string, body: unknown): Promise<{ status: number } & ErrorBody['error']> {
    const response = await this.send(path, body)
    const { error } = (await response.json()) as ErrorBody
    return { status: response.status, ...error }
  }

  async runs(query = ''): Promise<RunSummary[]> {
    return (await this.get<RunsPage>(`/api/runs${query}`)).runs
  }

  run(runId: string, query = ''): Promise<RunDetail> {
    return this.get(`/api/runs/${runId}${query}`)
  }

  /** Waits until a run has ended. */
  async ended(runId: string): Promise<RunDetail> {
    let last: RunDetail | undefined
    for await (const { event, data } of this.events(`/api/runs/${runId}/events`)) {
      if (event === 'end') last = data as RunDetail
    }
    if (!last) throw new Error(`The run '${runId}' did not end.`)
    return last
  }

  /** The events of a stream, until it ends or the caller stops. */
  async *events(path: string, init: RequestInit = {}): AsyncGenerator<SentEvent> {
    const left = new AbortController()
    const response = await this.fetch(path, { ...init, signal: left.signal })
    if (!response.ok || !response.body) throw new Error(`${response.status}: ${await response.text()}`)
    let text = ''
    try {
      for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
        text += piece
        const blocks = text.split('\n\n')
        text = blocks.pop() ?? ''
        for (const block of blocks) {
          // In this protocol only line feeds end lines, not the other Unicode line breaks.
          const fieldOf = (name: string): string | undefined =>
            block
              .split('\n')
              .find((line) => line.startsWith(name))
              ?.slice(name.length)
          const [event, data] = [fieldOf('event: '), fieldOf('data: ')]
          if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) }
        }
      }
    } finally {
      left.abort()
    }
  }
}

/** Records agents in memory, and serves the records. */
export async function watched(
  agents: Record<string, Agent>,
  options: Partial<StudioOptions> = {},
): Promise<{ client: Client; trace: ReturnType<typeof studio> }> {
  const trace = studio({ agents, file: false, ...options })
  onCleanup(() => trace.close())
  const link = await trace.link()
  if (link === undefined) throw new Error('There is no server.')
  return { client: new Client(link), trace }
}
