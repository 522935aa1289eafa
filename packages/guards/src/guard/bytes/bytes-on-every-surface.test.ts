import { Agent, type AgentOptions, type Message, type Processor, tool } from '@millrace/core'
import { file, ScriptedModel, type ScriptPart, toolCall } from '@millrace/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Scanner } from '../../scanner/index.ts'
import type { Finding, Strategy } from '../options.ts'
import { TextGuard } from '../text-guard.ts'

const secret = 'KEY-4711'
const said = `The key is ${secret}, keep it.`

function guard(strategy: Strategy, onDetection: (finding: Finding) => void = () => {}): TextGuard {
  const scanner = new Scanner([{ type: 'key', pattern: /KEY-\d{4}/ }])
  return new TextGuard({ id: 'guard', scanner, strategy, onDetection })
}

interface Sent {
  readonly mediaType: string
  readonly bytes: Uint8Array
  readonly base64: string
  readonly url: string
}

function sent(
  mediaType: string,
  bytes: Uint8Array,
  {
    parameter = '',
    base64 = Buffer.from(bytes).toString('base64'),
  }: { parameter?: string; base64?: string } = {},
): Sent {
  return { mediaType, bytes, base64, url: `data:${mediaType}${parameter};base64,${base64}` }
}

const utf8 = Buffer.from(said)
const utf16 = Buffer.from(said, 'utf16le')
const plain = 'text/plain'

/** Texts that a receiver reads, and that are not what they seem. */
const FORMS: Record<string, Sent> = {
  'plain text': sent(plain, utf8),
  'text of a charset that nobody knows': sent(plain, utf8, { parameter: ';charset=bogus' }),
  'text that is said to be UTF-7': sent(plain, utf8, { parameter: ';charset=utf-7' }),
  'UTF-7': sent('text/plain;charset=utf-7', Buffer.from(said.replace('KEY', '+AEsARQBZ-'))),
  'UTF-8 that is said to be UTF-16': sent(plain, utf8, { parameter: ';charset=utf-16' }),
  'UTF-16 without a mark': sent(plain, utf16),
  'big-endian UTF-16 without a mark': sent(plain, Buffer.from(utf16).swap16()),
  'UTF-16 with a byte too many': sent(plain, Buffer.concat([utf16, Buffer.from('!')])),
  'UTF-32': sent(plain, Buffer.from(Array.from(said, (each) => [each.charCodeAt(0), 0, 0, 0]).flat())),
  'text with a broken character': sent(plain, Buffer.concat([utf8, Buffer.of(0xff)])),
  'base64url without padding': sent(plain, Buffer.from(`${said}???>>>`), {
    base64: Buffer.from(`${said}???>>>`).toString('base64url'),
  }),
  'base64 with white space': sent(plain, utf8, {
    base64: utf8.toString('base64').replace(/(.{5})/g, '$1 \n'),
  }),
  'text that is said to be an image': sent('image/png', utf8),
  'UTF-16 that is said to be an image': sent('image/png', utf16),
  'text of an unknown type': sent('application/octet-stream', utf8),
  'a data URL in a file': sent(plain, Buffer.from(`data:text/plain;base64,${utf16.toString('base64')}`)),
  'a data URL in the text of a file': sent(
    'text/html',
    Buffer.from(`<a href="data:text/plain;base64,${utf8.toString('base64url')}">it</a>`),
  ),
}

const noise = Uint8Array.from({ length: 400 }, (_, index) => (index * index * 31 + index * 7) % 256)
const UNREADABLE = sent(plain, Buffer.concat([noise, utf8.subarray(0, 20), noise]))
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

interface Case {
  readonly input?: Message[]
  readonly turn?: ScriptPart[]
  readonly output?: unknown
  readonly view?: unknown
  readonly processor?: Processor
}

function message(url: string, mediaType: string): Message {
  const parts = [{ type: 'file' as const, mediaType, url }]
  return { id: 'with-file', role: 'user', content: { parts }, createdAt: new Date(0) }
}

const call = [toolCall('fetch', {})]

