import { ModelStream } from '../model/model-stream.ts'
import type { ModelRequest } from '../processors/model-hooks.ts'
import type { ChunkType } from './chunk.ts'
import { type Deadline, watch } from './deadline.ts'
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
  const watchChunk = (): Deadline | undefined => {
    return watch(run, run.settings.chunkTimeout, 'A chunk of the response')
  }
  let deadline: Deadline | undefined
  let chunks: AsyncIterator<ChunkType> | undefined
  try {
    chunks = run.pipeline.wrapModelCall
      ? (await import('../processors/wrap-model-call.ts'))
          .wrapModelCall(run, step, { request })
          [Symbol.asyncIterator]()
      : await ModelStream.open(run, step, request)
    deadline = watchChunk()
    for (;;) {
      const { value: chunk, done } = await chunks.next()
      run.throwIfOver()
      if (done) break
      if (deadline) deadline.extend()
      if (chunk.type === 'step-finish') {
        step.readFinish(chunk)
        continue
      }
      const full = output.push(chunk)
      if (full) {
        // The time until the reader or a hook goes on is not the model's.
        deadline?.end()
        await full
        deadline = watchChunk()
      }
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
