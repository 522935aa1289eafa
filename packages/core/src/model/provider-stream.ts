import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { MillraceError } from '../errors.ts'
import { nameOf } from './language-model.ts'
import type { ProviderCall } from './provider-call.ts'

/**
 * A model's response as it comes from the provider. The call is made, and made again where it fails for a moment, up
 * to the first content: from there on a failure is final, since content may already have gone out.
 */
export class ProviderStream {
  readonly headers: Record<string, string> | undefined
  readonly #reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>
  readonly #model: LanguageModelV4
  #first: LanguageModelV4StreamPart[]
  /** Stops waiting for the signal of the call. */
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
      // Loaded when needed: most calls do not fail.
      const { callAgain } = await import('./failed-call.ts')
      return callAgain(failure, open, call)
    })
    return new ProviderStream(call.model, opened)
  }

  /**
   * The next part, or no value at the end. Rejects when the connection breaks: see {@link failure}. Not an `async`
   * function: that would cost a promise more for every part.
   */
  next(): Promise<{ value?: LanguageModelV4StreamPart | undefined }> {
    return this.#first.length > 0 ? Promise.resolve({ value: this.#first.shift() }) : this.#reader.read()
  }

  /** Tells the provider that no more is wanted. Never throws. */
  cancel(reason: unknown): void {
    this.#reader.cancel(reason).catch(() => {})
  }

  /** The error for a response that broke off: reading failed, or the provider sent an error in its place. */
  failure(cause: unknown): MillraceError {
    return new MillraceError(
      'MODEL_STREAM_FAILED',
      `The response of ${nameOf(this.#model)} broke off. The cause has the provider's error; the turn was not completed and can be tried again.`,
      { cause },
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
 * Reads up to the first content, so that an error in its place can still be retried. The signal cancels the response
 * until it is ended.
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

/** Whether a part only announces a response. Anthropic's client does that with a `custom` part, among others. */
function precedesContent(part: LanguageModelV4StreamPart): boolean {
  // What is no part says nothing yet: see `ChunkReader`.
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
