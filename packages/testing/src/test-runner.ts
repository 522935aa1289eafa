/** What the runners that tests may have share. */
export interface TestRunner {
  describe(name: string, define: () => void): unknown
  /** `timeout` is in milliseconds. */
  test(name: string, options: { timeout: number }, run: () => Promise<void>): unknown
}

// In a worker of vitest alone: elsewhere it cannot register tests, and need not be installed. The variable by itself
// says less, since the processes that a test starts inherit it.
const isVitest = Boolean(globalThis.process?.env.VITEST) && '__vitest_worker__' in globalThis

const vitest: TestRunner | undefined = isVitest ? await import('vitest') : undefined

/** The runner that runs this file: vitest, else `node:test`. */
export function testRunner(): TestRunner {
  return vitest ?? process.getBuiltinModule('node:test')
}
