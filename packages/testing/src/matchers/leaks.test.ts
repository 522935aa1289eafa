import { describe, expect, it } from 'vitest'
import { matchers } from '../matchers.ts'

expect.extend(matchers)

describe('toLeakNothingOf', () => {
  const secret = 'ann@example.test'

  class Result {
    readonly #text = `Mail ${secret} now`
    get text(): string {
      return this.#text
    }
    get broken(): string {
      throw new Error('not ready')
    }
  }

  it.each<[string, unknown]>([
    ['value', secret],
    ['value.a[1].b', { a: [0, { b: `<${secret}>` }] }],
    ['value (key)', { [secret]: 1 }],
    ['value.get("k")', new Map([['k', secret]])],
    ['value (key) (key)', new Map([[{ [secret]: 1 }, 1]])],
    ['value (entry)', new Set([secret])],
    ['value.message', new Error(`No ${secret}`)],
    ['value.cause.data', new Error('no', { cause: Object.assign(new Error('deep'), { data: secret }) })],
    ['value.errors[0]', new AggregateError([secret], 'many')],
    ['value.text', new Result()],
    ['value (bytes)', new TextEncoder().encode(secret)],
    ['value', new URL(`https://a.test/?q=${secret}`)],
  ])('finds it at %s', (path, value) => {
    expect(() => expect(value).toLeakNothingOf(secret)).toThrow(`\n  ${path}: `)
    expect(value).not.toLeakNothingOf(secret)
  })

  it('finds secrets that are split over adjacent pieces', () => {
    const delta = (id: string, textDelta: string) => ({ type: 'text-delta', id, textDelta })
    const chunks = [
      delta('1', 'Mail ann@'),
      delta('2', 'other'),
      { type: 'data-x' },
      delta('1', 'example.test'),
    ]
    expect(() => expect(chunks).toLeakNothingOf(secret)).toThrow(
      `expected nothing of "${secret}", but found it in\n  value (text-delta 1 textDelta, joined): "Mail ${secret}"`,
    )
    expect({
      deltas: [
        { type: 'tool-input-delta', id: '1', delta: 'ann@' },
        { type: 'tool-input-delta', id: '1', delta: 'example.test' },
      ],
    }).not.toLeakNothingOf(secret)
    expect([
      { type: 'text', text: 'ann@exam' },
      { type: 'text', text: 'ple.test' },
    ]).not.toLeakNothingOf(secret)
    expect(['ann@exam', 'ple.test']).not.toLeakNothingOf(secret)
    expect([delta('1', 'ann@'), delta('2', 'example.test')]).toLeakNothingOf(secret)
  })

  it('finds it in JSON, in escaped form', () => {
    const quoted = 'pass"word'
    expect({ input: JSON.stringify({ value: quoted }) }).not.toLeakNothingOf(quoted)
  })

  it('passes for clean values of every type', () => {
    const cyclic = { a: null, b: undefined, c: 1n, d: Symbol('x'), e: () => secret, self: {} }
    cyclic.self = cyclic
    expect(cyclic).toLeakNothingOf([secret, 'other'])
    expect(() => expect(cyclic).not.toLeakNothingOf(secret)).toThrow(
      `expected "${secret}" to be found somewhere`,
    )
  })

  it('reports the first of many places, with context', () => {
    const many = Array.from({ length: 8 }, () => ({ text: `${'x'.repeat(50)}${secret}${'y'.repeat(50)}` }))
    expect(() => expect(many).toLeakNothingOf(secret)).toThrow(
      `value[4].text: …"${'x'.repeat(20)}${secret}${'y'.repeat(20)}"…`,
    )
    expect(() => expect(many).toLeakNothingOf(secret)).toThrow('and in 3 more places')
  })

  it('refuses values that it cannot search', () => {
    expect(() => expect(Promise.resolve(secret)).toLeakNothingOf(secret)).toThrow('await or collect it first')
    expect(() => expect(new ReadableStream()).not.toLeakNothingOf(secret)).toThrow(
      'await or collect it first',
    )
    expect(() => expect('text').toLeakNothingOf('')).toThrow('needs a secret of one character or more')
  })
})
