import { MillraceError } from '../errors.ts'
import { checkParts } from '../messages/check-parts.ts'
import { untrustedInput } from '../messages/invalid-input.ts'
import type { UIMessage } from '../messages/message.ts'
import { requireOptions } from '../option-names.ts'
import { isRecord } from '../record.ts'
import { checkId } from '../storage/arguments.ts'

export interface ParseUIMessagesOptions {
  /** Maximum number of messages. Default: 10,000. */
  maxMessages?: number
}

/**
 * Validates the UI messages in a request body, which may be forged. A run uses only what users and assistants said,
 * and answers to calls that its store knows.
 *
 * The error has `statusCode` 400, and `toResponse()` returns the response.
 *
 * @throws MillraceError `RUN_INPUT_INVALID` if it is not a list of UI messages, or contains a system message
 */
export function parseUIMessages(value: unknown, options: ParseUIMessagesOptions = {}): UIMessage[] {
  const { maxMessages = 10_000 } = requireOptions('parseUIMessages()', options, { maxMessages: 'optional' })
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

/** Whether it is an id that stores accept. */
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
