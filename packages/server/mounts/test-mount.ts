import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { MountedServer } from './started-server.ts'

export interface MountTestOptions {
  /** Starts an example on a free port. */
  start: () => Promise<MountedServer>
  /** Whether SIGTERM shuts it down gracefully. Default: except on Windows, which has no such signal. */
  endsInOrder?: boolean
}

const signedIn = { authorization: 'Bearer key-of-ada', 'content-type': 'application/json' }

/** The contract of the handler, tested over real HTTP in each framework. */
export function testMount(
  name: string,
  { start, endsInOrder = process.platform !== 'win32' }: MountTestOptions,
): void {
  describe(name, () => {
    let server: MountedServer
    let api: Api
    beforeAll(async () => {
      server = await start()
      api = new Api(server.origin)
    })
    afterAll(async () => {
      if (endsInOrder) expect(await server.end()).toBe(0)
      await server.stop()
    })

    test('answers, and stores the conversation', async () => {
      expect(await (await api.get('/ready')).json()).toEqual({ status: 'ok' })
      const answer = await api.chat('kept', 'Hi')
      expect(answer.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
      expect(await answer.text()).toContain('Ada')
      const { threads } = (await (await api.get('/threads')).json()) as { threads: object[] }
      expect(threads).toContainEqual(expect.objectContaining({ id: 'kept', messageCount: 2 }))
    })

    test('forwards every method, and refuses requests as the handler does', async () => {
      await (await api.chat('renamed', 'Hi')).text()
      const path = '/threads/renamed'
      const renamed = await api.send(path, { method: 'PATCH', body: JSON.stringify({ title: 'Greetings' }) })
      expect(await renamed.json()).toMatchObject({ title: 'Greetings' })
      expect(await (await api.send(path, { method: 'DELETE' })).json()).toEqual({ deleted: true })
      expect((await api.get('/nowhere')).status).toBe(404)
      expect((await api.send('/threads', { headers: {} })).status).toBe(401)
      const broken = await api.send('/agents/support/chat', { method: 'POST', body: '{' })
      expect([broken.status, await broken.json()]).toMatchObject([400, { error: {} }])
    })

    test('streams an answer as it is generated, also to a second reader, and stops it', async () => {
      const stream = '/agents/support/chat/stopped/stream'
      const first = new EventReader(await api.chat('stopped', 'Wait'))
      // This answer never ends, so chunks that arrive were not buffered until the end.
      await first.readUntil('Ada')
      const second = new EventReader(await api.get(stream))
      await second.readUntil('Ada')
      await second.leave()
      const third = new EventReader(await api.get(stream))
      await third.readUntil('Hello')
      const stopped = await api.send('/agents/support/chat/stopped/stop', { method: 'POST' })
      expect(await stopped.json()).toEqual({ stopped: true })
      await Promise.all([first.readUntil('[DONE]'), third.readUntil('[DONE]')])
      expect(third.text).toContain('"type":"abort"')
      expect((await api.get(stream)).status).toBe(204)
    })
  })
}

class Api {
  readonly #origin: string

  constructor(origin: string) {
    this.#origin = origin
  }

  send(path: string, init: RequestInit = {}): Promise<Response> {
    // A connection for each request: an open one would delay the shutdown of the server.
    const headers = { connection: 'close', ...(init.headers ?? signedIn) }
    return fetch(`${this.#origin}/api${path}`, { ...init, headers })
  }

  get(path: string): Promise<Response> {
    return this.send(path)
  }

  chat(id: string, text: string): Promise<Response> {
    const messages = [{ id: crypto.randomUUID(), role: 'user', parts: [{ type: 'text', text }] }]
    return this.send('/agents/support/chat', { method: 'POST', body: JSON.stringify({ id, messages }) })
  }
}

class EventReader {
  text = ''
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #decoder = new TextDecoder()

  constructor(response: Response) {
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    this.#reader = (response.body as ReadableStream<Uint8Array>).getReader()
  }

  async readUntil(wanted: string): Promise<void> {
    while (!this.text.includes(wanted)) {
      const { value, done } = await this.#reader.read()
      if (done) throw new Error(`The stream ended without '${wanted}': ${this.text}`)
      this.text += this.#decoder.decode(value, { stream: true })
    }
  }

  leave(): Promise<void> {
    return this.#reader.cancel()
  }
}
