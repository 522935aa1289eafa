import { copyData } from '../copy-data.ts'
import { isRecord } from '../record.ts'
import type { ParsedInput } from './agent-input.ts'
import { checkParts } from './check-parts.ts'
import { invalidInput } from './invalid-input.ts'
import {
  fromUIMessage,
  type Message,
  type SystemMessage,
  systemMessageOf,
  type UIMessage,
} from './message.ts'
import { addModelMessage } from './model-input.ts'
import type { ModelMessage } from './model-message.ts'

/** A message of a list, in one of the three formats. */
export type InputElement =
  | { form: 'message'; message: Message }
  | { form: 'ui'; message: Omit<UIMessage, 'id'> & { id?: string } }
  | { form: 'model'; message: ModelMessage }

/**
 * Parses a trusted list of messages.
 *
 * @throws MillraceError `RUN_INPUT_INVALID`
 */
export function parseList(list: readonly unknown[]): ParsedInput {
  return messagesOf(list.map(elementOf))
}

/** @throws MillraceError `RUN_INPUT_INVALID` */
export function messagesOf(elements: readonly InputElement[]): ParsedInput {
  const messages: Message[] = []
  const systemMessages: SystemMessage[] = []
  for (const [index, { form, message }] of elements.entries()) {
    if (form === 'model') addModelMessage(message, { messages, systemMessages, where: `element ${index}` })
    else if (form === 'ui') add(fromUIMessage({ ...message, id: message.id ?? crypto.randomUUID() }))
    else add(message)
  }
  return copyData({ messages, systemMessages })

  function add(message: Message): void {
    if (message.role === 'system') systemMessages.push(systemMessageOf(message))
    else messages.push(copyOf(message))
  }
}

/**
 * Detects the format of an element. The element is copied, so that what is validated is what is used.
 *
 * @throws MillraceError `RUN_INPUT_INVALID` if the format of the element or of its parts is unknown
 */
export function elementOf(given: unknown, index: number): InputElement {
  const where = `element ${index}`
  if (!isRecord(given)) throw invalidInput(`${where} of type ${given === null ? 'null' : typeof given}`)
  const own = { ...given }
  const { role, id, parts, content, metadata } = own
  if (isRole(role)) {
    if (Array.isArray(parts)) {
      if (id !== undefined && typeof id !== 'string')
        throw invalidInput(`${where} with an id that is no string`)
      const message = {
        role,
        parts: [...checkParts(parts.filter(isTyped), where)],
        ...(metadata !== undefined && { metadata }),
      }
      return { form: 'ui', message: id === undefined ? message : { ...message, id } }
    }
    if (typeof id === 'string' && isRecord(content) && Array.isArray(content.parts)) {
      if (content.metadata !== undefined && !isRecord(content.metadata))
        throw invalidInput(`${where} with metadata that is no object`)
      const copy = { ...content, parts: [...checkParts(content.parts, where)] }
      return { form: 'message', message: { ...own, content: copy } as unknown as Message }
    }
  }
  if (isModelMessage(role, content)) return { form: 'model', message: own as unknown as ModelMessage }
  throw invalidInput(`${where} with the keys ${keysOf(given)}`)
}

function copyOf(message: Message): Message {
  const { content } = message
  const parts = content.parts.map((part) => ({ ...part }))
  return { ...message, content: { ...content, parts }, createdAt: dateOf(message.createdAt) }
}

/** In messages that were stored as JSON, the time is a string. */
function dateOf(time: unknown): Date {
  const date = time instanceof Date ? time : new Date(typeof time === 'string' ? time : Date.now())
  return Number.isNaN(date.getTime()) ? new Date() : date
}

function isModelMessage(role: unknown, content: unknown): boolean {
  if (role === 'system') return typeof content === 'string'
  if (role === 'tool') return Array.isArray(content)
  return isRole(role) && (typeof content === 'string' || Array.isArray(content))
}

/** Chat clients may send parts that are not valid. */
function isTyped(part: unknown): boolean {
  return isRecord(part) && typeof part.type === 'string'
}

function isRole(value: unknown): value is Message['role'] {
  return value === 'system' || value === 'user' || value === 'assistant'
}

/** The keys of an object, for an error message. They may come from a client, so they are truncated. */
function keysOf(element: object): string {
  const keys = Object.keys(element)
  const shown = keys.slice(0, 8).map((key) => key.slice(0, 20))
  return `${shown.join(', ')}${keys.length > shown.length ? ', …' : ''}`
}
