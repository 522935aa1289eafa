import { describe, expect, test } from 'vitest'
import type { MillraceError } from '../errors.ts'
import { arrange, type Placed } from './order.ts'
import { compilePipeline, type PipelineOptions } from './pipeline.ts'
import type { Processor, ProcessorProvider } from './processor.ts'

/** A processor with every hook. */
function processor(id: string): Processor {
  return {
    id,
    processInput: () => {},
    processInputStep: () => {},
    processOutputStream: ({ part }) => part,
    processOutputStep: () => {},
    processOutputResult: () => {},
  }
}

const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(processor) as [Processor, Processor, Processor, Processor]

function ids(entries: readonly (Processor | Placed)[]): string {
  return arrange(entries, 'input')
    .map(({ id }) => id)
    .join(' ')
}

function faultOf(action: () => unknown): MillraceError {
  try {
    action()
  } catch (error) {
    return error as MillraceError
  }
  throw new Error('Nothing was thrown.')
}

describe('a list of processors', () => {
  test('keeps its order', () => {
    expect(ids([c, a, b])).toBe('c a b')
  })

  test('puts a placed processor directly after or before its target', () => {
    expect(ids([{ processor: c, after: 'a' }, a, b])).toBe('a c b')
    expect(ids([a, b, { processor: c, before: 'a' }])).toBe('c a b')
  })

  test('keeps several with the same target in their order', () => {
    expect(ids([a, { processor: b, after: 'a' }, { processor: c, after: 'a' }, d])).toBe('a b c d')
    expect(ids([d, { processor: a, before: 'd' }, { processor: b, before: 'd' }])).toBe('a b d')
  })

  test('places processors next to others that are placed themselves', () => {
    expect(ids([{ processor: c, after: 'b' }, { processor: b, after: 'a' }, a, d])).toBe('a b c d')
  })

  test.each([
    ['the same instance', [a, a]],
    ['the same id', [a, b, processor('a')]],
    ['the same id, placed', [a, b, { processor: processor('a'), after: 'b' }]],
  ])('refuses an id that occurs twice: %s', (_, entries) => {
    const error = faultOf(() => arrange(entries, 'output'))
    expect(error.code).toBe('CONFIG_ID_DUPLICATE')
    expect(error.message).toContain("'a'")
    expect(error.message).toContain('output')
  })

  test('refuses two processors with the same exclusive value, and names them', () => {
    const [history, other] = [a, b].map((each) => ({ ...each, exclusive: 'message-history' }))
    const error = faultOf(() => arrange([history as Processor, c, other as Processor], 'input'))
    expect(error.code).toBe('CONFIG_INVALID')
    for (const part of ["'a'", "'b'", 'message-history', 'input']) expect(error.message).toContain(part)
    expect(ids([history as Processor, { ...b, exclusive: 'recall' }, c])).toBe('a b c')
  })

  test('names a missing target, the processor that refers to it, and the existing ids', () => {
    const error = faultOf(() => arrange([a, b, { processor: c, after: 'nobody' }], 'input'))
    expect(error.code).toBe('CONFIG_ID_MISSING')
    for (const part of ["'c'", "'nobody'", 'a, b', 'input']) expect(error.message).toContain(part)
  })

  test('names the processors of a cycle', () => {
    const circle = [
      a,
      { processor: b, after: 'c' },
      { processor: c, before: 'd' },
      { processor: d, after: 'b' },
    ]
    const error = faultOf(() => arrange(circle as Placed[], 'input'))
    expect(error.code).toBe('CONFIG_ORDER_CYCLE')
    expect(error.message).toContain('b, c, d')
    expect(faultOf(() => arrange([{ processor: a, after: 'a' }], 'input')).code).toBe('CONFIG_ORDER_CYCLE')
  })
})

/** Input and output order, as the hooks see them. */
function chains(options: PipelineOptions): { input: string; output: string } {
  const { processInput, processOutputStep } = compilePipeline(options)
  const list = (members: readonly Processor[] | null): string => (members ?? []).map(({ id }) => id).join(' ')
  return { input: list(processInput), output: list(processOutputStep) }
}

