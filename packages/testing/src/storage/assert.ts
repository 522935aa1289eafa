/**
 * Node's strict assertions: the same under every test runner. Taken at run time, so that what else this package has
 * loads where there is no `node:assert`.
 */
export const assert: typeof import('node:assert/strict') =
  globalThis.process?.getBuiltinModule('node:assert/strict')

/** The call is refused with this code, as a `MillraceError`. */
export async function assertRefused(code: string, call: () => Promise<unknown>): Promise<void> {
  await assert.rejects(call, { name: 'MillraceError', code })
}
