import { assert } from './assert.ts'

/** Polls until the condition holds, for effects that only need time. */
export async function eventually(holds: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + 2_000
  for (let times = 1; !(await holds()); times++) {
    assert.ok(performance.now() < until || times < 10, 'The condition did not hold within two seconds.')
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}