describe('a pipeline', () => {
  const memory: ProcessorProvider = {
    getInputProcessors: () => [processor('history-in')],
    getOutputProcessors: () => [processor('history-out')],
  }

  test('is null for a hook without implementations', () => {
    const pipeline = compilePipeline({ processors: [{ id: 'one', processOutputStep: () => {} }] })
    expect(pipeline.processOutputStep).toHaveLength(1)
    expect(pipeline.processInput).toBeNull()
    expect(pipeline.processOutputStream).toBeNull()
  })

  test('runs processors in all hooks, before those of the other lists', () => {
    expect(chains({ processors: [a], inputProcessors: [b], outputProcessors: [c] })).toEqual({
      input: 'a b',
      output: 'a c',
    })
  })

  test('accepts the same instance, or the same id, in the input and in the output list', () => {
    expect(chains({ inputProcessors: [a, b], outputProcessors: [b, processor('a')] })).toEqual({
      input: 'a b',
      output: 'b a',
    })
  })

  test('refuses the same id in processors and in another list', () => {
    expect(faultOf(() => compilePipeline({ processors: [a], outputProcessors: [a] })).code).toBe(
      'CONFIG_ID_DUPLICATE',
    )
  })

  test('uses both halves of a provider that is in one list, the other half last', () => {
    expect(chains({ inputProcessors: [memory, a], outputProcessors: [b] })).toEqual({
      input: 'history-in a',
      output: 'b history-out',
    })
    expect(chains({ inputProcessors: [a], outputProcessors: [memory, b] })).toEqual({
      input: 'a history-in',
      output: 'history-out b',
    })
  })

  test('uses each half of a provider at its position if it is in both lists', () => {
    expect(chains({ inputProcessors: [memory, a], outputProcessors: [memory, b] })).toEqual({
      input: 'history-in a',
      output: 'history-out b',
    })
  })

  test('uses a provider in processors at its position in both', () => {
    expect(chains({ processors: [memory, a], inputProcessors: [b] })).toEqual({
      input: 'history-in a b',
      output: 'history-out a',
    })
  })

  test("runs the agent's memory last in both, also after other providers", () => {
    const other: ProcessorProvider = { getOutputProcessors: () => [processor('other-out')] }
    expect(chains({ memory, inputProcessors: [other, a], outputProcessors: [b] })).toEqual({
      input: 'a history-in',
      output: 'b other-out history-out',
    })
  })

  test('uses only one half if its processors are spread into a list', () => {
    expect(chains({ inputProcessors: [...(memory.getInputProcessors?.() ?? []), a] })).toEqual({
      input: 'history-in a',
      output: '',
    })
  })

  test('uses a provider once that is also the memory of the agent', () => {
    expect(chains({ memory, inputProcessors: [memory, a], outputProcessors: [b] })).toEqual({
      input: 'history-in a',
      output: 'b history-out',
    })
  })

  test('places a processor next to one of a provider', () => {
    expect(chains({ inputProcessors: [memory, a, { processor: b, before: 'history-in' }] }).input).toBe(
      'b history-in a',
    )
  })

  test.each([
    ['no hook at all', { processors: [{ id: 'idle' }] }],
    ['no hook of its list', { inputProcessors: [{ id: 'idle', processOutputStep: () => {} }] }],
    ['no hook of its list', { outputProcessors: [{ id: 'idle', processInput: () => {} }] }],
  ] as [string, PipelineOptions][])('refuses a processor with %s and names it', (_, options) => {
    const error = faultOf(() => compilePipeline(options))
    expect(error.code).toBe('CONFIG_HOOK_MISSING')
    expect(error.message).toContain("'idle'")
  })

  test.each([
    ['a processor without an id', { processors: [{ processInput: () => {} }] }],
    ['something that is no processor', { processors: ['pii'] }],
    ['null', { inputProcessors: [null] }],
  ] as [string, any][])('refuses %s', (_, options) => {
    expect(faultOf(() => compilePipeline(options)).code).toBe('CONFIG_INVALID')
  })
})
