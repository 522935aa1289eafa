import { expect, test } from 'vitest'
import { KnownWords } from './known-words.ts'

test('computes a short word once, also if many other words come in between', () => {
  const made = new Map<string, number>()
  const known = new KnownWords<string>().inText((word) => {
    made.set(word, (made.get(word) ?? 0) + 1)
    return word.toUpperCase()
  })
  for (let count = 0; count < 100_000; count++) {
    expect(known(`w${count}`)).toBe(`W${count}`)
    if (count % 1_000 === 0) expect(known('often')).toBe('OFTEN')
  }
  expect(made.get('often')).toBe(1)
})

test('forgets words that are not used again', () => {
  let calls = 0
  const known = new KnownWords<number>().inText(() => ++calls)
  for (let count = 0; count < 100_000; count++) known(`w${count}`)
  known('w0')
  expect(calls).toBe(100_001)
})
