import type { ModelRequest } from '../../model/model-request.ts'
import { type Deadline, watch } from '../../run/deadline.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import type { StepOutput } from '../output/step-output.ts'
import type { ChunkSource } from './chunk-source.ts'
import { ModelStream } from './model-stream.ts'

/** Calls the model and pushes its response chunk by chunk, no faster than the run's reader reads. */
export async function callModel(
  run: Run,
  step: Step,
  output: StepOutput,
  request: ModelRequest,
): Promise<void> {
  const { settings, signal } = run
  const watchChunk = (): Deadline | undefined => {
    return watch(run, settings.chunkTimeout, { what: 'A chunk of the response', until: signal })
  }
  let deadline: Deadline | undefined
  let source: ChunkSource | undefined
  try {
    if (run.pipeline.wrapModelCall) {
      const { openWrapped } = await import('./wrap-model-call.ts')
      // `chunkTimeout` also covers processors that wrap the call.
      deadline = watchChunk()
      source = await openWrapped(run, step, request)
    } else {
      source = await ModelStream.open(run, step, request)
      deadline = watchChunk()
    }
    while (!source.done) {
      let read: unknown
      try {
        read = await source.read()
      } catch (cause) {
        throw source.failure(cause)
      }
      const chunk = source.take(read)
      run.throwIfOver()
      if (chunk === undefined) continue
      if (deadline) deadline.extend()
      if (chunk.type === 'step-finish') {
        step.readFinish(chunk)
        continue
      }
      const full = output.push(chunk)
      if (full) {
        // Time spent waiting for the reader or a hook does not count against `chunkTimeout`.
        deadline?.end()
        await full
        deadline = watchChunk()
      }
    }
    await output.endResponse()
  } catch (error) {
    // The first error is thrown, not one from cancelling the source.
    source?.end()
    throw error
  } finally {
    run.addUsage(step.state.usage)
    deadline?.end()
  }
}
