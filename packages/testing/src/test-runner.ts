/** What the runners that tests may have share. */
export interface TestRunner {
  describe(name: string, define: () => void): unknown
  /** `timeout` is in milliseconds. */
  test(name: string, options: { timeout: number }, run: () => Promise<void>): unknown
}

/**
 * The runner that runs this file: vitest, else `node:test`. Vitest is found by the global that it sets in its workers, and is not
 * imported: an `import()` that is awaited here would keep CommonJS from loading this package, and bundlers would look for vitest.
 */
export function testRunner(): TestRunner {
  const { __vitest_index__: vitest } = globalThis as { __vitest_index__?: TestRunner }
  return vitest ?? process.getBuiltinModule('node:test')
}
