import { join } from 'node:path'
import { startVitest } from 'vitest/node'
import type { Suite } from '../figure.ts'

const conditions = ['@millrace/source']

/**
 * The limits of cost that are written beside the code they measure, in `*.cost.ts`: linear time for hostile text, the
 * cost of a store by its size, memory of ended runs. They have the form of tests, and run alone, one file after another.
 */
export const costsSuite: Suite = {
  name: 'costs',
  about: 'limits of cost beside the code, in *.cost.ts',
  async run() {
    const vitest = await startVitest(
      'test',
      [],
      {
        root: join(import.meta.dirname, '../../../..'),
        config: false,
        watch: false,
        include: ['packages/*/test/**/*.cost.ts'],
        exclude: ['**/node_modules/**'],
        fileParallelism: false,
        testTimeout: 900_000,
        hookTimeout: 300_000,
      },
      { resolve: { conditions }, ssr: { resolve: { conditions } } },
    )
    const modules = vitest.state.getTestModules()
    const passed = modules.flatMap(({ children }) => [...children.allTests('passed')])
    const failed = modules.filter((module) => !module.ok())
    await vitest.close()
    // The bench sets its own exit code.
    process.exitCode = undefined
    return {
      measurements: [],
      figures: [
        { name: 'limits of cost that hold', value: passed.length, unit: 'tests' },
        { name: 'files with a limit that is exceeded', value: failed.length, unit: 'files', budget: 0 },
      ],
    }
  },
}
