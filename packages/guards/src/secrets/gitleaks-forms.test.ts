import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Scanner } from '../scanner/index.ts'
import { secretRecognizers } from './index.ts'

/** What `node scripts/secret-forms.ts` writes. */
const { forms }: { forms: readonly { id: string; pattern: string }[] } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../test/gitleaks-forms.json'), 'utf8'),
)
const scanner = await Scanner.load(await secretRecognizers())

const EXAMPLES = 8

test('finds the tokens of all providers in the rule set of Gitleaks', () => {
  expect(forms.length).toBeGreaterThan(90)
  const shares = forms.map(({ id, pattern }) => {
    const examples = fc.sample(fc.noBias(fc.stringMatching(new RegExp(`^(?:${pattern})$`))), {
      numRuns: EXAMPLES,
      seed: 7,
    })
    const found = examples.filter((example) => scanner.detect(`key ${example} end`).length > 0)
    return { id, share: found.length / EXAMPLES }
  })
  // Among what matches a form are monotonous ones, which are placeholders.
  expect(shares.filter(({ share }) => share < 0.6)).toEqual([])
})
