import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Figure, Suite } from '../figure.ts'
import { FIRST_MESSAGES } from '../first-message.ts'

const PROGRAM = join(import.meta.dirname, '../first-message.ts')

const BUDGET = 20
/** Without warming up. The table of languages is 50,000 objects: to move them when garbage is collected takes long. */
const LONGER: Readonly<Record<string, number>> = { LanguageDetector: 50 }

const MODES = { cold: '', 'warm-up': ' after warmUp()' }

/** How long other requests wait while a guard loads. */
export const firstMessageSuite: Suite = {
  name: 'first-message',
  about:
    'the longest time the first message of a new process holds the event loop, by guard, without and after warmUp()',
  async run({ quick }) {
    const figures: Figure[] = []
    for (const name of Object.keys(FIRST_MESSAGES)) {
      for (const [mode, when] of Object.entries(MODES)) {
        let value = Number.POSITIVE_INFINITY
        for (let round = 0; round < (quick ? 4 : 12); round++)
          value = Math.min(value, await blockOf(name, mode))
        const budget = mode === 'cold' ? (LONGER[name] ?? BUDGET) : BUDGET
        figures.push({ name: `first message${when}, ${name}`, value, unit: 'ms', budget })
      }
    }
    return { measurements: [], figures }
  },
}

async function blockOf(name: string, mode: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, name, mode])
  return Number(stdout)
}
