import { assert } from './assert.ts'

/** Asks until the answer is yes. For what time alone brings about: no test can wait for the right moment. */
export async function eventually(holds: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + 30_000
  while (!(await holds())) {
    assert.ok(performance.now() < until, 'It did not come to pass within 30 seconds.')
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}
