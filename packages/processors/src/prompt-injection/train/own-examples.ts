import { OWN_ATTACKS, SURROUNDINGS } from './own-attacks.ts'
import { EVERYDAY, HARD_BENIGN } from './own-benign.ts'
import type { Row } from './rows.ts'
import { random, spin, spinAll } from './spin.ts'

/** Texts of our own writing, attacks also within other text. */
export function ownExamples(seed: number): Row[] {
  const next = random(seed)
  const row = (text: string, label: 0 | 1): Row => ({ text, label, set: 'own', licence: 'Apache-2.0' })
  const attacks = spinAll(OWN_ATTACKS, 24, seed)
  const hard = spinAll(HARD_BENIGN, 30, seed + 1)
  const everyday = spinAll(EVERYDAY, 60, seed + 2)
  const around = (): string => spin(SURROUNDINGS[Math.floor(next() * SURROUNDINGS.length)] as string, next)
  const hidden = attacks
    .filter(() => next() < 0.5)
    .map((text) => (next() < 0.5 ? `${around()}\n${text}\n${around()}` : `${around()} ${around()} ${text}`))
  const mixed = hard.filter(() => next() < 0.5).map((text) => `${around()}\n${text}\n${around()}`)
  const plain = Array.from(
    { length: 600 },
    () => `${around()}\n${around()}${next() < 0.5 ? `\n${around()}` : ''}`,
  )
  return [
    ...[...attacks, ...hidden].map((text) => row(text, 1)),
    ...[...hard, ...mixed, ...everyday, ...plain].map((text) => row(text, 0)),
  ]
}
