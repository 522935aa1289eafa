import { MillraceError } from '../errors.ts'
import { isRecord } from '../record.ts'
import { isJson } from './json-output.ts'
import type { Message } from './message.ts'

/** The application's metadata of a user's message: a JSON object without the key `client`. */
export type UserMessageMetadata = Readonly<Record<string, unknown>>

/**
 * Adds the application's metadata to the user messages of the turn, which are those after the last answer.
 *
 * @throws MillraceError `CONFIG_INVALID` if it is no JSON object, or has the key of the client's metadata
 */
export function withUserMessageMetadata(
  messages: readonly Message[],
  metadata: UserMessageMetadata,
): Message[] {
  check(metadata)
  const turn = messages.findLastIndex(({ role }) => role !== 'user') + 1
  return messages.map((message, index) => {
    if (index < turn) return message
    const { content } = message
    return {
      ...message,
      content: { ...content, metadata: { ...content.metadata, ...structuredClone(metadata) } },
    }
  })
}

function check(metadata: UserMessageMetadata): void {
  if (!isRecord(metadata)) throw invalid('is no object. Pass an object of JSON values')
  if (Object.hasOwn(metadata, 'client'))
    throw invalid(`has the key 'client', where a client's metadata is kept. Use another key`)
  const key = Object.keys(metadata).find((name) => !isJson(metadata[name]))
  if (key !== undefined)
    throw invalid(`is not JSON under '${key}'. Pass texts, numbers, lists and plain objects`)
}

function invalid(what: string): MillraceError {
  return new MillraceError('CONFIG_INVALID', `userMessageMetadata ${what}.`)
}
