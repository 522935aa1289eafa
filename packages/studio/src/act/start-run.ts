import { setImmediate } from 'node:timers/promises'
import type { RunStream } from '@millrace/core'

/**
 * Starts a run without waiting for its end.
 *
 * @returns The id of the run, when it has started
 * @throws The error of the run, if it cannot start
 */
export async function startRun(stream: Pick<RunStream, 'fullStream' | 'result'>): Promise<string> {
  const chunks = stream.fullStream[Symbol.asyncIterator]()
  const first = await chunks.next()
  let failure: { error: unknown } | undefined
  stream.result.catch((error: unknown) => {
    failure = { error }
  })
  // A run that cannot be resumed emits `start` and fails in the same turn of the event loop.
  await setImmediate()
  if (failure) throw failure.error
  if (first.done || first.value.type !== 'start') throw new Error('The run did not start.')
  void drain(chunks)
  return first.value.runId
}

/** Reads the run to its end. Its outcome is recorded. */
async function drain(chunks: AsyncIterator<unknown>): Promise<void> {
  try {
    while (!(await chunks.next()).done);
  } catch {
    // The recorder has the error.
  }
}
