import type { Chunk } from '@millrace/core'
import { file, raw, reasoning, type ScriptPart, source, text, toolCall, toolResult } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { placesFor, runsOf } from '../runs.ts'
import { SEAM_GUARDS } from './guards.ts'
import { collector, play } from './play.ts'

expect.extend(matchers)

const runs = runsOf(5, 500)

/** Chunks that may be between two deltas of a text. */
const BETWEEN: Record<string, (index: number) => ScriptPart[]> = {
  'another block': () => [],
  'a source': () => [source({ url: 'https://example.com' })],
  'a thought': () => [reasoning('Hm.')],
  'a file': () => [file('image/png', new Uint8Array([137, 80, 78, 71, 0]))],
  'a call of the provider': (index) => [
    toolCall('search', { q: 1 }, { id: `p${index}`, providerExecuted: true }),
    toolResult('search', 'found', { id: `p${index}` }),
  ],
}
const between = fc.constantFrom(...Object.keys(BETWEEN), 'the same block')

interface Cut {
  readonly at: number
  readonly by: string
}

/** The text as a model may send it: in blocks, with other chunks between them, and in deltas. */
function partsOf(said: string, cuts: readonly Cut[], kind: 'text' | 'reasoning' = 'text'): ScriptPart[] {
  const make = kind === 'text' ? text : reasoning
  const sorted = [...cuts].sort((one, other) => one.at - other.at)
  const parts: ScriptPart[] = []
  let block: string[] = []
  let start = 0
  for (const [index, { at, by }] of sorted.entries()) {
    block.push(said.slice(start, at))
    start = at
    if (by === 'the same block') continue
    parts.push(make(block), ...(BETWEEN[by]?.(index) ?? []))
    block = []
  }
  return [...parts, make([...block, said.slice(start)])]
}

const outbound = SEAM_GUARDS.filter((guard) => guard.outbound)

describe.each(outbound)('$name', ({ value, make }) => {
  const said = `Well, it is ${value}. So it goes.`
  const cuts = fc.array(fc.record({ at: fc.nat(said.length), by: between }), { maxLength: 8 })

  test.each(['redact', 'filter', 'block', 'halt', 'warn'] as const)(
    'with %s, has the same result however the answer is cut',
    async (strategy) => {
      const outcome = async (parts: ScriptPart[]) => {
        const { findings, onDetection } = collector()
        const played = await play(make({ strategy, onDetection }), { turns: [parts] })
        if (strategy !== 'warn') expect(played.all).toLeakNothingOf(value)
        const { result, streamed } = played
        // With `filter`, the result depends on the parts.
        const answer = strategy === 'filter' ? '' : result.text
        const out = strategy === 'filter' ? '' : streamed
        return {
          answer,
          out,
          status: result.status,
          findings: findings.filter(({ surface }) => surface === 'answer'),
        }
      }
      const whole = await outcome([text([said])])
      expect(whole.status).toBe({ block: 'tripwire', halt: 'halted' }[strategy as string] ?? 'completed')
      expect(whole.findings.length).toBeGreaterThan(0)
      await fc.assert(
        fc.asyncProperty(cuts, async (cuts) => {
          expect(await outcome(partsOf(said, cuts))).toEqual(whole)
        }),
        { numRuns: runs },
      )
      const every = Array.from({ length: said.length - 1 }, (_, index) => ({
        at: index + 1,
        by: 'another block',
      }))
      expect(await outcome(partsOf(said, every))).toEqual(whole)
    },
  )

  test.each(['redact', 'block'] as const)(
    'with %s, finds a value that is a whole block, whatever the other blocks begin and end with',
    async (strategy) => {
      for (const [before, after] of [
        ['So 7', 'Here it is.'],
        ['See', '1 more.'],
        ['', 'a'],
        ['b', ''],
      ] as const) {
        const blocks = [before, value, after].filter((block) => block !== '').map((block) => text([block]))
        const { all, result } = await play(make({ strategy }), { turns: [blocks] })
        expect(all).toLeakNothingOf(value)
        expect(result.status).toBe(strategy === 'block' ? 'tripwire' : 'completed')
      }
    },
  )

  test.each(['redact', 'block'] as const)(
    'with %s, emits no complete value, cut at any position',
    async (strategy) => {
      const guard = make({ strategy })
      for (const at of placesFor(strategy, said)) {
        const played = await play(guard, { turns: [partsOf(said, [{ at, by: 'another block' }])] })
        expect(played.all).toLeakNothingOf(value)
        expect(played.result.status).toBe(strategy === 'block' ? 'tripwire' : 'completed')
      }
    },
  )

  test.each(['redact', 'filter', 'block', 'halt'] as const)(
    'with %s, treats reasoning in the same way',
    async (strategy) => {
      await fc.assert(
        fc.asyncProperty(cuts, async (cuts) => {
          const others = cuts.filter(({ by }) => by !== 'a thought')
          const parts = partsOf(said, others, 'reasoning')
          const { all, result } = await play(make({ strategy }), { turns: [[...parts, text('Fine.')]] })
          expect(all).toLeakNothingOf(value)
          expect(result.text).toBe(result.status === 'completed' ? 'Fine.' : result.text)
        }),
        { numRuns: runs },
      )
    },
  )

  test('emits nothing of the value at any time, and discards nothing unnecessarily', async () => {
    await fc.assert(
      fc.asyncProperty(cuts, async (cuts) => {
        const { chunks } = await play(make({ strategy: 'redact' }), { turns: [partsOf(said, cuts)] })
        expect(chunks.map(({ type }) => type)).not.toContain('response-replaced')
        expect(chunks.map(({ type }) => type)).not.toContain('step-discarded')
      }),
      { numRuns: runs },
    )
  })

  test('reads two concurrent blocks in the order in which they begin', async () => {
    const half = Math.floor(said.length / 2)
    const [first, second] = [said.slice(0, half), said.slice(half)]
    const parts = raw(
      { type: 'text-start', id: 'a' },
      { type: 'text-start', id: 'b' },
      ...[...first].flatMap((_, index) => [
        { type: 'text-delta' as const, id: 'b', delta: second[index] ?? '' },
        { type: 'text-delta' as const, id: 'a', delta: first[index] ?? '' },
      ]),
      { type: 'text-delta', id: 'b', delta: second.slice(first.length) },
      { type: 'text-end', id: 'b' },
      { type: 'text-end', id: 'a' },
    )
    const { all, result } = await play(make({ strategy: 'redact' }), { turns: [[parts]] })
    const whole = await play(make({ strategy: 'redact' }), { turns: [[text([said])]] })
    expect(all).toLeakNothingOf(value)
    expect(result.text).toBe(whole.result.text)
  })
})

