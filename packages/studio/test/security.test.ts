import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createConnection } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, tool } from '@millrace/core'
import { ScriptedModel, text, toolCall } from '@millrace/testing'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { studio } from '../src/index.ts'
import { type Client, onCleanup, watched } from './scene.ts'

const folder = mkdtempSync(join(tmpdir(), 'millrace-studio-'))
afterAll(() => rmSync(folder, { recursive: true }))

const greeter = (): Agent => new Agent({ name: 'greeter', model: new ScriptedModel(() => 'Hello.') })

/** A request with headers that `fetch` would not send. */
function ask(
  client: Client,
  path: string,
  { method = 'GET', ...headers }: Record<string, string>,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(client.url)
    const sent = request({ hostname, port, path, method, headers }, (response) => {
      let body = ''
      response.on('data', (data) => (body += data))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
    })
    sent.on('error', reject)
    sent.end()
  })
}

describe('the server', () => {
  test('requires the token on every route with data', async () => {
    const { client } = await watched({ greeter: greeter() })
    for (const path of [
      '/api/info',
      '/api/runs',
      '/api/runs/x',
      '/api/events',
      '/api/suspended',
      '/api/nothing',
    ]) {
      for (const authorization of [
        '',
        'Bearer ',
        `Bearer ${client.token}x`,
        `Basic ${client.token}`,
        'Bearer x',
      ]) {
        const response = await client.fetch(path, { headers: { authorization } })
        expect(response.status, `${path} ${authorization}`).toBe(401)
      }
    }
    // Not in the URL, which is stored in histories.
    expect((await fetch(`${client.url}/api/info?token=${client.token}`)).status).toBe(401)
    expect((await client.fetch('/api/info')).status).toBe(200)
  })

  test('accepts host names of this machine only', async () => {
    const { client } = await watched({ greeter: greeter() })
    const authorization = `Bearer ${client.token}`
    const { port } = new URL(client.url)
    const hosts = [
      'evil.example',
      `evil.example:${port}`,
      `127.0.0.1.evil.example:${port}`,
      '127.0.0.1',
      `127.0.0.1:1`,
    ]
    for (const host of hosts) {
      expect((await ask(client, '/api/info', { host, authorization })).status, host).toBe(403)
      expect((await ask(client, '/', { host })).status, host).toBe(403)
    }
    expect((await ask(client, '/api/info', { host: `localhost:${port}`, authorization })).status).toBe(200)
  })

  test('refuses other origins, even with the token', async () => {
    const { client } = await watched({ greeter: greeter() })
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://127.0.0.1:1' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      const { status, body } = await ask(client, '/api/runs', {
        authorization: `Bearer ${client.token}`,
        ...headers,
      })
      expect(status, JSON.stringify(headers)).toBe(403)
      expect(JSON.parse(body).error.code).toBe('ORIGIN_REFUSED')
    }
    const own = {
      origin: client.url,
      'sec-fetch-site': 'same-origin',
      authorization: `Bearer ${client.token}`,
    }
    expect((await ask(client, '/api/runs', own)).status).toBe(200)
  })

  test('listens on loopback only', async () => {
    const { client } = await watched({ greeter: greeter() })
    const { port, hostname } = new URL(client.url)
    expect(hostname).toBe('127.0.0.1')
    const others = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4')
    for (const { address } of others) {
      const outcome = await new Promise((resolve) => {
        const socket = createConnection({ host: address, port: Number(port) })
        socket.on('connect', () => resolve('connected'))
        socket.on('error', () => resolve('refused'))
        onCleanup(() => socket.destroy())
      })
      expect(outcome, address).toBe('refused')
    }
  })

  test('allows the page only its own files and scripts', async () => {
    const { client } = await watched({ greeter: greeter() })
    for (const path of ['/', '/runs/x', '/api/info']) {
      const { headers } = await client.fetch(path)
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy, path).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toMatch(/unsafe|https?:|\*/)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
    }
    expect((await client.fetch('/api/runs')).headers.get('cache-control')).toBe('no-store')
  })

  test.each([
    '/..%2f..%2fpackage.json',
    '/%2e%2e/package.json',
    '/assets/..%2f..%2f..%2fpackage.json',
    '/assets/%00.js',
    '//etc/passwd',
  ])('serves no file outside of the page for %s', async (path) => {
    const { client } = await watched({ greeter: greeter() })
    const { body } = await ask(client, path, { host: new URL(client.url).host })
    expect(body).not.toContain('"version"')
    expect(body).not.toContain('root:')
  })

  test('refuses bodies that are too large, not JSON, or of another type', async () => {
    const { client } = await watched({ greeter: greeter() })
    const post = (body: string, type = 'application/json'): Promise<Response> =>
      client.fetch('/api/bench/judge', { method: 'POST', body, headers: { 'content-type': type } })
    expect((await post('{')).status).toBe(400)
    // A form on another page could send it.
    expect((await post('{}', 'text/plain')).status).toBe(400)
    expect((await post('[]')).status).toBe(400)
    // Refused by what its head says: who sends on would not hear the answer.
    const large = {
      method: 'POST',
      host: new URL(client.url).host,
      authorization: `Bearer ${client.token}`,
      'content-type': 'application/json',
      'content-length': `${33 * 1024 * 1024}`,
    }
    expect((await ask(client, '/api/bench/judge', large)).status).toBe(413)
  })

  test('hides the details of server faults', async () => {
    const errors: unknown[] = []
    const agent = greeter()
    agent.suspendedRuns = () => Promise.reject(new Error('The password is hunter2.'))
    const { client } = await watched({ agent }, { onError: (error) => errors.push(error) })
    const response = await client.fetch('/api/suspended')
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('hunter2')
    expect(errors).toHaveLength(1)
  })
})

