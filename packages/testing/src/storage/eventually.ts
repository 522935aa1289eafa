import { assert } from './assert.ts'

/** Asks until the answer is yes. For what time alone brings about: no test can wait for the right moment. */
export async function eventually(holds: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + 2_000
  for (let times = 1; !(await holds()); times++) {
    assert.ok(performance.now() < until || times < 10, 'It did not come to pass within two seconds.')
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}
