import { setImmediate } from 'node:timers/promises'
import type { RunStream } from '@millrace/core'

/**
 * Starts a run and lets it go on by itself.
 *
 * @returns Its id, once it has begun
 * @throws what a run rejects with that cannot begin
 */
export async function begunRun(stream: Pick<RunStream, 'fullStream' | 'result'>): Promise<string> {
  const chunks = stream.fullStream[Symbol.asyncIterator]()
  const first = await chunks.next()
  let failure: { error: unknown } | undefined
  stream.result.catch((error: unknown) => {
    failure = { error }
  })
  // What cannot be resumed is announced, and fails in the same turn.
  await setImmediate()
  if (failure) throw failure.error
  if (first.done || first.value.type !== 'start') throw new Error('The run did not begin.')
  void drain(chunks)
  return first.value.runId
}

/** What becomes of the run is on record. */
async function drain(chunks: AsyncIterator<unknown>): Promise<void> {
  try {
    while (!(await chunks.next()).done);
  } catch {
    // Likewise.
  }
}
