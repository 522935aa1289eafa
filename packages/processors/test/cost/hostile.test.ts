import { describe, expect, test } from 'vitest'
import { READERS, type Way } from './guards.ts'
import { MeasuredRun } from './measure.ts'
import { chat, TEXTS } from './texts.ts'

const isThorough = process.env.MILLRACE_THOROUGH === '1'

/** In UTF-16 units: 80 KB, and four times that. */
const LENGTH = isThorough ? 80_000 : 16_000
const LONGER = 4 * LENGTH

/** How many times what chat of the same length costs. */
const MOST_TIMES = 10
/** How many times a text of four times the length. What is short leaves more to chance. */
const MOST_GROWTH = isThorough ? 4.5 : 6
/** What is over a limit is measured again so often: other work only ever adds to it. */
const ATTEMPTS = 8

/** Texts that cost most of what was found for some processor. */
const COSTLY = ['"1 "', '"1-"', 'random characters', 'U+FDFA', 'high surrogates', 'keywords']

/** What chat costs the two detectors: a processor that hardly looks at it may still cost ten times that. */
const references = new Map<Way, Promise<number>>()

describe.each(READERS)('$name', ({ make, ways }) => {
  test.each(ways)('%s: hostile text costs at most ten times what chat does', async (way) => {
    const run = new MeasuredRun(make(), way)
    const usual = Math.max(await chatCost(run), await referenceOf(way))
    for (const [name, textOf] of TEXTS) {
      if (!isThorough && !COSTLY.includes(name)) continue
      await run.run(textOf(LENGTH))
      const cost = await below(MOST_TIMES * usual, () => run.cost(textOf(LENGTH)))
      expect({ name, times: cost / usual }).toEqual({ name, times: atMost(MOST_TIMES) })
      // What costs no more than chat may grow as it likes, and is too little to be measured.
      if (cost < usual) continue
      const growth = await below(MOST_GROWTH, async () => {
        const short = Math.min(await run.cost(textOf(LENGTH)), await run.cost(textOf(LENGTH)))
        return (await run.cost(textOf(LONGER))) / Math.max(short, usual)
      })
      expect({ name, growth }).toEqual({ name, growth: atMost(MOST_GROWTH) })
    }
  })
})

async function referenceOf(way: Way): Promise<number> {
  const known = references.get(way) ?? costOfDetectors(way)
  references.set(way, known)
  return await known
}

async function costOfDetectors(way: Way): Promise<number> {
  const detectors = READERS.filter(({ name }) => name === 'PIIDetector' || name === 'SecretDetector')
  let most = 0
  // One after the other: what is measured is the CPU of the process.
  for (const { make } of detectors) most = Math.max(most, await chatCost(new MeasuredRun(make(), way)))
  return most
}

async function chatCost(run: MeasuredRun): Promise<number> {
  for (let warmup = 0; warmup < 3; warmup++) await run.run(chat(LENGTH))
  return await below(0, () => run.cost(chat(LENGTH)), 4)
}

/** The least of several measurements; no more of them once one is below the limit. */
async function below(limit: number, measure: () => Promise<number>, attempts = ATTEMPTS): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < attempts && least > limit; attempt++) {
    least = Math.min(least, await measure())
  }
  return least
}

function atMost(limit: number): unknown {
  return expect.toSatisfy((value: number) => value <= limit)
}
