// Kills processes at random while they work on runs, as often as told: `pnpm kills dbos 300`. What was done is counted from outside.
import { parseArgs } from 'node:util'
import { drawFigures } from '../apps/bench/src/figures/draw-figures.ts'
import { KILL_TARGETS, type KillCount, measureKills } from '../apps/bench/src/figures/measure-kills.ts'
import { writeResult } from '../apps/bench/src/figures/result-file.ts'

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { keep: { type: 'boolean', default: false } },
})
const [name = '', kills = '100'] = positionals
const target = KILL_TARGETS.find((known) => known === name)
if (!target || !/^[1-9]\d*$/.test(kills)) {
  console.error(`Usage: pnpm kills <${KILL_TARGETS.join('|')}> [number of kills, default 100] [--keep]

  --keep  keeps what was found in apps/bench/results/kills-<target>.json, and writes it into the page of figures`)
  process.exit(2)
}
const result = measureKills(target, Number(kills))
if (flags.keep) {
  writeResult(`kills-${target}`, result)
  drawFigures()
}
const faults = (result.values as KillCount[]).filter(({ fault }) => fault !== undefined)
process.exit(faults.length > 0 ? 1 : 0)
