import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { MillraceError, readable } from '../errors.ts'
import { nameOf } from './language-model.ts'
import type { ProviderCall } from './provider-call.ts'

/**
 * The response of a provider as a stream. The call is retried on transient errors until the first content; later
 * errors are final, because content may already have been emitted.
 */
export class ProviderStream {
  readonly headers: Record<string, string> | undefined
  readonly #reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>
  readonly #model: LanguageModelV4
  #first: LanguageModelV4StreamPart[]
  /** Removes the listener from the call's abort signal. */
  readonly end: () => void

  private constructor(model: LanguageModelV4, opened: Opened) {
    this.#model = model
    this.#reader = opened.reader
    this.#first = opened.first
    this.headers = opened.headers
    this.end = opened.end
  }

  /** @throws MillraceError `MODEL_CALL_FAILED`, with the provider's error as cause */
  static async open(call: ProviderCall): Promise<ProviderStream> {
    const open = (): Promise<Opened> => openOnce(call)
    const opened = await open().catch(async (failure) => {
      // Loaded on demand: most calls do not fail.
      const { callAgain } = await import('./failed-call.ts')
      return callAgain(failure, open, call)
    })
    return new ProviderStream(call.model, opened)
  }

  /**
   * The next part, or no value at the end. Rejects if the connection is lost: see {@link failure}. Not an `async`
   * function, which would cost another promise per part.
   */
  next(): Promise<{ value?: LanguageModelV4StreamPart | undefined }> {
    return this.#first.length > 0 ? Promise.resolve({ value: this.#first.shift() }) : this.#reader.read()
  }

  /** Cancels the provider's stream. Never throws. */
  cancel(reason: unknown): void {
    this.#reader.cancel(reason).catch(() => {})
  }

  /** The error for a response that was interrupted: reading failed, or the provider sent an error. */
  failure(cause: unknown): MillraceError {
    return new MillraceError(
      'MODEL_STREAM_FAILED',
      `The response of ${nameOf(this.#model)} was interrupted. The cause has the provider's error; the turn was not completed and can be retried.`,
      { cause: readable(cause) },
    )
  }
}

interface Opened {
  reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>
  first: LanguageModelV4StreamPart[]
  headers: Record<string, string> | undefined
  end: () => void
}

/**
 * Reads up to the first content, so that an error before it can be retried. Aborting the signal cancels the response
 * until `end` is called.
 */
async function openOnce({ model, options, signal }: ProviderCall): Promise<Opened> {
  const { stream, response } = await model.doStream(options)
  const reader = stream.getReader()
  const cancel = (): void => {
    reader.cancel(signal.reason).catch(() => {})
  }
  const end = (): void => signal.removeEventListener('abort', cancel)
  signal.addEventListener('abort', cancel, { once: true })
  if (signal.aborted) cancel()
  try {
    const first: LanguageModelV4StreamPart[] = []
    for (;;) {
      const { value } = await reader.read()
      if (value === undefined) break
      if (value?.type === 'error') {
        cancel()
        throw value.error
      }
      first.push(value)
      if (!precedesContent(value)) break
    }
    return { reader, first, headers: response?.headers, end }
  } catch (error) {
    end()
    throw error
  }
}

/** Whether a part precedes the content. Anthropic's provider sends a `custom` part first, among others. */
function precedesContent(part: LanguageModelV4StreamPart): boolean {
  // Invalid parts count too: see `ChunkReader`.
  switch (part?.type) {
    case 'stream-start':
    case 'response-metadata':
    case 'custom':
    case 'ping':
    case 'raw':
      return true
    default:
      return false
  }
}
