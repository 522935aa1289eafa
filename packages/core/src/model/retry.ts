import { APICallError } from '@ai-sdk/provider'
import { hasMarker } from '../errors.ts'

/** Waits are never longer than this, in milliseconds: a provider that asks for more has refused. */
const LONGEST_WAIT = 60_000
const FIRST_WAIT = 500

export interface RetryOptions {
  /** How often to try again after the first attempt. */
  maxRetries: number
  /** Ends the wait, and with it the retries. */
  signal: AbortSignal
}

/**
 * Calls `attempt` until it succeeds, fails for good, or has been tried again `maxRetries` times; then throws the last
 * error. Only what the provider marks as retryable is tried again.
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
 * Waits before a call is tried again: for the time that `Retry-After` asks for, else for half a second that doubles with
 * every failure before this one, with up to a quarter added at random so that clients do not march in step.
 *
 * @returns Whether to try again: not where the signal has fired, nor where the wait would be too long
 * @throws the reason of the signal, if it fires meanwhile
 */
export async function backOff(
  error: unknown,
  { failures, signal }: { failures: number; signal: AbortSignal },
): Promise<boolean> {
  const wait = retryAfter(error) ?? FIRST_WAIT * 2 ** failures * (1 + Math.random() / 4)
  if (signal.aborted || wait > LONGEST_WAIT) return false
  await sleep(wait, signal)
  return true
}

function isRetryable(error: unknown): boolean {
  return providerFailure(error)?.isRetryable ?? false
}

/** What a provider says of a failure. */
export type ProviderFailure = Partial<Pick<APICallError, 'statusCode' | 'isRetryable' | 'responseHeaders'>>

/** Marks the plain objects that the AI SDK's providers make of error events in a stream. */
const streamErrorMarker = Symbol.for('vercel.ai.providerStreamError')

/** The provider's error, also where a gateway has wrapped it. */
export function providerFailure(error: unknown): ProviderFailure | undefined {
  if (APICallError.isInstance(error) || hasMarker(error, streamErrorMarker)) return error as ProviderFailure
  return error instanceof Error && APICallError.isInstance(error.cause) ? error.cause : undefined
}

/** Milliseconds asked for by `retry-after-ms`, or by `retry-after` in seconds or as a date (RFC 9110, 10.2.3). */
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
