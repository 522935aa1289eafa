import { collect, finish, raw, reasoning, ScriptedModel, text, textOf, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../agent/agent.ts'
import type { AgentOptions } from '../../agent/agent-options.ts'
import type { ProcessOutputStreamArgs, ProcessOutputStreamResult } from '../../processors/output-hooks.ts'
import type { Processor } from '../../processors/processor.ts'
import type { Chunk } from '../../results/chunk.ts'
import { tool } from '../../tools/tool.ts'

expect.extend(matchers)

type Hook = (args: ProcessOutputStreamArgs) => ProcessOutputStreamResult | Promise<ProcessOutputStreamResult>

function hook(processOutputStream: Hook, id = 'hook'): Processor {
  return { id, processOutputStream }
}

async function run(turns: any[], processors: Processor[], options: Partial<AgentOptions> = {}) {
  const model = new ScriptedModel(turns)
  const stream = new Agent({ model, processors, ...options }).stream('Hello')
  const chunks = await collect(stream.fullStream)
  return { model, chunks, result: await stream.result }
}

const SIMPLE = [
  'start',
  'step-start',
  'text-start',
  'text-delta',
  'text-end',
  'step-finish',
  'finish',
] as const

describe('a stream hook', () => {
  test('receives every chunk from step-start to finish, of every step, in order', async () => {
    const seen: string[] = []
    const { chunks } = await run(
      [[reasoning('Hm.'), 'One. ', toolCall('look')], 'Two.'],
      [
        hook(({ part, stepNumber }) => {
          if (part.type !== 'response-end') seen.push(`${stepNumber} ${part.type}`)
          return part
        }),
      ],
      { tools: { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) } },
    )
    let step = -1
    const emitted = chunks.slice(1).map(({ type }) => {
      if (type === 'step-start') step++
      return `${step} ${type}`
    })
    expect(seen).toEqual(emitted)
    expect(seen).toContain('0 tool-result')
    expect(seen.at(-1)).toBe('1 finish')
  })

  test('receives finish before processOutputResult runs, and the caller after it', async () => {
    const order: string[] = []
    await run(
      ['Hello.'],
      [
        {
          id: 'order',
          processOutputStream: ({ part }) => {
            if (part.type === 'finish') order.push('stream hook')
            return part
          },
          processOutputResult: () => {
            order.push('result hook')
          },
        },
      ],
    )
    expect(order).toEqual(['stream hook', 'result hook'])
  })

  test('changes, multiplies and drops chunks equally in the stream, the transcript and the result', async () => {
    const { chunks, result } = await run(
      [text(['a', 'b', 'c'])],
      [
        hook(({ part }) => {
          if (part.type !== 'text-delta') return part
          if (part.textDelta === 'a') return { ...part, textDelta: 'A' }
          if (part.textDelta === 'b') return [part, part, part]
          return undefined
        }),
      ],
    )
    expect(textOf(chunks)).toBe('Abbb')
    expect(result.text).toBe('Abbb')
    expect(result.messages[0]?.content.parts).toMatchObject([
      { type: 'step-start' },
      { text: 'Abbb', state: 'done' },
    ])
  })

  test.each([undefined, null, []])('drops a chunk by returning %j', async (nothing) => {
    const { chunks, result } = await run(
      ['Hello.'],
      [hook(({ part }) => (part.type === 'text-delta' ? nothing : part))],
    )
    expect(textOf(chunks)).toBe('')
    expect(result.text).toBe('')
  })

  test('cannot drop structural chunks', async () => {
    const { chunks } = await run(['Hello.'], [hook(() => undefined, 'one'), hook(async () => null, 'two')])
    expect(chunks).toHaveChunkTypes([
      'start',
      'step-start',
      'text-start',
      'text-end',
      'step-finish',
      'finish',
    ])
  })

  test('inserts after the start of a part what it returns in place of the start', async () => {
    const model = new ScriptedModel(['Hello.'])
    const prefix: Processor = {
      id: 'prefix',
      processOutputStream: ({ part }) =>
        part.type === 'text-start' ? { type: 'text-delta', id: part.id, textDelta: 'Prefix ' } : part,
    }
    const chunks = await collect(new Agent({ model, processors: [prefix] }).stream('Go').fullStream)
    expect(chunks).toHaveChunkTypes(
      ['start', 'step-start', 'text-start', 'text-delta', 'text-end', 'step-finish', 'finish'],
      { mergeDeltas: true },
    )
  })

  test('flushes what it held back by returning several chunks at the end of the part', async () => {
    const { chunks, result } = await run([text('hold me', { chunkSize: 1 })], [holder('holder')])
    expect(chunks).toHaveChunkTypes([...SIMPLE])
    expect(result.text).toBe('hold me')
  })

  test('may omit the end from what it flushes', async () => {
    const { chunks, result } = await run(
      ['Hello.'],
      [
        hook(({ part }) =>
          part.type === 'text-end' ? { type: 'text-delta', id: part.id, textDelta: ' Bye.' } : part,
        ),
      ],
    )
    expect(chunks).toHaveChunkTypes([...SIMPLE], { mergeDeltas: true })
    expect(result.text).toBe('Hello. Bye.')
  })

  test.each(['length', 'content-filter', 'stop'] as const)(
    'flushes also when the model stops without ending the part: %s',
    async (reason) => {
      const { chunks, result } = await run(
        [
          [
            raw(
              { type: 'text-start', id: 't' },
              { type: 'text-delta', id: 't', delta: 'held ' },
              { type: 'text-delta', id: 't', delta: 'back' },
            ),
            finish({ reason }),
          ],
        ],
        [holder('holder')],
      )
      expect(chunks).toHaveChunkTypes([...SIMPLE])
      expect(result.text).toBe('held back')
      expect(result.finishReason).toBe(reason)
    },
  )

  test('loses what it holds back when the run is aborted', async () => {
    const { chunks, result } = await run(
      [text(['secret ', 'stop'])],
      [
        holder('holder'),
        hook(({ part, abort }) => (part.type === 'text-end' ? abort('No.') : part), 'guard'),
      ],
    )
    expect(result).toHaveTripped({ processorId: 'guard' })
    expect(result).toLeakNothingOf('secret')
    expect(chunks.at(-1)?.type).toBe('tripwire')
  })

  test('shares one list of all input chunks so far, new for each step', async () => {
    const lists = new Set<unknown>()
    const lengths: number[] = []
    const note: Hook = ({ part, streamParts }) => {
      lists.add(streamParts)
      if (part.type === 'text-delta') expect(streamParts.at(-1)).toMatchObject({ type: 'text-delta' })
      lengths.push(streamParts.length)
      return part
    }
    await run([text(['a', 'b'])], [hook(note, 'one'), hook(note, 'two')])
    expect(lists.size).toBe(1)
    expect(lengths).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8])
  })

  test('shares its state with the other hooks of the same processor, in both lists', async () => {
    const processor: Processor = {
      id: 'stateful',
      processInput: ({ state }) => {
        state.seen = ['processInput']
      },
      processOutputStream: ({ part, state }) => {
        if (part.type === 'text-delta') (state.seen as string[]).push(part.textDelta)
        return part
      },
      processOutputResult: ({ state, messageList }) => {
        const parts = messageList.get('response')[0]?.content.parts ?? []
        parts.push({ type: 'data-seen', data: state.seen })
      },
    }
    const model = new ScriptedModel([text(['a', 'b'])])
    const agent = new Agent({ model, inputProcessors: [processor], outputProcessors: [processor] })
    const result = await agent.generate('Hello')
    expect(result.messages[0]?.content.parts.at(-1)).toEqual({
      type: 'data-seen',
      data: ['processInput', 'a', 'b'],
    })
  })

  test.each(['text', 7, {}, [{ no: 'type' }]])('fails the run on %j', async (value) => {
    await expect(run(['Hello.'], [hook((() => value) as never, 'faulty')])).rejects.toMatchObject({
      code: 'PROCESSOR_RESULT_INVALID',
      message: expect.stringContaining("'faulty'"),
    })
  })

  test('writes application data to the reader', async () => {
    const { chunks, result } = await run(
      ['Hello.'],
      [
        hook(async ({ part, writer }) => {
          if (part.type === 'text-end') await writer.write({ type: 'data-note', data: { done: true } })
          return part
        }),
      ],
    )
    expect(chunks).toContainEqual({ type: 'data-note', data: { done: true } })
    expect(result.messages).toLeakNothingOf('data-note')
  })

  test('is recorded with what it did', async () => {
    const { result } = await run(
      [text(['a', 'b'])],
      [
        hook(({ part }) => part, 'passes'),
        hook(({ part }) => (part.type === 'text-delta' ? undefined : part), 'drops'),
      ],
    )
    expect(result.steps[0]?.processors).toMatchObject([
      { processorId: 'passes', hook: 'processOutputStream', action: 'passed', calls: 8, stepNumber: 0 },
      { processorId: 'drops', hook: 'processOutputStream', action: 'changed', calls: 8, stepNumber: 0 },
    ])
  })
})

