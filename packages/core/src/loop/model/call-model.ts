import type { ModelRequest } from '../../model/model-request.ts'
import { type Deadline, watch } from '../../run/deadline.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import type { StepOutput } from '../output/step-output.ts'
import type { ChunkSource } from './chunk-source.ts'
import { ModelStream } from './model-stream.ts'

/** Calls the model and passes its response on, chunk by chunk, no faster than the run's reader takes it. */
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
      // A processor that hangs is as a model that hangs.
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
        // The time until the reader or a hook continues is not the model's.
        deadline?.end()
        await full
        deadline = watchChunk()
      }
    }
    await output.endResponse()
  } catch (error) {
    // The error counts, and not what cancelling the source throws.
    source?.end()
    throw error
  } finally {
    run.addUsage(step.state.usage)
    deadline?.end()
  }
}
