import { describe, test } from 'vitest'
import { readCorpus } from './corpus.ts'
import { loadTarget, targetNames } from './targets.ts'

describe.each(targetNames)('the corpus of %s passes', (name) => {
  test('holds', async () => {
    const target = await loadTarget(name)
    for (const input of await readCorpus(name, target)) {
      try {
        await target.run(structuredClone(input))
      } catch (error) {
        throw new Error(`The input ${JSON.stringify(input)} fails.`, { cause: error })
      }
    }
  })
})
