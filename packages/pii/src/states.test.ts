import { Scanner } from '@millrace/guards/scanner'
import { expect, test } from 'vitest'
import { piiRecognizers } from './recognizers.ts'

/** The same in every run. */
function digitsFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff
    return (state >>> 16) % below
  }
}

test('a text of digits, however they are grouped, does not build thousands of states', async () => {
  const scanner = await Scanner.load(await piiRecognizers())
  const next = digitsFrom(5)
  const groups = Array.from({ length: 8_000 }, () => {
    const digits = Array.from({ length: 1 + next(12) }, () => next(10)).join('')
    return digits + ' -./,\n'.charAt(next(6))
  })
  scanner.detect(groups.join(''))
  // With patterns that each ask for other digits there were 7,900.
  expect(scanner.machine.automaton.states.length).toBeLessThan(3_000)
})