describe('the file', () => {
  test('is readable by its owner only, with the files beside it, also if it was readable by others before', async () => {
    const file = join(folder, 'open.db')
    writeFileSync(file, '')
    chmodSync(file, 0o666)
    const agent = greeter()
    const { trace } = await watched({ agent }, { file })
    await agent.generate('Hi')
    await trace.flush()
    for (const name of [file, `${file}-wal`, `${file}-shm`]) {
      expect(statSync(name).mode & 0o777, name).toBe(0o600)
    }
  })

  test('refuses symbolic links, and files of other programs', async () => {
    const target = join(folder, 'target.db')
    const link = join(folder, 'link.db')
    writeFileSync(target, '')
    symlinkSync(target, link)
    const text = join(folder, 'notes.txt')
    writeFileSync(text, 'Nothing to see here, '.repeat(100))
    for (const file of [link, text, join(folder, 'nowhere', 'studio.db'), folder]) {
      const errors: unknown[] = []
      const trace = studio({ agents: { greeter: greeter() }, file, onError: (error) => errors.push(error) })
      await expect(trace.link(), file).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining(file),
      })
      expect(errors).toHaveLength(1)
    }
    expect(statSync(target).size).toBe(0)
  })

  test('is not created in production, unless inProduction is set', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    onCleanup(() => vi.unstubAllEnvs())
    const file = join(folder, 'production.db')
    const agent = greeter()
    const trace = studio({ agents: { agent }, file })
    await agent.generate('Hi')
    expect(trace.isRecording).toBe(false)
    expect(await trace.link()).toBeUndefined()
    expect(() => statSync(file)).toThrow('ENOENT')
    const { trace: asked } = await watched({ agent }, { file, inProduction: true })
    expect(asked.isRecording).toBe(true)
  })
})

test.each([
  [{ agents: undefined }, "needs a value for 'agents'"],
  [{ agents: { a: {} } }, 'agents.a is not an agent'],
  [{ agents: {}, port: 70_000 }, 'port is 70000'],
  [{ agents: {}, file: '' }, "file is ''"],
  [{ agents: {}, maxRuns: 0 }, 'maxRuns'],
  [{ agents: {}, prices: { models: { mini: { input: -1, output: 1 } } } }, "'input' of 'mini' is -1"],
])('refuses an invalid option, and names it: %j', (options, message) => {
  expect(() => studio(options as never)).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) }),
  )
})