/** Holds text back to the end of its part. */
function holder(id: string): Processor {
  return hook(({ part, state }) => {
    if (part.type === 'step-start') state.held = ''
    if (part.type === 'text-delta') {
      state.held += part.textDelta
      return undefined
    }
    if (part.type === 'text-end')
      return [{ type: 'text-delta', id: part.id, textDelta: String(state.held) }, part]
    return part
  }, id)
}

describe('any chain of hooks', () => {
  type Kind = 'pass' | 'double' | 'drop' | 'mark' | 'odd' | 'wrap'
  const kinds: Record<Kind, (delta: string) => string[]> = {
    pass: (delta) => [delta],
    double: (delta) => [delta, delta],
    drop: (delta) => (/[ae]/.test(delta) ? [] : [delta]),
    mark: (delta) => [`${delta}!`],
    odd: (delta) => (delta.length % 2 === 1 ? [delta, 'x'] : [delta]),
    wrap: (delta) => ['<', delta, '>'],
  }
  const stage = fc.record({
    kind: fc.constantFrom(...(Object.keys(kinds) as Kind[])),
    timing: fc.constantFrom('sync', 'async', 'mixed'),
  })

  function toProcessor({ kind, timing }: { kind: Kind; timing: string }, index: number): Processor {
    const act = (part: Chunk): ProcessOutputStreamResult => {
      if (part.type !== 'text-delta') return part
      const deltas = kinds[kind](part.textDelta)
      if (deltas.length === 0) return undefined
      if (deltas.length === 1 && deltas[0] === part.textDelta) return part
      return deltas.map((textDelta) => ({ ...part, textDelta }))
    }
    return hook(({ part, state }) => {
      const count = ((state.count as number | undefined) ?? 0) + 1
      state.count = count
      const waits = timing === 'async' || (timing === 'mixed' && count % 3 === 0)
      return waits ? Promise.resolve().then(() => act(part)) : act(part)
    }, `stage-${index}`)
  }

  test('gives the same result as the same chain of plain functions, in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(stage, { minLength: 1, maxLength: 5 }),
        fc.array(fc.string({ minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 8 }),
        async (stages, deltas) => {
          const expected = stages.reduce((all, { kind }) => all.flatMap(kinds[kind]), deltas)
          const { chunks, result } = await run([text(deltas)], stages.map(toProcessor))
          const streamed = chunks.flatMap((chunk) => (chunk.type === 'text-delta' ? [chunk.textDelta] : []))
          expect(streamed).toEqual(expected)
          expect(result.text).toBe(expected.join(''))
          expect(chunks.map(({ type }) => type).filter((type) => type !== 'text-delta')).toEqual(
            SIMPLE.filter((type) => type !== 'text-delta'),
          )
        },
      ),
    )
  })
})