const harmless = fc
  .array(
    fc.constantFrom(
      'The river ',
      'rises in May. ',
      'So',
      ' ',
      '42 ',
      'a@',
      '-',
      '\n',
      '🙂',
      'trade ',
      'ZQX-',
    ),
    {
      maxLength: 12,
    },
  )
  .map((pieces) => pieces.join(''))

describe.each(outbound)('harmless text passes $name', ({ make, isJudge = false }) => {
  test.each(['redact', 'filter', 'block', 'halt', 'warn'] as const)(
    'with %s, as the same chunks in the same order',
    async (strategy) => {
      const guard = make({ strategy })
      const plain = { id: 'nothing', processInput: () => undefined }
      await fc.assert(
        fc.asyncProperty(
          harmless,
          fc.array(fc.record({ at: fc.nat(60), by: between }), { maxLength: 6 }),
          async (said, cuts) => {
            const own = cuts.map(({ at, by }) => ({ at: Math.min(at, said.length), by }))
            const turns = [partsOf(said, own)]
            const without = await play(plain, { turns })
            const guarded = await play(guard, { turns })
            // A judge gets a tool input as a whole, not in chunks.
            const isKept = ({ type }: Chunk) => !isJudge || type !== 'tool-input-delta'
            expect(order(guarded.chunks.filter(isKept))).toEqual(order(without.chunks.filter(isKept)))
            expect(guarded.result.messages[0]?.content).toEqual(without.result.messages[0]?.content)
            expect(guarded.result.text).toBe(said)
          },
        ),
        { numRuns: runs },
      )
    },
  )
})

/** The chunks with adjacent deltas of a part joined: a delta may be emitted in two. */
function order(chunks: readonly Chunk[]): unknown[] {
  const out: (Chunk & { textDelta?: string })[] = []
  for (const { ...chunk } of chunks) {
    const last = out.at(-1)
    if (chunk.type === 'start' || (chunk.type === 'text-delta' && chunk.textDelta === '')) continue
    const isSame = 'textDelta' in chunk && last?.type === chunk.type && 'id' in last && last.id === chunk.id
    if (isSame && last) last.textDelta += chunk.textDelta
    else out.push(chunk)
  }
  return out.filter(({ type }) => type !== 'object-delta')
}
