import { parseArgs } from 'node:util'
import { READERS } from './guards.ts'
import { MeasuredRun } from './measure.ts'
import { chat, TEXTS } from './texts.ts'

// Prints what hostile texts cost every processor that reads texts, against chat of the same length:
//   node --conditions=@millrace/source packages/processors/test/cost/report.ts [name …] [--texts part] [--all]

const { values: flags, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    texts: { type: 'string' },
    way: { type: 'string' },
    all: { type: 'boolean', default: false },
    block: { type: 'boolean', default: false },
  },
})

const SIZE = 80_000
const LONGER = 4
const BLOCK = 1_000_000

for (const { name, ways, make } of READERS) {
  if (names.length > 0 && !names.includes(name)) continue
  for (const way of ways) {
    if (flags.way && flags.way !== way) continue
    const run = new MeasuredRun(make(), way)
    for (let i = 0; i < 3; i++) await run.cost(chat(SIZE))
    const usual = await least(3, () => run.cost(chat(SIZE)))
    const rows: { text: string; cost: number; growth: number; block: number }[] = []
    for (const [text, of] of TEXTS) {
      if (flags.texts && !text.includes(flags.texts)) continue
      try {
        await run.run(of(SIZE))
        let cost = await run.cost(of(SIZE))
        if (cost > 3) cost = Math.min(cost, await run.cost(of(SIZE)))
        const growth = cost < 5 ? NaN : (await run.cost(of(LONGER * SIZE))) / cost
        const block = flags.block ? await run.longestBlock(of(BLOCK)) : NaN
        rows.push({ text, cost, growth, block })
      } catch (error) {
        console.log(name, way, text, error)
      }
    }
    const worst = rows.toSorted((a, b) => b.cost - a.cost).slice(0, flags.all ? 200 : 6)
    const grown = rows
      .filter((r) => r.growth > 0)
      .toSorted((a, b) => b.growth - a.growth)
      .slice(0, 2)
    const blocks = rows
      .filter((r) => r.block > 0)
      .toSorted((a, b) => b.block - a.block)
      .slice(0, 2)
    console.log(`${name} ${way}: chat ${usual.toFixed(1)}`)
    for (const { text, cost, growth, block } of worst)
      console.log(
        `   ${(cost / usual).toFixed(1)}x ${cost.toFixed(1)} ms  x${growth.toFixed(1)} block ${block.toFixed(0)}  ${text}`,
      )
    for (const { text, cost, growth } of grown)
      console.log(`   growth x${growth.toFixed(1)} (${cost.toFixed(1)}) ${text}`)
    for (const { text, block } of blocks) console.log(`   block ${block.toFixed(1)} ${text}`)
  }
}

async function least(times: number, measure: () => Promise<number>): Promise<number> {
  let result = Number.POSITIVE_INFINITY
  for (let time = 0; time < times; time++) result = Math.min(result, await measure())
  return result
}
