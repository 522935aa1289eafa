import { parseArgs } from 'node:util'
import { READERS } from './guards.ts'
import { MeasuredRun } from './measure.ts'
import { chat, TEXTS } from './texts.ts'

// Prints the cost of hostile texts for every processor that reads texts, relative to chat of the same length:
//   node --conditions=@millrace/source packages/processors/test/cost/report.ts [name …] [--way input] [--text part]

const { values: flags, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { text: { type: 'string' }, way: { type: 'string' }, worst: { type: 'string', default: '6' } },
})

const SHORT = 20_000
const LONG = 80_000
const LONGER = 320_000
const LONGEST = 1_000_000

for (const { name, ways, make } of READERS) {
  if (names.length > 0 && !names.includes(name)) continue
  for (const way of ways) {
    if (flags.way !== undefined && flags.way !== way) continue
    const run = new MeasuredRun(make(), way)
    const cost = (text: string, length: number, times: number): Promise<number> =>
      least(times, () => run.cost((TEXTS.get(text) ?? chat)(length)))
    await cost('', LONG, 3)
    const usual = await cost('', LONG, 3)
    const screened: { text: string; short: number }[] = []
    for (const text of TEXTS.keys()) {
      if (flags.text !== undefined && !text.includes(flags.text)) continue
      screened.push({ text, short: await cost(text, SHORT, 2) })
    }
    screened.sort((one, other) => other.short - one.short)
    process.stdout.write(`${name}, ${way}: chat ${usual.toFixed(1)} ms\n`)
    for (const { text } of screened.slice(0, Number(flags.worst))) {
      const long = await cost(text, LONG, 3)
      const longer = await cost(text, LONGER, 2)
      const blocks = [
        await run.longestBlock((TEXTS.get(text) ?? chat)(LONGEST)),
        await run.longestBlock((TEXTS.get(text) ?? chat)(LONGEST)),
      ]
      const block = Math.min(...blocks.map(({ own }) => own))
      const bare = Math.min(...blocks.map((each) => each.bare))
      process.stdout.write(
        `  ${long.toFixed(1).padStart(7)} ms, ${(long / usual).toFixed(1)} times; grows ${(longer / long).toFixed(1)} times; block ${block.toFixed(0)} ms (${bare.toFixed(0)} without): ${text}\n`,
      )
    }
  }
}

async function least(times: number, measure: () => Promise<number>): Promise<number> {
  let found = Number.POSITIVE_INFINITY
  for (let time = 0; time < times; time++) found = Math.min(found, await measure())
  return found
}
