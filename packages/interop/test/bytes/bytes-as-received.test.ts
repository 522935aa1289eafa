import { Agent } from '@millrace/core'
import { type Finding, TextGuard, type TextScanner } from '@millrace/guards/guard'
import { Scanner } from '@millrace/guards/scanner'
import { generateText } from 'ai'
import { expect, test } from 'vitest'
import { guardModel } from '../../src/ai-sdk/index.ts'
import { fileOf, type GeneratedFile, SECRET } from './generated-file.ts'
import { PROMPT, type Received, receivers } from './receivers.ts'

const all = 100_000
/** A sample of the files, unless tests are thorough. All of them take eight minutes. */
const count = process.env.MILLRACE_THOROUGH === '1' ? all : 500
const timeout = 3_600_000
const first = Math.floor(Math.random() * (all - count))
const seeds = Array.from({ length: count }, (_, index) => first + index)

const scanner = new Scanner([{ type: 'key', pattern: /KEY-\d{4}/ }])

interface Observed {
  /** What the guard has read. */
  readonly read: Set<string>
  readonly received: Received[]
  readonly findings: Finding[]
  readonly isBlocked: boolean
}

/** A guard that records all texts it reads. */
function observing(read: Set<string>): TextScanner {
  return {
    maxLength: 20,
    open(sink, name) {
      const scan = scanner.open(sink, name)
      let text = ''
      return {
        push(piece) {
          text += piece
          scan.push(piece)
        },
        end() {
          read.add(text)
          scan.end()
        },
      }
    },
  }
}

type Way = 'agent' | 'guardModel'

async function send(file: GeneratedFile, way: Way, strategy: 'warn' | 'redact' | 'block'): Promise<Observed> {
  const read = new Set<string>()
  const received: Received[] = []
  const findings: Finding[] = []
  const guard = new TextGuard({
    id: 'guard',
    scanner: observing(read),
    strategy,
    onDetection: (finding) => findings.push(finding),
  })
  const model = receivers(received)
  const { mediaType, url, base64, bytes } = file
  let isBlocked = false
  if (way === 'agent') {
    const agent = new Agent({ name: 'a', model, processors: [guard] })
    const parts = [
      { type: 'text' as const, text: PROMPT },
      { type: 'file' as const, mediaType, url },
    ]
    const { status } = await agent.generate([{ id: 'm', role: 'user', parts }])
    isBlocked = status === 'tripwire'
  } else {
    const data = mediaType.length % 2 === 0 ? base64 : bytes
    const content = [
      { type: 'text' as const, text: PROMPT },
      { type: 'file' as const, mediaType, data },
    ]
    await generateText({
      model: guardModel(model, [guard]),
      messages: [{ role: 'user', content }],
      maxRetries: 0,
    }).catch(() => {
      isBlocked = true
    })
  }
  return { read, received, findings, isBlocked }
}

/** The text that a receiver makes of it. */
function textIn({ text, base64 }: Received): string {
  return text ?? new TextDecoder().decode(Buffer.from(base64 ?? '', 'base64'))
}

/** Everything that somebody could read in it. */
function anyTextIn(received: Received): string {
  const { text, base64, mediaType } = received
  const bytes = Buffer.from(text ?? base64 ?? '', text === undefined ? 'base64' : 'utf8')
  const charset = /charset="?([\w-]+)/i.exec(mediaType ?? '')?.[1] ?? 'utf-8'
  const readings = [
    bytes.toString('utf8'),
    bytes.toString('latin1').replaceAll('\0', ''),
    bytes.toString('utf16le'),
  ]
  try {
    readings.push(new TextDecoder(charset).decode(bytes))
  } catch {
    // Nobody decodes it.
  }
  const nested = readings.flatMap((each) => [...each.matchAll(/base64,([\w+/=-]+)/g)])
  return [
    ...readings,
    ...nested.map(([, inner]) => anyTextIn({ provider: received.provider, base64: inner as string })),
  ].join('\n')
}

const NOTICE = '[This file cannot be read as text. It was removed.]'
const CONTROLS = /[^\P{Cc}\s]/gu

/** The text within data URLs. */
function innermost(text: string): string {
  const base64 = /data:text\/plain;base64,([\w+/=-]*)/.exec(text)?.[1]
  return base64 === undefined ? text : innermost(Buffer.from(base64, 'base64').toString())
}

const wayOf = (seed: number): Way => (seed % 2 === 0 ? 'agent' : 'guardModel')

test.each(['warn', 'redact', 'block'] as const)(
  'of generated files, provider packages put into the body what a guard that would %s has read',
  { timeout },
  async (strategy) => {
    const unread: unknown[] = []
    for (const seed of seeds) {
      // Most files are blocked.
      if (strategy === 'block' && seed % 10 > 1) continue
      const file = fileOf(seed)
      const { read, received, findings } = await send(file, wayOf(seed), strategy)
      const isUnreadable = findings.some(({ type }) => type === 'unreadable')
      if (file.isBinary || (isUnreadable && strategy === 'warn')) continue
      const left = [...read].map((text) => {
        const plain = text.replace(CONTROLS, '')
        return strategy === 'warn' ? plain : plain.replaceAll(SECRET, '[REDACTED]')
      })
      const texts = new Set(isUnreadable ? [NOTICE, ...left] : left)
      for (const each of received) {
        const text = innermost(textIn(each).replace(CONTROLS, ''))
        const leaks = strategy !== 'warn' && anyTextIn(each).includes(SECRET)
        if (leaks || !texts.has(text)) unread.push({ seed, provider: each.provider, text })
      }
    }
    expect(unread).toEqual([])
  },
)

test('leaves generated binary files as they were sent', { timeout }, async () => {
  let arrived = 0
  for (const seed of seeds) {
    const file = fileOf(seed)
    const way = wayOf(seed)
    const types = way === 'agent' ? `${file.mediaType} ${file.url.slice(0, 40)}` : file.mediaType
    // The AI SDK refuses what is no base64.
    if (!file.isBinary || /text|json|xml/i.test(types) || file.base64.includes('*')) continue
    const { received, isBlocked } = await send(file, way, 'block')
    expect(isBlocked, `file ${seed}`).toBe(false)
    for (const { base64 } of received) {
      if (Buffer.from(base64 ?? '', 'base64').equals(file.bytes)) arrived++
    }
  }
  expect(arrived).toBeGreaterThan(count / 50)
})
