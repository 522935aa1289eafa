import { MillraceError, readable } from '../errors.ts'
import { nameOf } from './language-model.ts'
import type { ProviderCall } from './provider-call.ts'
import { providerFailure, retryCall } from './retry.ts'

/**
 * Continues a model call whose first attempt has failed: retries retryable errors.
 *
 * @throws MillraceError `MODEL_CALL_FAILED`, with the provider's error as cause
 */
export async function callAgain<T>(
  failure: unknown,
  attempt: () => Promise<T>,
  { model, maxRetries, signal }: ProviderCall,
): Promise<T> {
  let attempts = 0
  try {
    return await retryCall(() => (attempts++ === 0 ? Promise.reject(failure) : attempt()), {
      maxRetries,
      signal,
    })
  } catch (cause) {
    if (signal.aborted) throw signal.reason
    const status = providerFailure(cause)?.statusCode
    throw new MillraceError(
      'MODEL_CALL_FAILED',
      `The call to ${nameOf(model)} failed after ${attempts} attempt${attempts === 1 ? '' : 's'}${status ? ` with status ${status}` : ''}. ${remedy(status)}`,
      { cause: readable(cause) },
    )
  }
}

function remedy(status: number | undefined): string {
  if (status === 401 || status === 403) return 'Check the API key and its permissions.'
  if (status === 404) return 'Check the model id and the base URL.'
  if (status === 429) return 'Wait, or raise modelSettings.maxRetries. The cause has the response headers.'
  return "The cause has the provider's error."
}
