// Kills processes at random while they execute runs: `pnpm kills dbos 300`. The test process counts their actions.
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { drawFigures } from '../apps/bench/src/figures/draw-figures.ts'
import { addCounts, KILL_TARGETS, KillCount, measureKills } from '../apps/bench/src/figures/measure-kills.ts'
import { readResult, writeResult } from '../apps/bench/src/figures/result-file.ts'

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    keep: { type: 'boolean', default: false },
    add: { type: 'boolean', default: false },
    parts: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
})
const [name = '', kills = '100'] = positionals
const target = KILL_TARGETS.find((known) => known === name)
if (!target || flags.help || [kills, flags.parts].some((count) => !/^[1-9]\d*$/.test(count))) {
  console.error(`Usage: pnpm kills <${KILL_TARGETS.join('|')}> [number of kills, default 100] [--keep [--add]] [--parts <number>]

  --keep   saves the result in apps/bench/results/kills-<target>.json, and updates the page of figures
  --add    adds to the saved result
  --parts  repeats it so many times, and saves the sum after each`)
  process.exit(flags.help ? 0 : 2)
}
let sum = flags.add ? readResult(`kills-${target}`, z.array(KillCount)).values : []
for (let part = 1; part <= Number(flags.parts); part++) {
  const result = measureKills(target, Number(kills))
  sum = addCounts(sum, result.values)
  if (!flags.keep) continue
  const parts = Math.round((sum[0]?.kills ?? 0) / Number(kills))
  writeResult(`kills-${target}`, { ...result, command: `${result.command} --parts ${parts}`, values: sum })
  drawFigures()
}
process.exit(sum.some(({ fault }) => fault !== undefined) ? 1 : 0)
