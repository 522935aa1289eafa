import { isRecord } from '../record.ts'
import { invalidInput } from './invalid-input.ts'
import type { MessagePart, ToolPart } from './message.ts'

/** The required string fields of a part, by type. Other types have none. */
const STRINGS: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  reasoning: ['text'],
  file: ['mediaType', 'url'],
  'reasoning-file': ['mediaType', 'url'],
  'source-url': ['sourceId', 'url'],
  'source-document': ['sourceId', 'mediaType', 'title'],
  custom: ['kind'],
  'dynamic-tool': ['toolCallId', 'toolName', 'state'],
}

/** The optional string fields. */
const OPTIONAL_STRINGS = ['filename', 'title', 'state']

/** The optional object fields. */
const OBJECTS = ['providerMetadata', 'callProviderMetadata', 'resultProviderMetadata', 'providerReference']

const TOOL_STATES: ReadonlySet<unknown> = new Set<ToolPart['state']>([
  'input-streaming',
  'input-available',
  'approval-requested',
  'approval-responded',
  'output-available',
  'output-error',
  'output-denied',
])

/**
 * Validates the parts of an input message. Unknown types are not validated, because nothing reads them.
 *
 * @param where The location of the message for the error, such as `element 0`
 * @throws MillraceError `RUN_INPUT_INVALID`
 */
export function checkParts(parts: readonly unknown[], where: string): readonly MessagePart[] {
  for (const [index, part] of parts.entries()) {
    const problem = problemOf(part)
    if (problem !== undefined) throw invalidInput(`${where} whose part ${index} has ${problem}`)
  }
  return parts as readonly MessagePart[]
}

function problemOf(part: unknown): string | undefined {
  if (!isRecord(part)) return 'no fields: it is not an object'
  const { type } = part
  if (typeof type !== 'string') return 'no type'
  const isTool = type === 'dynamic-tool' || type.startsWith('tool-')
  const required = isTool && type !== 'dynamic-tool' ? ['toolCallId', 'state'] : ownStrings(type)
  for (const field of required) if (typeof part[field] !== 'string') return `no string in '${field}'`
  for (const field of OPTIONAL_STRINGS) {
    if (part[field] !== undefined && typeof part[field] !== 'string') return `no string in '${field}'`
  }
  for (const field of OBJECTS) {
    if (part[field] !== undefined && !isRecord(part[field])) return `no object in '${field}'`
  }
  if (isTool) return problemOfTool(part)
  if (type === 'steering-message') {
    if (!Array.isArray(part.parts)) return "no list in 'parts'"
    return part.parts.map(problemOf).find((problem) => problem !== undefined)
  }
  return undefined
}

function problemOfTool(part: Record<string, unknown>): string | undefined {
  const { state, approval, errorText } = part
  if (!TOOL_STATES.has(state)) return "an unknown 'state'"
  if (state === 'output-error' && typeof errorText !== 'string') return "no string in 'errorText'"
  if (approval !== undefined && !isRecord(approval)) return "no object in 'approval'"
  return undefined
}

function ownStrings(type: string): readonly string[] {
  return Object.hasOwn(STRINGS, type) ? (STRINGS[type] ?? []) : []
}