/** Where bytes stand in a run. */
const PLACES: Record<string, (file: Sent) => Case> = {
  "a user's file": ({ url, mediaType }) => ({ input: [message(url, mediaType)] }),
  'a remembered file': ({ url, mediaType }) => ({
    processor: {
      id: 'memory',
      processInput: ({ messageList }) => messageList.add([message(url, mediaType)], 'remembered'),
    },
  }),
  'a data URL in the output of a tool': ({ url }) => ({ turn: call, output: { at: [url] } }),
  'an MCP image': ({ base64: data, mediaType: mimeType }) => ({
    turn: call,
    output: { content: [{ type: 'image', data, mimeType }] },
  }),
  'an MCP resource': ({ base64: blob, mediaType: mimeType }) => ({
    turn: call,
    output: { content: [{ type: 'resource', resource: { uri: 'file:///a', mimeType, blob } }] },
  }),
  'an MCP resource in JSON': ({ base64: blob, mediaType: mimeType }) => ({
    turn: call,
    output: {
      type: 'content',
      value: [{ type: 'text', text: JSON.stringify({ type: 'resource', resource: { mimeType, blob } }) }],
    },
  }),
  'base64 beside a media type': ({ base64: data, mediaType: contentType }) => ({
    turn: call,
    output: { contentType, data },
  }),
  'bytes in JSON': ({ bytes, mediaType }) => ({
    turn: call,
    output: { mediaType, body: Buffer.from(bytes).toJSON() },
  }),
  'file-data in an output': ({ base64: data, mediaType }) => ({
    turn: call,
    output: { type: 'content', value: [{ type: 'file-data', data, mediaType }] },
  }),
  'bytes in an output': ({ bytes, mediaType }) => ({
    turn: call,
    output: { type: 'content', value: [{ type: 'file', mediaType, data: { type: 'data', data: bytes } }] },
  }),
  'file-data for the model': ({ base64: data, mediaType }) => ({
    turn: call,
    view: { type: 'content', value: [{ type: 'file-data', data, mediaType }] },
  }),
  'bytes for the model': ({ bytes, mediaType }) => ({
    turn: call,
    view: { type: 'content', value: [{ type: 'file', mediaType, data: { type: 'data', data: bytes } }] },
  }),
  'a URL for the model': ({ url, mediaType }) => ({
    turn: call,
    view: {
      type: 'content',
      value: [{ type: 'file', mediaType, data: { type: 'url', url: new URL(url) } }],
    },
  }),
  'a file-url for the model': ({ url }) => ({
    turn: call,
    view: { type: 'content', value: [{ type: 'file-url', url: ` ${url}` }] },
  }),
  'a file of the model': ({ base64, mediaType }) => ({ turn: [file(mediaType, base64)] }),
  'a file of the model, in bytes': ({ bytes, mediaType }) => ({ turn: [file(mediaType, bytes)] }),
  'the input of a tool': ({ url }) => ({ turn: [toolCall('fetch', { attachment: url })] }),
}

async function run({ input, turn, output, view, processor }: Case, processors: Processor[]) {
  const fetch = tool({
    inputSchema: z.any(),
    execute: () => output ?? 'done',
    ...(view !== undefined && { toModelOutput: () => view as never }),
  })
  const own = processor ? [processor, ...processors] : processors
  const options: AgentOptions = { name: 'a', model: 'none', tools: { fetch }, processors: own }
  const seen: unknown[] = []
  const statuses = new Set<string>()
  for (const how of ['stream', 'generate'] as const) {
    const model = new ScriptedModel([[...(turn ?? []), 'ok'], 'Fine.'], { repeat: 'last' })
    const agent = new Agent({ ...options, model })
    const given = input ?? 'hi'
    const result = how === 'stream' ? await agent.stream(given).result : await agent.generate(given)
    statuses.add(result.status)
    seen.push(
      model.calls.map(({ prompt }) => prompt),
      result.messages.map(({ content }) => content),
    )
  }
  return { status: [...statuses].join(), seen: legible(seen) }
}

/** All that somebody can read in a value, however it is encoded. */
function legible(value: unknown): string {
  if (value instanceof Uint8Array) return legible(Buffer.from(value).toString('base64'))
  if (value instanceof URL) return legible(value.href)
  if (typeof value === 'string') {
    const encoded = (value.match(/[A-Za-z0-9+/_=\s-]{16,}/g) ?? []).filter(
      (each) => each !== value || each.length < 4_000,
    )
    const bytes = encoded.map((each) => Buffer.from(each, 'base64'))
    return [
      value,
      ...bytes.flatMap((each) => {
        const text = each.toString('latin1').replaceAll('\0', '')
        return /^[\x20-\x7e]{24,}$/.test(text) ? [text, legible(text)] : [text]
      }),
    ].join('\n')
  }
  if (typeof value !== 'object' || value === null) return ''
  const { type, data } = value as { type?: unknown; data?: unknown }
  if (type === 'Buffer' && Array.isArray(data)) return legible(Uint8Array.from(data))
  return Object.values(value).map(legible).join('\n')
}

describe.each(Object.keys(PLACES))('in %s', (place) => {
  const placed = PLACES[place] as (file: Sent) => Case

  test.each(Object.keys(FORMS))('finds what %s says', async (form) => {
    const given = FORMS[form] as Sent
    const unguarded = await run(placed(given), [])
    expect(unguarded.status).toBe('completed')
    const redacted = await run(placed(given), [guard('redact')])
    expect(redacted.status).toBe('completed')
    expect(redacted.seen).not.toMatch(/KEY-4711|\+AEsARQBZ-/)
    const blocked = await run(placed(given), [guard('block')])
    expect(blocked.status).toBe(place === 'a remembered file' ? 'completed' : 'tripwire')
    expect(blocked.seen).not.toMatch(/KEY-4711|\+AEsARQBZ-/)
  })

  test('passes no text that cannot be read', async () => {
    const findings: Finding[] = []
    const redacted = await run(placed(UNREADABLE), [guard('redact', (finding) => findings.push(finding))])
    const isVague = place === 'base64 beside a media type'
    if (!isVague) expect(findings[0]).toMatchObject({ type: 'unreadable' })
    expect(redacted.status).toBe('completed')
  })

  test('leaves binary files alone', async () => {
    const png = sent('image/png', PNG)
    const [unguarded, guarded] = [await run(placed(png), []), await run(placed(png), [guard('block')])]
    expect(guarded).toEqual(unguarded)
  })
})
