import type { Chunk } from '@millrace/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ChunkBatch, ChunkMerger } from './chunk-merger.ts'

/** A run with some steps, each with model text and a tool result, and what its writers do until they die. */
interface Story {
  steps: { texts: string[]; progress: number }[]
  /** For each writer but the last: how much it writes, and whether its steps are recorded. */
  deaths: { after: number; batch: number; repeats: boolean }[]
}

const story: fc.Arbitrary<Story> = fc.record({
  steps: fc.array(
    fc.record({ texts: fc.array(fc.string({ minLength: 1 }), { maxLength: 4 }), progress: fc.nat(2) }),
    { minLength: 1, maxLength: 4 },
  ),
  deaths: fc.array(
    fc.record({ after: fc.nat(20), batch: fc.integer({ min: 1, max: 4 }), repeats: fc.boolean() }),
    {
      maxLength: 5,
    },
  ),
})

/**
 * What a writer emits in a segment. A repeated model call returns different text; a recorded tool result is
 * the same.
 */
function segments({ steps }: Story, writer: number, repeats: boolean): Chunk[][] {
  const said = repeats ? '' : String(writer)
  return steps.flatMap(({ texts, progress }, stepNumber): Chunk[][] => [
    [
      ...(stepNumber === 0 ? [{ type: 'start', runId: 'r', messageId: 'm' } as Chunk] : []),
      { type: 'step-start', stepNumber },
      ...texts.map((text): Chunk => ({ type: 'text-delta', id: '0', textDelta: text + said })),
    ],
    [
      ...Array.from(
        { length: progress },
        (_, index): Chunk => result(stepNumber, `${index} of ${writer}`, true),
      ),
      result(stepNumber, 'done'),
      { type: 'step-finish', stepNumber, finishReason: 'stop', usage: {} } as unknown as Chunk,
    ],
  ])
}

function result(step: number, output: string, preliminary = false): Chunk {
  const call = { toolCallId: `call-${step}`, toolName: 'look', input: {} }
  return { type: 'tool-result', ...call, output, ...(preliminary && { preliminary }) }
}

/** The batches of the writers, and the chunks of the run as recorded at the end. */
function write(given: Story): { batches: ChunkBatch[]; truth: Chunk[] } {
  const batches: ChunkBatch[] = []
  const truth: Chunk[] = []
  let recorded = 0
  const lives = [...given.deaths, { after: Number.POSITIVE_INFINITY, batch: 3, repeats: false }]
  for (const [writer, { after, batch, repeats }] of lives.entries()) {
    let left = after
    let kept = truth.length
    let at = kept
    const all = segments(given, writer, repeats)
    for (const segment of all.slice(recorded)) {
      const written = segment.slice(0, left)
      for (let index = 0; index < written.length; index += batch) {
        const chunks = written.slice(index, index + batch)
        batches.push({ writer: `w${writer}`, at, kept, chunks })
        at += chunks.length
      }
      left -= written.length
      // Its end is recorded only if the writer survives.
      if (left <= 0) break
      truth.push(...segment)
      recorded++
      kept = truth.length
    }
    if (recorded === all.length) break
  }
  return { batches, truth }
}

/** The chunks of a reader that applies `step-discarded`. */
function read(chunks: readonly Chunk[]): Chunk[] {
  const kept: Chunk[] = []
  for (const chunk of chunks) {
    if (chunk.type !== 'step-discarded') kept.push(chunk)
    else
      kept.splice(
        kept.findLastIndex((one) => one.type === 'step-start' && one.stepNumber === chunk.stepNumber),
        Number.POSITIVE_INFINITY,
      )
  }
  return kept
}

const isFinal = (chunk: Chunk): boolean => !(chunk.type === 'tool-result' && chunk.preliminary)

test('a reader gets every chunk once and in order, for any writers that die at any time', () => {
  fc.assert(
    fc.property(story, (given) => {
      const { batches, truth } = write(given)
      const merger = new ChunkMerger()
      const chunks = batches.flatMap((batch) => merger.accept(batch))
      expect(read(chunks).filter(isFinal)).toEqual(truth.filter(isFinal))
    }),
    { numRuns: 1_000 },
  )
})

test('chunks that a writer repeats are not emitted again', () => {
  const merger = new ChunkMerger()
  const chunks: Chunk[] = [
    { type: 'step-start', stepNumber: 0 },
    { type: 'text-delta', id: '0', textDelta: 'Hello' },
  ]
  expect(merger.accept({ writer: 'a', at: 0, kept: 0, chunks })).toEqual(chunks)
  expect(merger.accept({ writer: 'b', at: 0, kept: 0, chunks })).toEqual([])
  const other: Chunk = { type: 'text-delta', id: '0', textDelta: 'there' }
  expect(merger.accept({ writer: 'b', at: 2, kept: 0, chunks: [other] })).toEqual([other])
})

test('a writer that emits different chunks discards the step', () => {
  const merger = new ChunkMerger()
  const start: Chunk = { type: 'step-start', stepNumber: 0 }
  const hello: Chunk = { type: 'text-delta', id: '0', textDelta: 'Hello' }
  const bye: Chunk = { type: 'text-delta', id: '0', textDelta: 'Bye' }
  merger.accept({ writer: 'a', at: 0, kept: 0, chunks: [start, hello] })
  expect(merger.accept({ writer: 'b', at: 0, kept: 0, chunks: [start, bye] })).toEqual([
    { type: 'step-discarded', stepNumber: 0, retry: true },
    start,
    bye,
  ])
})
