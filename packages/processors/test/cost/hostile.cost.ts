import { describe, expect, test } from 'vitest'
import { READERS, type Way } from './guards.ts'
import { MeasuredRun } from './measure.ts'
import { chat, TEXTS } from './texts.ts'

const isThorough = process.env.MILLRACE_THOROUGH === '1'

/** In UTF-16 units: 80 KB, and four times that. */
const LENGTH = isThorough ? 80_000 : 16_000
const LONGER = 4 * LENGTH

/** The maximum cost, relative to chat of the same length. */
const MOST_TIMES = 10
/**
 * The maximum cost of a text four times as long, relative to the short one. Overlapping slices cost more on short
 * texts; quadratic growth would be 16.
 */
const MOST_GROWTH = isThorough ? 4.5 : 8
/**
 * How often a result over a limit is measured again, together with the chat it is compared with: other work slows both.
 */
const ATTEMPTS = 6

/** The most expensive texts that were found for some processor. */
const COSTLY = ['"1 "', '"1-"', 'random characters', 'U+FDFA', 'high surrogates']

/** The cost of chat for the two detectors: a processor that hardly reads chat may still cost ten times that. */
const DETECTORS = READERS.filter(({ name }) => name === 'PIIDetector' || name === 'SecretDetector')
const detectorRuns = new Map<Way, MeasuredRun[]>()

describe.each(READERS)('$name', ({ name, make, ways }) => {
  test.each(isThorough ? ways : usualWays(name, ways))(
    '%s: hostile text costs at most ten times as much as chat',
    async (way) => {
      const run = new MeasuredRun(make(), way)
      const compared = [run, ...(await detectorsFor(way))]
      for (let warmup = 0; warmup < 3; warmup++) await run.run(chat(LENGTH))
      let usual = await chatCost(compared)
      for (const [name, textOf] of TEXTS) {
        if (!isThorough && !COSTLY.includes(name)) continue
        await run.run(textOf(LENGTH))
        let cost = await run.cost(textOf(LENGTH))
        for (let attempt = 0; attempt < ATTEMPTS && cost > MOST_TIMES * usual; attempt++) {
          usual = Math.max(usual, await chatCost(compared))
          cost = Math.min(cost, await run.cost(textOf(LENGTH)))
        }
        expect({ name, times: cost / usual }).toEqual({ name, times: atMost(MOST_TIMES) })
        // What costs little more than chat may grow as it likes, and is too little to be measured.
        if (cost < 3 * usual) continue
        let growth = Number.POSITIVE_INFINITY
        for (let attempt = 0; attempt < ATTEMPTS && growth > MOST_GROWTH; attempt++) {
          const short = Math.min(await run.cost(textOf(LENGTH)), await run.cost(textOf(LENGTH)))
          growth = Math.min(growth, (await run.cost(textOf(LONGER))) / Math.max(short, usual))
        }
        expect({ name, growth }).toEqual({ name, growth: atMost(MOST_GROWTH) })
      }
    },
  )
})

/** The two detectors read what takes any way; of the others, the way that calls them most often, or their first. */
function usualWays(name: string, ways: readonly Way[]): readonly Way[] {
  // What comes in one chunk takes the way of many.
  if (DETECTORS.some((detector) => detector.name === name)) return ways.filter((way) => way !== 'chunk')
  return ways.includes('stream') ? ['stream'] : ways.slice(0, 1)
}

async function detectorsFor(way: Way): Promise<MeasuredRun[]> {
  const known = detectorRuns.get(way)
  if (known) return known
  const runs = DETECTORS.map(({ make }) => new MeasuredRun(make(), way))
  detectorRuns.set(way, runs)
  for (const run of runs) for (let warmup = 0; warmup < 3; warmup++) await run.run(chat(LENGTH))
  return runs
}

/** The higher cost of the two. */
async function chatCost(runs: readonly MeasuredRun[]): Promise<number> {
  let most = 0
  // One after the other: the CPU time of the whole process is measured.
  for (const run of runs) {
    let least = Number.POSITIVE_INFINITY
    for (let time = 0; time < 2; time++) least = Math.min(least, await run.cost(chat(LENGTH)))
    most = Math.max(most, least)
  }
  return most
}

function atMost(limit: number): unknown {
  return expect.toSatisfy((value: number) => value <= limit)
}
