import type { Message } from '../messages/message.ts'
import { MessageList } from '../transcript/message-list.ts'
import { describe, mismatch, type Place, type Shape } from './shape.ts'

/** What a hook may return, without "nothing" (`undefined`, `null`). */
export interface HookReturn {
  /** The allowed values in words, for the error message. */
  allowed: string
  list?: Shape
  /** The transcript that it was given, which means that it was edited in place. */
  messageList?: true
  object?: Shape
}

/** The objects that a hook was given. They need no validation in its result. */
export interface Given {
  messageList?: MessageList | undefined
  /** The messages that it was given in place of the transcript. */
  messages?: readonly Message[] | undefined
  /** Other objects of core: data of a tool, messages of a prompt. */
  values?: readonly unknown[]
  /** The settings of the model call. */
  modelSettings?: object | undefined
}

/**
 * Validates and reads what a hook returned.
 *
 * @throws Mismatch
 */
export function readReturn(row: HookReturn, value: unknown, given: Given): unknown {
  const { messageList } = given
  let known: ReadonlySet<unknown> | undefined
  const isKnown = (object: object): boolean => {
    known ??= knownObjects(given)
    return known.has(object)
  }
  const place: Place = { path: '', isKnown, modelSettings: given.modelSettings }
  if (value instanceof MessageList) {
    if (row.messageList && value === messageList) return value
    throw mismatch(place, 'another MessageList than the one it was given')
  }
  if (Array.isArray(value) && row.list) return row.list(value, place)
  if (typeof value !== 'object' || Array.isArray(value) || !row.object) throw mismatch(place, describe(value))
  const read = row.object(value, place) as { messageList?: unknown; messages?: unknown }
  if (read.messageList !== undefined && read.messageList !== messageList) {
    throw mismatch(place, 'another MessageList than the one it was given')
  }
  if (read.messages !== undefined && read.messageList !== undefined) {
    throw mismatch(place, 'both messages and messageList, which are mutually exclusive,')
  }
  return read
}

function knownObjects({
  messageList = new MessageList(),
  messages = [],
  values = [],
}: Given): ReadonlySet<unknown> {
  const known = new Set<unknown>(values)
  for (const shown of [messageList, messages]) {
    for (const one of shown) {
      known.add(one)
      for (const part of one.content.parts) known.add(part)
    }
  }
  return known
}
