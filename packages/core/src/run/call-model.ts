import { ModelStream } from '../model/model-stream.ts'
import type { ModelRequest } from '../processors/processor.ts'
import { wrapModelCall } from '../processors/wrap-model-call.ts'
import type { ChunkType } from './chunk.ts'
import { watch } from './deadline.ts'
import type { Run } from './run.ts'
import type { Step } from './step.ts'
import type { StepOutput } from './step-output.ts'

/** Calls the model and passes its response on, chunk by chunk, no faster than the run's reader takes it. */
export async function callModel(
  run: Run,
  step: Step,
  output: StepOutput,
  request: ModelRequest,
): Promise<void> {
  const deadline = watch(run, run.settings.chunkTimeout, 'A chunk of the response')
  let chunks: AsyncIterator<ChunkType> | undefined
  try {
    chunks = run.pipeline.wrapModelCall
      ? wrapModelCall(run, step, request)[Symbol.asyncIterator]()
      : await ModelStream.open(run, step, request)
    for (;;) {
      const { value: chunk, done } = await chunks.next()
      run.throwIfOver()
      if (done) break
      deadline?.extend()
      if (chunk.type === 'step-finish') {
        step.readFinish(chunk)
        continue
      }
      const full = output.push(chunk)
      if (full) await full
    }
    await output.closeParts()
  } catch (error) {
    // Whoever makes the chunks is told that no more are wanted; the error is what counts, not what they say to it.
    chunks?.return?.()?.then(undefined, () => {})
    throw error
  } finally {
    run.addUsage(step.usage)
    deadline?.end()
  }
}