/** What a model, tool or user may send to escape from its context. */
const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg/onload=alert(1)>',
  "'><iframe srcdoc='<script>alert(1)</script>'>",
  '</pre></body></html><script>alert(1)</script>',
  '{{constructor.constructor("alert(1)")()}}',
  'javascript:alert(1)',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '<!--<script>',
  ']]><script>alert(1)</script>',
  '\u2028\u2029</script><script>alert(1)</script>',
  '\u0000\u0007\u001b[2J\u009b31m',
  '\u202Etxt.exe\u202C <b onclick=alert(1)>x</b>',
  'data: x\n\nevent: end\ndata: {}\n\n',
  '\ud800 lone surrogate \udfff',
  '__proto__',
  'constructor',
  '%00../../etc/passwd',
  '<style>@import url(https://evil.example)</style>',
  '<base href=https://evil.example><form action=//evil.example><input name=q>',
]

describe('hostile text in every field', () => {
  test('is escaped in every response, stream and export', async () => {
    const hostile = HOSTILE.join(' ')
    const [name = ''] = HOSTILE
    const agent = new Agent({
      name,
      instructions: hostile,
      model: new ScriptedModel([[text(hostile), toolCall(name, { [name]: hostile })], text(hostile)], {
        modelId: name,
      }),
      tools: {
        [name]: tool({
          description: hostile,
          inputSchema: z.record(z.string(), z.string()),
          execute: (input) => ({ [hostile]: input }),
        }),
      },
      processors: [
        {
          id: name,
          processInput: ({ messages }) => {
            for (const { content } of messages) content.parts = [{ type: 'text', text: `${hostile}!` }]
          },
          processOutputStep: ({ abort, retryCount, text: said }) =>
            retryCount === 0 && said !== ''
              ? abort(hostile, { retry: true, metadata: { [name]: hostile } })
              : undefined,
        },
      ],
    })
    const { client, trace } = await watched({ [name]: agent })
    await agent.generate(hostile, { threadId: hostile, resourceId: hostile }).catch(() => {})
    await trace.flush()
    const [summary] = await client.runs()
    const id = summary?.id ?? ''
    expect(summary).toMatchObject({ agentName: name, threadId: hostile.toWellFormed() })

    const detail = await client.fetch(`/api/runs/${id}`)
    expect(detail.headers.get('content-type')).toContain('application/json')
    expect(JSON.stringify(await detail.json())).toContain('alert(1)')

    const page = await client.fetch(`/api/runs/${id}/export?format=html`)
    expect(page.headers.get('content-disposition')).toMatch(/^attachment; filename="run-[\w-]+\.html"$/)
    const html = await page.text()
    // Only the elements that Studio creates.
    const elements = new Set(
      [...html.matchAll(/<\/?([a-z!][\w-]*)/gi)].map(([, element]) => element?.toLowerCase()),
    )
    const known =
      'html head meta title style body h1 h2 h3 table tr th td p pre div details summary strong span del ins mark !doctype'
    for (const element of elements) expect(known.split(' ')).toContain(element)
    expect(html).not.toMatch(/<[^>]+\son\w+\s*=/i)
    expect(
      [...html].some((character) => /(?!\n|\t)\p{Cc}|[\u202A-\u202E\u2066-\u2069]/u.test(character)),
    ).toBe(false)

    const file = await (await client.fetch(`/api/runs/${id}/export?format=json`)).json()
    const { runId } = await client.post<{ runId: string }>('/api/import', file)
    expect((await client.run(runId)).reader).toEqual((await client.run(id)).reader)

    for await (const { event } of client.events(`/api/runs/${id}/events`))
      expect(['run', 'end']).toContain(event)
  })

  test.each(HOSTILE)('matches nothing and causes no error as a parameter: %j', async (text) => {
    const { client } = await watched({ greeter: greeter() })
    const encoded = encodeURIComponent(text.toWellFormed())
    for (const path of [
      `/api/runs/${encoded}`,
      `/api/runs/${encoded}/export?format=html`,
      `/api/runs?cursor=${encoded}`,
      `/api/runs?search=${encoded}&agent=${encoded}&state=${encoded}`,
    ]) {
      const response = await client.fetch(path)
      expect([200, 404], path).toContain(response.status)
      expect(response.headers.get('content-type')).toContain('application/json')
    }
  })
})
