import { APICallError } from '@ai-sdk/provider'
import { hasMarker, readable } from '../errors.ts'

/** Maximum wait in milliseconds. A provider that asks for a longer one has refused the call. */
const MAX_WAIT = 60_000
const FIRST_WAIT = 500

export interface RetryOptions {
  /** Maximum number of retries. */
  maxRetries: number
  /** Aborts the wait and the retries. */
  signal: AbortSignal
}

/**
 * Calls `attempt` until it succeeds, fails with an error that is not retryable, or was retried `maxRetries` times;
 * then throws the last error. Errors are retryable if the provider marks them so.
 */
export async function retryCall<T>(
  attempt: () => PromiseLike<T>,
  { maxRetries, signal }: RetryOptions,
): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await attempt()
    } catch (error) {
      if (failures >= maxRetries || !isRetryable(error)) throw error
      if (!(await backOff(error, { failures, signal }))) throw error
    }
  }
}

/**
 * Waits before a retry: for the time of `Retry-After`, otherwise half a second that doubles with every earlier
 * failure, with up to 25 % jitter.
 *
 * @returns Whether to retry: `false` if the signal is aborted or the wait would be too long
 * @throws The reason of the signal, if it is aborted meanwhile
 */
export async function backOff(
  error: unknown,
  { failures, signal }: { failures: number; signal: AbortSignal },
): Promise<boolean> {
  const wait = retryAfter(error) ?? FIRST_WAIT * 2 ** failures * (1 + Math.random() / 4)
  if (signal.aborted || wait > MAX_WAIT) return false
  await sleep(wait, signal)
  return true
}

function isRetryable(error: unknown): boolean {
  return providerFailure(error)?.isRetryable ?? false
}

/** The properties of a provider's error. */
export type ProviderFailure = Partial<Pick<APICallError, 'statusCode' | 'isRetryable' | 'responseHeaders'>>

/** Marks the plain objects that the AI SDK's providers create for error events in a stream. */
const streamErrorMarker = Symbol.for('vercel.ai.providerStreamError')

/** The provider's error, also if a gateway has wrapped it. */
export function providerFailure(error: unknown): ProviderFailure | undefined {
  const failure = readable(error)
  if (APICallError.isInstance(failure) || hasMarker(failure, streamErrorMarker))
    return failure as ProviderFailure
  return failure instanceof Error && APICallError.isInstance(failure.cause) ? failure.cause : undefined
}

/** The wait in milliseconds by `retry-after-ms`, or by `retry-after` in seconds or as a date (RFC 9110, 10.2.3). */
function retryAfter(error: unknown): number | undefined {
  const headers = providerFailure(error)?.responseHeaders
  if (!headers) return undefined
  const milliseconds = Number.parseFloat(headers['retry-after-ms'] ?? '')
  if (milliseconds >= 0) return milliseconds
  const after = headers['retry-after']
  if (after === undefined) return undefined
  const seconds = Number(after)
  const wait = Number.isNaN(seconds) ? Date.parse(after) - Date.now() : seconds * 1000
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    function stop(): void {
      clearTimeout(timer)
      reject(signal.reason)
    }
    signal.addEventListener('abort', stop, { once: true })
  })
}
