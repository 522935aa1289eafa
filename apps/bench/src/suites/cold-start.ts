import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Suite } from '../figure.ts'
import { type Measurement, measure } from '../measure.ts'

const PACKAGES = ['@millrace/core', '@millrace/pii', '@millrace/guards/prompt-injection']

/** The cost of importing a package in a new process. */
export const coldStartSuite: Suite = {
  name: 'cold-start',
  about: 'a new process that imports a package, compared with one that imports nothing',
  async run({ quick }) {
    const contestants = PACKAGES.map((name) => ({ name, run: () => start(`await import('${name}')`) }))
    const measurements: Measurement[] = await measure({
      name: 'import in a new process',
      contestants: [{ name: 'bare node', run: () => start('0') }, ...contestants],
      rounds: quick ? 7 : 21,
      warmups: 2,
    })
    const [bare, core] = measurements
    const value = (core?.median ?? Number.NaN) - (bare?.median ?? Number.NaN)
    return {
      measurements,
      figures: [{ name: 'importing @millrace/core over bare node', value, unit: 'ms', budget: 25 }],
    }
  },
}

async function start(code: string): Promise<void> {
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: import.meta.dirname,
  })
}
