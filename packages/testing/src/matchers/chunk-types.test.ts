import { describe, expect, it } from 'vitest'
import { matchers } from '../matchers.ts'

expect.extend(matchers)

describe('toHaveChunkTypes', () => {
  const chunks = ['start', 'text-start', 'text-delta', 'text-delta', 'text-end'].map((type) => ({ type }))

  it('compares types in order', () => {
    expect(chunks).toHaveChunkTypes(['start', 'text-start', 'text-delta', 'text-delta', 'text-end'])
    expect(chunks).toHaveChunkTypes(['start', 'text-start', 'text-delta', 'text-end'], { mergeDeltas: true })
    expect(chunks).not.toHaveChunkTypes(['start', 'text-start', 'text-delta', 'text-end'])
    expect(chunks).not.toHaveChunkTypes(['start'])
  })

  it('shows both lists', () => {
    expect(() => expect(chunks).toHaveChunkTypes(['start', 'finish'], { mergeDeltas: true })).toThrow(
      'expected chunks of the types\n  start, finish\nbut they are\n  start, text-start, text-delta, text-end',
    )
    expect(() => expect([]).not.toHaveChunkTypes([])).toThrow('expected the chunks not to have the types')
    expect(() => expect(new ReadableStream()).toHaveChunkTypes([])).toThrow('await or collect it first')
  })
})
