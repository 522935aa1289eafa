import { isRecord } from '@millrace/core'
import { clearedSentence } from './cleared-sentence.ts'
import type { ProviderFailure } from './provider-failure.ts'

/** What a provider says about its refusal, in the fields of OpenAI's errors. `undefined` if it does not say. */
export interface ProviderWords {
  message: string | undefined
  type: string | undefined
  code: string | undefined
  param: string | undefined
}

/** Headers of responses that name the account of the server. */
const ACCOUNT_HEADERS = ['openai-organization', 'openai-project', 'anthropic-organization-id']

/** Maximum length of a body that is read. Pages of proxies may be long. */
const MAX_BODY = 20_000

/**
 * Reads the words of a provider's error, in the forms of OpenAI, Anthropic, Google and those compatible with
 * them: `{ error: { message, type, code, param, status } }`, in a list or not, `{ error: '…' }`, `{ message }`
 * and `{ detail }`. A body that is not JSON, such as a proxy's page, says nothing.
 */
export function wordsOf(failure: ProviderFailure): ProviderWords {
  const error = errorIn(failure)
  const status = text(error.status)
  const message = text(error.message) ?? text(error.detail) ?? text(failure.message)
  return {
    message: message && clearedSentence(message, knownTexts(failure)),
    type: name(error.type),
    // Google's code is the status as a number, and its status is the code.
    code: name(error.code) ?? name(status),
    param: name(error.param),
  }
}

/** Whether the provider refused the server's key. Google does it with status 400. */
export function isAboutKey({ message = '', code = '' }: ProviderWords): boolean {
  return (
    /^(?:invalid|expired|missing)_api_key$/i.test(code) ||
    /\bapi key (?:not valid|not found|expired)/i.test(message)
  )
}

/** Whether the server's account has no credit left, so that waiting does not help. */
export function isOutOfCredit({ message = '', type, code }: ProviderWords): boolean {
  return [type, code].includes('insufficient_quota') || /\bcredit balance is too low\b/i.test(message)
}

function errorIn({ responseBody, type, code }: ProviderFailure): Record<string, unknown> {
  if (responseBody === undefined) return { type, code }
  const parsed = parse(responseBody)
  const body = Array.isArray(parsed) ? parsed[0] : parsed
  if (!isRecord(body)) return {}
  if (typeof body.error === 'string') return { ...body, message: body.error }
  // `response.failed`, an event of OpenAI's responses.
  const { error } = isRecord(body.response) ? body.response : body
  return isRecord(error) ? error : body
}

function parse(body: string): unknown {
  if (body.length > MAX_BODY) return undefined
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** Texts that the sentence must not contain: the provider's host, and ids of the server's account. */
function knownTexts({ url, responseHeaders = {} }: ProviderFailure): string[] {
  const account = ACCOUNT_HEADERS.flatMap((header) => responseHeaders[header] ?? [])
  return url !== undefined && URL.canParse(url)
    ? [new URL(url).host, new URL(url).hostname, ...account]
    : account
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** A name, such as `rate_limit_error`, `INVALID_ARGUMENT` or `tools[0].name`. Numbers repeat the status. */
function name(value: unknown): string | undefined {
  const isName = typeof value === 'string' && /^[a-z][\w.[\]-]{0,99}$/i.test(value)
  return isName && clearedSentence(value) === value ? value : undefined
}
