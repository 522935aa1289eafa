import { Agent, type Chunk, tool, type WrapModelCallArgs } from '@millrace/core'
import { collect, cut, fail, gate, ScriptedModel, text, toolCall } from '@millrace/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { BatchParts, type BatchPartsOptions } from './batch-parts.ts'

function batched(
  chunks: readonly Chunk[] | AsyncIterable<Chunk>,
  options: BatchPartsOptions = {},
): AsyncIterable<Chunk> {
  const next = async function* () {
    yield* chunks
  }
  return new BatchParts(options).wrapModelCall({ request: {}, next } as unknown as WrapModelCallArgs)
}

const delta = (textDelta: string, id = '1'): Chunk => ({ type: 'text-delta', id, textDelta })

const chunkOf = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('text-delta'),
      id: fc.constantFrom('1', '2'),
      textDelta: fc.string(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('reasoning-delta'),
      id: fc.constantFrom('1', '2'),
      textDelta: fc.string(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('tool-input-delta'),
      toolCallId: fc.constantFrom('1', '2'),
      inputTextDelta: fc.string(),
    }),
  },
  fc.record({
    type: fc.constant('text-delta'),
    id: fc.constantFrom('1', '2'),
    textDelta: fc.string(),
    providerMetadata: fc.constant({ provider: { signature: 'x' } }),
  }),
  fc.record({ type: fc.constantFrom('text-start', 'text-end'), id: fc.constantFrom('1', '2') }),
) as fc.Arbitrary<Chunk>

/** The chunks with every delta split into characters: equal for streams with the same text. */
function characters(chunks: readonly Chunk[]): unknown[] {
  return chunks.flatMap((chunk): unknown[] => {
    if (!chunk.type.endsWith('-delta') || 'providerMetadata' in chunk) return [chunk]
    const { textDelta, inputTextDelta, ...rest } = chunk as unknown as Record<string, string>
    return [...((textDelta ?? inputTextDelta) as string).split('')].map((character) => ({
      ...rest,
      character,
    }))
  })
}

describe('BatchParts', () => {
  test('joins the deltas of one part', async () => {
    const chunks = await collect(batched([delta('Hel'), delta('lo'), delta(' there'), delta('B', '2')]))
    expect(chunks).toEqual([delta('Hello there'), delta('B', '2')])
  })

  test('does not lose, change or reorder anything', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(chunkOf, { maxLength: 40 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 30 }),
        async (chunks, maxChunks, maxLength) => {
          const out = await collect(batched(chunks, { maxChunks, maxLength, maxWaitMs: 1_000 }))
          expect(characters(out)).toEqual(characters(chunks))
          expect(out.length).toBeLessThanOrEqual(chunks.length)
        },
      ),
    )
  })

  test('limits a batch by chunks and by length', async () => {
    const letters = [...'abcdefg'].map((letter) => delta(letter))
    const byCount = await collect(batched(letters, { maxChunks: 3 }))
    expect(byCount).toEqual([delta('abc'), delta('def'), delta('g')])
    const byLength = await collect(batched([delta('ab'), delta('cd'), delta('e')], { maxLength: 3 }))
    expect(byLength).toEqual([delta('abcd'), delta('e')])
  })

  test('emits what has arrived if nothing follows', async () => {
    const held = gate()
    const model = new ScriptedModel([[text(['Hel', 'lo']), held, ' there']])
    const agent = new Agent({ model, processors: [new BatchParts({ maxWaitMs: 1 })] })
    const seen: string[] = []
    for await (const chunk of agent.stream('Hello').fullStream) {
      if (chunk.type !== 'text-delta') continue
      seen.push(chunk.textDelta)
      if (seen.join('') === 'Hello') held.open()
    }
    expect(seen.join('')).toBe('Hello there')
  })

  test('emits what has arrived before a failure', async () => {
    const error = new Error('down')
    const chunks = (async function* () {
      yield delta('a')
      yield delta('b')
      throw error
    })()
    const seen: Chunk[] = []
    await expect(async () => {
      for await (const chunk of batched(chunks)) seen.push(chunk)
    }).rejects.toBe(error)
    expect(seen).toEqual([delta('ab')])
  })

  test('passes on the errors of a failing or invalid model', async () => {
    const run = (turn: never) =>
      new Agent({ model: new ScriptedModel([turn]), processors: [new BatchParts()] }).generate('Hello')
    await expect(run(['Hel', fail(new Error('down'))] as never)).rejects.toMatchObject({
      code: 'MODEL_STREAM_FAILED',
    })
    await expect(run(['Hello', cut()] as never)).resolves.toMatchObject({ text: 'Hello' })
  })

  test('makes the same run of fewer chunks', async () => {
    const script = [
      ['Let me look. ', toolCall('look', { where: 'in the mill' }, { chunkSize: 2 })],
      text('The wheel turns, and the stones grind.', { chunkSize: 1 }),
    ]
    const run = async (processors: BatchParts[]) => {
      const tools = {
        look: tool({ inputSchema: z.object({ where: z.string() }), execute: () => 'A wheel.' }),
      }
      const stream = new Agent({ model: new ScriptedModel(script), tools, processors }).stream('Go')
      return { chunks: await collect(stream.fullStream), result: await stream.result }
    }
    const plain = await run([])
    const joined = await run([new BatchParts()])
    expect(joined.result.text).toBe(plain.result.text)
    expect(joined.result.steps[0]?.toolResults).toEqual(plain.result.steps[0]?.toolResults)
    expect(joined.chunks.length).toBeLessThan(plain.chunks.length / 3)
  })

  test('serves many concurrent runs, each with its own text', async () => {
    const processor = new BatchParts({ maxWaitMs: 1 })
    const answers = Array.from({ length: 50 }, (_, index) => `${index} `.repeat(20))
    const texts = await Promise.all(
      answers.map(async (answer) => {
        const model = new ScriptedModel([text(answer, { chunkSize: 1 })])
        return (await new Agent({ model, processors: [processor] }).generate('Hello')).text
      }),
    )
    expect(texts).toEqual(answers)
  })

  test('passes 100,000 chunks within its budget', async () => {
    const many = Array.from({ length: 100_000 }, () => delta('a'))
    const out = await collect(batched(many, { maxChunks: 100, maxLength: 1_000 }))
    expect(out).toHaveLength(1_000)
  })

  test('ends the model call when its reader leaves', async () => {
    const model = new ScriptedModel([[text('abcdef', { chunkSize: 1 }), gate()]])
    const agent = new Agent({ model, processors: [new BatchParts({ maxWaitMs: 1 })] })
    for await (const chunk of agent.stream('Hello').fullStream) if (chunk.type === 'text-delta') break
    expect(['aborted', 'cancelled']).toContain(await model.lastStream.settled)
  })

  test.each([{ maxChunks: 0 }, { maxLength: Number.NaN }, { maxWaitMs: -1 }])('rejects %o', (options) => {
    expect(() => new BatchParts(options)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
  })
})
