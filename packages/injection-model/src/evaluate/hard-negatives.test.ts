import { loadScorer, THRESHOLDS } from '@millrace/guards/internals'
import { expect, test } from 'vitest'
import { hardNegatives } from './hard-negatives.ts'

test('at least 95 % of the hard negatives pass, in eleven languages and more', async () => {
  const scorer = await loadScorer()
  const byLanguage = hardNegatives()
  const all = Object.values(byLanguage).flat()
  const flagged = all.filter((text) => scorer.score(text).score >= THRESHOLDS.balanced.input)
  expect(Object.keys(byLanguage).length).toBeGreaterThanOrEqual(11)
  expect(all.length).toBeGreaterThanOrEqual(600)
  expect(flagged.length / all.length).toBeLessThanOrEqual(0.05)
})
