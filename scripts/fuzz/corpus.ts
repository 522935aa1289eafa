import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isBlock, type Reached } from './coverage.ts'
import type { FuzzTarget } from './target.ts'

/** Maximum length of a stored input as JSON. Smaller inputs with the same coverage are found later. */
export const MOST_CHARACTERS = 8_000

/** The inputs of a target: its seeds, and the stored inputs of earlier runs, one per line. */
export async function readCorpus(name: string, target: FuzzTarget): Promise<unknown[]> {
  const file = fileOf(name)
  const lines = existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : []
  const found = lines.map((line): unknown => JSON.parse(line))
  return [...(await target.seeds()), ...found.map((stored) => target.decode?.(stored) ?? stored)]
}

/** Writes a minimal set of inputs with the same coverage as all inputs, without the seeds. Returns its size. */
export async function writeCorpus(
  name: string,
  target: FuzzTarget,
  inputs: ReadonlyMap<unknown, Reached>,
): Promise<number> {
  const seeds = new Set((await target.seeds()).map((seed) => JSON.stringify(seed)))
  const lines = smallest(inputs)
    .filter((input) => !seeds.has(JSON.stringify(input)))
    .map((input) => JSON.stringify(target.encode?.(input) ?? input))
    .sort()
  mkdirSync(dirname(fileOf(name)), { recursive: true })
  writeFileSync(fileOf(name), lines.map((line) => `${line}\n`).join(''))
  return lines.length
}

function fileOf(name: string): string {
  return join(import.meta.dirname, 'corpus', `${name}.jsonl`)
}

/** Selects small inputs first, each if it adds coverage. */
function smallest(inputs: ReadonlyMap<unknown, Reached>): unknown[] {
  const reached = new Set<string>()
  return [...inputs.entries()]
    .map(([input, all]) => ({ input, blocks: [...all].filter(isBlock), size: JSON.stringify(input).length }))
    .sort((a, b) => a.size - b.size)
    .filter(({ blocks }) => {
      const before = reached.size
      for (const block of blocks) reached.add(block)
      return reached.size > before
    })
    .map(({ input }) => input)
}
