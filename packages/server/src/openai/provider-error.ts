import { isContextOverflow, MillraceError } from '@millrace/core'
import { clearedSentence } from './cleared-sentence.ts'
import { fault, NO_RETRY, type OpenAIFault, retryAfterHeader } from './openai-fault.ts'
import { causesOf, isProviderFailure, type ProviderFailure, retryAfter } from './provider-failure.ts'
import { isAboutKey, isOutOfCredit, type ProviderWords, wordsOf } from './provider-words.ts'

/** The provider ended an answer before it was complete, or the connection to it was lost. */
export class AnswerCut extends Error {
  constructor(cause?: unknown) {
    super('The provider ended the answer before it was complete.', { cause })
    this.name = 'AnswerCut'
  }
}

/**
 * What a failure of the model's provider is for the client. Its own mistakes keep their status, type and code.
 * Of the rest it only learns whether to try again, because the server's key and account are not the client's.
 *
 * @returns `undefined` for an error that is not the provider's, such as that of a guard
 */
export function providerFault(error: unknown): OpenAIFault | undefined {
  const byCode = MillraceError.isInstance(error) ? MODEL_ERRORS[error.code] : undefined
  // The cause of any other error of ours is not the provider of this answer: a guard may call a model, too.
  if (MillraceError.isInstance(error) && byCode === undefined) return undefined
  const causes = causesOf(error)
  const kinds = causes.map(kindOf)
  if (kinds.includes('provider_timeout')) return gatewayFault('provider_timeout')
  const failure = causes.find(isProviderFailure)
  if (failure?.statusCode !== undefined) return faultOfStatus(failure.statusCode, failure)
  // A call has a URL, and an event of a stream has none.
  const silent = failure && (failure.url === undefined ? 'provider_error' : 'provider_unreachable')
  const kind = kinds.find((found) => found !== undefined) ?? silent ?? byCode
  if (kind !== 'mistake') return kind && gatewayFault(kind)
  const mistake = causes[kinds.indexOf('mistake')] as Error
  return fault(400, 'invalid_request_error', clearedSentence(mistake.message))
}

type Gateway = keyof typeof GATEWAY

/** What the client is told of failures that are not its own, by code. */
const GATEWAY = {
  provider_auth: [
    502,
    "The model's provider refused the server's credentials. Its operator has to change them.",
  ],
  provider_error: [502, "The model's provider failed. Try again later."],
  provider_unreachable: [502, "The model's provider cannot be reached. Try again later."],
  provider_interrupted: [
    502,
    'The provider ended the answer before it was complete. Send the request again.',
  ],
  provider_overloaded: [503, "The model's provider is overloaded. Try again later."],
  provider_timeout: [504, "The model's provider took too long. Try again later."],
} as const

/** Errors of an agent that its model has caused, and what they are if their cause is unknown. */
const MODEL_ERRORS: { readonly [CODE in string]?: Gateway } = {
  MODEL_CALL_FAILED: 'provider_error',
  MODEL_STREAM_FAILED: 'provider_interrupted',
}

function gatewayFault(code: Gateway, headers?: Record<string, string>): OpenAIFault {
  const [status, message] = GATEWAY[code]
  return fault(status, 'server_error', message, {
    code,
    headers: code === 'provider_auth' ? NO_RETRY : headers,
  })
}

function faultOfStatus(status: number, failure: ProviderFailure): OpenAIFault {
  const words = wordsOf(failure)
  const headers = retryHeaders(failure, words)
  // Some providers report it with a 5xx, and a request that is too long never fits.
  if (isContextOverflow(failure)) {
    const tooLong = { ...words, code: 'context_length_exceeded' }
    return status < 500 ? refusal(status, tooLong) : refusal(400, { ...tooLong, type: undefined })
  }
  if (status === 401 || status === 403 || isAboutKey(words)) return gatewayFault('provider_auth')
  if (status >= 400 && status < 499) return refusal(status, words, RETRIED.has(status) ? headers : undefined)
  if (status === 503 || status === 529) return gatewayFault('provider_overloaded', headers)
  if (status === 504 || status === 522 || status === 524) return gatewayFault('provider_timeout')
  return gatewayFault(status < 400 ? 'provider_interrupted' : 'provider_error', headers)
}

/** The refusals that OpenAI's clients try again. */
const RETRIED: ReadonlySet<number> = new Set([408, 409, 429])

function retryHeaders(failure: ProviderFailure, words: ProviderWords): Record<string, string> | undefined {
  const { statusCode, responseHeaders = {} } = failure
  // 501: the provider does not implement it.
  if (statusCode === 501 || responseHeaders['x-should-retry'] === 'false' || isOutOfCredit(words))
    return NO_RETRY
  const wait = retryAfter(failure)
  return wait === undefined ? undefined : retryAfterHeader(wait)
}

/** The provider's refusal of the client's request, in its own words. */
function refusal(status: number, words: ProviderWords, headers?: Record<string, string>): OpenAIFault {
  const { message, type, code, param } = words
  return fault(
    status,
    type ?? (status === 429 ? 'rate_limit_error' : 'invalid_request_error'),
    message ?? `The model's provider refused the request with status ${status}.`,
    // The server's account is out of money, or the model's name in `proxy` is wrong.
    { code, param, headers, isOperators: status === 402 || status === 404 || isOutOfCredit(words) },
  )
}

const TIMEOUTS: ReadonlySet<unknown> = new Set([
  'ETIMEDOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
])

/** Codes of a connection that failed: Node's, undici's and Bun's. */
const NO_CONNECTION: ReadonlySet<unknown> = new Set([
  'ConnectionClosed',
  'ConnectionRefused',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'FailedToOpenSocket',
  'UND_ERR_SOCKET',
])

/** Errors of the AI SDK that no response with a status has caused, by name. */
const AI_SDK_ERRORS: { readonly [NAME in string]?: Gateway | 'mistake' } = {
  AI_EmptyResponseBodyError: 'provider_error',
  AI_InvalidResponseDataError: 'provider_error',
  AI_JSONParseError: 'provider_error',
  AI_NoContentGeneratedError: 'provider_error',
  AI_TypeValidationError: 'provider_error',
  AI_LoadAPIKeyError: 'provider_auth',
  // The request has something that this provider does not take.
  AI_InvalidPromptError: 'mistake',
  AI_UnsupportedFunctionalityError: 'mistake',
}

function kindOf(error: unknown): Gateway | 'mistake' | undefined {
  if (error instanceof AnswerCut) return 'provider_interrupted'
  const { name, code } = error as { name?: unknown; code?: unknown }
  if (name === 'TimeoutError' || TIMEOUTS.has(code)) return 'provider_timeout'
  if (NO_CONNECTION.has(code)) return 'provider_unreachable'
  return typeof name === 'string' && Object.hasOwn(AI_SDK_ERRORS, name) ? AI_SDK_ERRORS[name] : undefined
}
