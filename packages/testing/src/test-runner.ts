/** What the runners that tests may have share. */
export interface TestRunner {
  describe(name: string, define: () => void): unknown
  /** `timeout` is in milliseconds. */
  test(name: string, options: { timeout: number }, run: () => Promise<void>): unknown
}

// Under vitest alone: elsewhere it cannot be loaded, and need not be installed.
const vitest: TestRunner | undefined = globalThis.process?.env.VITEST ? await import('vitest') : undefined

/** The runner that runs this file: vitest, else `node:test`. */
export function testRunner(): TestRunner {
  return vitest ?? process.getBuiltinModule('node:test')
}
