import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { ChunkReader } from '../model/chunk-reader.ts'
import { ProviderStream } from '../model/provider-stream.ts'
import { watch } from './deadline.ts'
import type { ModelRequest } from './prepare-request.ts'
import type { Run } from './run.ts'
import type { Step } from './step.ts'
import type { StepOutput } from './step-output.ts'

/** Calls the model and passes its response on, chunk by chunk, no faster than the run's reader takes it. */
export async function callModel(
  run: Run,
  step: Step,
  request: ModelRequest,
  output: StepOutput,
): Promise<void> {
  const { model, options, maxRetries } = request
  const stream = await ProviderStream.open({ model, options, maxRetries, signal: run.signal })
  const cancel = (): void => stream.cancel(run.signal.reason)
  run.signal.addEventListener('abort', cancel, { once: true })
  const watchChunk = () => watch(run, run.settings.chunkTimeout, 'A chunk of the response')
  let chunkDeadline = watchChunk()
  try {
    run.throwIfOver()
    const reader = new ChunkReader(step, step.tools, run.callIds)
    for (;;) {
      let part: LanguageModelV4StreamPart | undefined
      try {
        part = (await stream.next()).value
      } catch (cause) {
        throw stream.failure(cause)
      }
      if (part === undefined) break
      if (part.type === 'error') throw stream.failure(part.error)
      if (chunkDeadline) chunkDeadline.extend()
      const chunk = reader.read(part)
      if (chunk === undefined) continue
      const full = output.push(chunk)
      if (full) {
        // The time until the reader or a hook goes on is not the model's.
        chunkDeadline?.end()
        await full
        chunkDeadline = watchChunk()
      }
      if (run.over) break
    }
    run.throwIfOver()
    await output.closeParts()
    if (stream.headers) step.response.headers = stream.headers
  } catch (error) {
    stream.cancel(error)
    throw error
  } finally {
    run.addUsage(step.usage)
    chunkDeadline?.end()
    run.signal.removeEventListener('abort', cancel)
  }
}
