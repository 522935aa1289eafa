import { describe, expect, test } from 'vitest'
import { loadScanner } from './load-scanner.ts'
import { PII_REGIONS } from './types.ts'

const plain = { threshold: undefined, recognizers: [] }

describe('the scanner of a selection', () => {
  test('is one for all who ask for the same', async () => {
    const one = await loadScanner({ types: ['email'] }, plain)
    expect(await loadScanner({ types: ['email'] }, plain)).toBe(one)
  })

  test('is another one for other types, regions, thresholds and recognizers', async () => {
    const own = { type: 'customer', pattern: /KD-\d{6}/ }
    const scanners = await Promise.all([
      loadScanner({ types: ['email'] }, plain),
      loadScanner({ types: ['iban'] }, plain),
      loadScanner({ types: ['email'], regions: ['DE'] }, plain),
      loadScanner({ types: ['email'] }, { ...plain, threshold: 0.9 }),
      loadScanner({ types: ['email'] }, { ...plain, recognizers: [own] }),
      loadScanner({ types: ['email'] }, { ...plain, recognizers: [own] }),
    ])
    expect(new Set(scanners).size).toBe(scanners.length)
  })

  test('is not kept for every selection there ever was', async () => {
    const first = await loadScanner({ types: ['iban'], regions: [] }, plain)
    for (const region of PII_REGIONS.slice(0, 16)) {
      await loadScanner({ types: ['iban'], regions: [region] }, plain)
    }
    expect(await loadScanner({ types: ['iban'], regions: [] }, plain)).not.toBe(first)
  })
})
