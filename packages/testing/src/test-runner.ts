/** The common API of the supported test runners. */
export interface TestRunner {
  describe(name: string, define: () => void): unknown
  /** `timeout` is in milliseconds. */
  test(name: string, options: { timeout: number }, run: () => Promise<void>): unknown
}

/**
 * The test runner of this file: vitest, else `node:test`. Vitest is detected by the global of its workers and not imported:
 * a top-level `await import()` would keep CommonJS from loading this package, and bundlers would resolve vitest.
 */
export function testRunner(): TestRunner {
  const { __vitest_index__: vitest } = globalThis as { __vitest_index__?: TestRunner }
  return vitest ?? process.getBuiltinModule('node:test')
}
