import { MillraceError } from '../errors.ts'
import { checkParts } from '../messages/check-parts.ts'
import { untrustedInput } from '../messages/invalid-input.ts'
import type { UIMessage } from '../messages/message.ts'
import { isRecord } from '../record.ts'
import { checkId } from '../storage/arguments.ts'

export interface ParseUIMessagesOptions {
  /** How many messages at most. Default: 10,000. */
  maxMessages?: number
}

/**
 * What a chat client sent, as UI messages and as nothing else: the body of a request, which may be forged. A run believes
 * none of it but what users and assistants said, and answers to calls its store knows.
 *
 * The error is one of the request: its `statusCode` is 400, and `toResponse()` is what to answer.
 *
 * @throws MillraceError `RUN_INPUT_INVALID` if it is no list of UI messages, or has a system message
 */
export function parseUIMessages(
  value: unknown,
  { maxMessages = 10_000 }: ParseUIMessagesOptions = {},
): UIMessage[] {
  if (!Array.isArray(value)) throw invalid('no list')
  if (value.length > maxMessages)
    throw invalid(`${value.length} messages, more than ${maxMessages} (maxMessages)`)
  const ids = new Set<string>()
  return value.map((element: unknown, index) => {
    if (!isRecord(element)) throw invalid(`no object at ${index}`)
    const { id, role, parts, metadata } = element
    if (!isId(id)) throw invalid(`no id at ${index}`)
    if (ids.has(id)) throw invalid(`the id of an earlier message at ${index}`)
    ids.add(id)
    if (role === 'system')
      throw untrustedInput(
        `a system message in element ${index}`,
        'A client cannot send one: pass instructions.',
      )
    if (role !== 'user' && role !== 'assistant') throw invalid(`no role 'user' or 'assistant' at ${index}`)
    if (!Array.isArray(parts)) throw invalid(`no list of parts at ${index}`)
    return {
      id,
      role,
      parts: [...checkParts(parts, `element ${index}`)],
      ...(metadata !== undefined && { metadata }),
    }
  })
}

/** Whether stores can keep it. */
function isId(id: unknown): id is string {
  try {
    return checkId('id', id) === id
  } catch {
    return false
  }
}

function invalid(what: string): MillraceError {
  return new MillraceError(
    'RUN_INPUT_INVALID',
    `Expected UI messages, objects with id, role and parts, and found ${what}.`,
  )
}
