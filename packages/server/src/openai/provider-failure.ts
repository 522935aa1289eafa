import { APICallError } from '@ai-sdk/provider'

/** A provider's response with an error, or an error event in its stream, whose `type` and `code` are fields. */
export type ProviderFailure = Partial<
  Pick<APICallError, 'message' | 'responseBody' | 'responseHeaders' | 'statusCode' | 'url'>
> & { type?: unknown; code?: unknown }

/** Marks the plain objects that the AI SDK's providers create for error events in a stream. */
const STREAM_ERROR = Symbol.for('vercel.ai.providerStreamError')

export function isProviderFailure(error: object): error is ProviderFailure {
  return APICallError.isInstance(error) || (error as { [STREAM_ERROR]?: unknown })[STREAM_ERROR] === true
}

/** The error and what has caused it, outermost first. */
export function causesOf(error: unknown): object[] {
  const causes: object[] = []
  let current = error
  while (typeof current === 'object' && current !== null && causes.length < MAX_CAUSES) {
    causes.push(current)
    current = (current as { cause?: unknown }).cause
  }
  return causes
}

const MAX_CAUSES = 8

/** Google says in the body how long to wait: `"retryDelay": "36s"`. */
const RETRY_DELAY = /"retryDelay":\s{0,4}"(\d{1,6}(?:\.\d{1,9})?)s"/

/**
 * How long the provider asks to wait, in milliseconds: by `retry-after-ms`, by `retry-after` in seconds or as a
 * date (RFC 9110, 10.2.3), or by Google's `retryDelay`.
 */
export function retryAfter({ responseHeaders = {}, responseBody = '' }: ProviderFailure): number | undefined {
  const after = responseHeaders['retry-after']
  const delay = RETRY_DELAY.exec(responseBody)?.[1]
  const waits = [
    Number.parseFloat(responseHeaders['retry-after-ms'] ?? ''),
    after === undefined ? Number.NaN : Number.parseFloat(after) * 1_000,
    after === undefined ? Number.NaN : Date.parse(after) - Date.now(),
    delay === undefined ? Number.NaN : Number(delay) * 1_000,
  ]
  return waits.find((wait) => wait >= 0)
}
