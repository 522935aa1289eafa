/**
 * Node's strict assertions, for every test runner. Loaded at run time, so that the rest of this package loads without
 * `node:assert`.
 */
export const assert: typeof import('node:assert/strict') =
  globalThis.process?.getBuiltinModule('node:assert/strict')

/** The call rejects with a `MillraceError` of this code. */
export async function assertRefused(code: string, call: () => Promise<unknown>): Promise<void> {
  await assert.rejects(call, { name: 'MillraceError', code })
}
