import { isRecord, MillraceError } from '@millrace/core'
import type { AgentsContent, AgentsItem } from './agents-types.ts'

const COMMON_FIELDS = ['type', 'id', 'providerData']
const CALL_FIELDS = [...COMMON_FIELDS, 'callId', 'name', 'namespace', 'status', 'caller']

/** The supported fields of each item type. Processors would not see any other field. */
const ITEM_FIELDS: Readonly<Record<AgentsItem['type'] & string, readonly string[]>> = {
  message: [...COMMON_FIELDS, 'role', 'phase', 'status', 'content'],
  reasoning: [...COMMON_FIELDS, 'content', 'rawContent'],
  function_call: [...CALL_FIELDS, 'arguments'],
  function_call_result: [...CALL_FIELDS, 'output'],
  hosted_tool_call: [...CALL_FIELDS, 'arguments', 'output'],
}

const TEXT_FIELDS = ['type', 'text', 'providerData', 'promptCacheBreakpoint']

const CONTENT_FIELDS: Readonly<Record<AgentsContent['type'], readonly string[]>> = {
  input_text: TEXT_FIELDS,
  output_text: TEXT_FIELDS,
  reasoning_text: TEXT_FIELDS,
  text: TEXT_FIELDS,
  refusal: ['type', 'refusal', 'providerData'],
  input_image: ['type', 'image', 'detail', 'providerData', 'promptCacheBreakpoint'],
  input_file: ['type', 'file', 'filename', 'providerData', 'promptCacheBreakpoint'],
}

/** The fields that must be strings. */
const STRINGS: Readonly<Record<string, readonly string[]>> = {
  function_call: ['callId', 'name', 'arguments'],
  function_call_result: ['callId', 'name'],
  hosted_tool_call: ['name'],
  input_text: ['text'],
  output_text: ['text'],
  reasoning_text: ['text'],
  text: ['text'],
  refusal: ['refusal'],
}

const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system'])

/**
 * Validates items and drops unsupported fields, which processors would not see.
 *
 * @param where What the items belong to, such as `input`
 */
export function readItems(items: readonly object[], where: 'input' | 'answer'): AgentsItem[] {
  return items.map((item, index) => readItem(item, `Item ${index} of the ${where}`))
}

function readItem(given: object, where: string): AgentsItem {
  const item: unknown = given
  if (!isRecord(item)) throw invalid(`${where} is not an object`)
  const { type = 'message', role } = item
  if (typeof type !== 'string' || !Object.hasOwn(ITEM_FIELDS, type))
    throw invalid(`${where} has type '${String(type)}', whose content processors cannot see`)
  if (type === 'message' && !ROLES.has(role)) throw invalid(`${where} has the role '${String(role)}'`)
  checkStrings(item, type, where)
  const kept = known(item, ITEM_FIELDS[type as keyof typeof ITEM_FIELDS])
  const contents: Record<string, unknown> = {}
  for (const field of ['content', 'rawContent', 'output']) {
    const value = kept[field]
    if (value === undefined || typeof value === 'string') continue
    const read = Array.isArray(value)
      ? readList(value, `${where}, in '${field}',`)
      : readContent(value, `${where}, in '${field}',`)
    if (read !== value) contents[field] = read
  }
  if (type === 'message' || type === 'reasoning') {
    if (typeof kept.content !== 'string' && !Array.isArray(kept.content))
      throw invalid(`${where} has no content`)
  } else if (type === 'function_call_result' && kept.output === undefined) {
    throw invalid(`${where} has no output`)
  }
  return (Object.keys(contents).length > 0 ? { ...kept, ...contents } : kept) as unknown as AgentsItem
}

function readList(values: readonly unknown[], where: string): readonly unknown[] {
  const read = values.map((value, index) => readContent(value, `${where} at ${index},`))
  return read.every((value, index) => value === values[index]) ? values : read
}

function readContent(value: unknown, where: string): Record<string, unknown> {
  const type = isRecord(value) ? value.type : undefined
  if (!isRecord(value) || typeof type !== 'string' || !Object.hasOwn(CONTENT_FIELDS, type))
    throw invalid(`${where} has content of type '${String(type)}', which processors cannot see`)
  checkStrings(value, type, where)
  const place = type === 'input_image' ? value.image : type === 'input_file' ? value.file : ''
  if (typeof place !== 'string' && !isRecord(place)) throw invalid(`${where} has a file without data`)
  return known(value, CONTENT_FIELDS[type as keyof typeof CONTENT_FIELDS])
}

function checkStrings(value: Record<string, unknown>, type: string, where: string): void {
  const field = STRINGS[type]?.find((name) => typeof value[name] !== 'string')
  if (field !== undefined) throw invalid(`${where} has no string in '${field}'`)
  const { providerData } = value
  if (providerData !== undefined && providerData !== null && !isRecord(providerData))
    throw invalid(`${where} has no object in 'providerData'`)
}

function known(value: Record<string, unknown>, fields: readonly string[]): Record<string, unknown> {
  const names = Object.keys(value)
  if (names.every((name) => fields.includes(name))) return value
  return Object.fromEntries(names.filter((name) => fields.includes(name)).map((name) => [name, value[name]]))
}

function invalid(what: string): MillraceError {
  return new MillraceError(
    'RUN_INPUT_INVALID',
    `${what}. A guarded model supports messages with text, images and files, reasoning, function calls with their results, and hosted tool calls. Remove other items, or use the model without guards.`,
  )
}
