import { APICallError } from '@ai-sdk/provider'
import type { ChosenModel } from './choose-model.ts'
import { printable } from './terminal.ts'

/** One line with what failed and the remedy. Never quotes a provider's message about a key. */
export function describeFailure(error: unknown, { label, variables }: ChosenModel): string {
  const call = APICallError.isInstance(causeOf(error)) ? (causeOf(error) as APICallError) : undefined
  const { key = 'the key', address } = variables
  switch (call?.statusCode) {
    case undefined:
      if (!call) return singleLine(messages(error))
      return `${label} cannot be reached. ${address ? `Start the server, or check ${address}.` : 'Check the network.'}`
    case 401:
    case 403:
      return `${label} refused the key. Check ${key}.`
    case 404:
      return `${label} was not found. Set MODEL to a model it has${address ? `, and check ${address}` : ''}.`
    case 429:
      return `${label} refuses more calls now. Wait a moment, or check the quota of the account.`
    default:
      return singleLine(messages(error))
  }
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? (error.cause ?? error) : error
}

function messages(error: unknown): string {
  const cause = causeOf(error)
  return [error, ...(cause === error ? [] : [cause])]
    .map((each) => (each instanceof Error ? each.message : String(each)))
    .join(' ')
}

function singleLine(text: string): string {
  return printable(text.replace(/\s+/g, ' ')).trim()
}
