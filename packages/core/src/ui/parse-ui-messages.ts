import { MillraceError } from '../errors.ts'
import { isRecord, type UIMessage } from '../messages/message.ts'

/**
 * What a chat client sent, as UI messages and as nothing else. The agent takes other forms of messages at their word, so
 * a request's body goes through this, or through the AI SDK's `validateUIMessages`, first.
 *
 * @throws MillraceError `RUN_INPUT_INVALID` if it is no list of UI messages
 */
export function parseUIMessages(value: unknown): UIMessage[] {
  if (!Array.isArray(value)) throw invalid('no list')
  return value.map((element: unknown, index) => {
    if (!isRecord(element)) throw invalid(`no object at ${index}`)
    const { id, role, parts, metadata } = element
    if (typeof id !== 'string') throw invalid(`no id at ${index}`)
    if (role !== 'user' && role !== 'assistant' && role !== 'system')
      throw invalid(`no role 'user', 'assistant' or 'system' at ${index}`)
    if (!Array.isArray(parts) || !parts.every((part) => isRecord(part) && typeof part.type === 'string'))
      throw invalid(`no list of parts at ${index}`)
    return { id, role, parts, ...(metadata !== undefined && { metadata }) }
  })
}

function invalid(what: string): MillraceError {
  return new MillraceError(
    'RUN_INPUT_INVALID',
    `Expected UI messages, objects with id, role and parts, and found ${what}.`,
  )
}
