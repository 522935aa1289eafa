import type { Message, SystemMessage } from '../messages/message.ts'
import type { ToolCall } from '../tools/tool.ts'
import {
  anything,
  boolean,
  data,
  describe,
  either,
  list,
  mismatch,
  object,
  oneOf,
  record,
  type Shape,
  string,
} from './shape.ts'

/** Metadata of a part, by provider: plain objects. */
export const metadata: Shape = record(record(data))

const approval = object({ id: string }, { optional: { approved: boolean, reason: string }, open: true })

const STATES = [
  'input-streaming',
  'input-available',
  'approval-requested',
  'approval-responded',
  'output-available',
  'output-error',
  'output-denied',
] as const

/** The additional key that a tool part needs in each state. */
const NEEDED: { readonly [STATE in (typeof STATES)[number]]?: string } = {
  'approval-requested': 'approval',
  'approval-responded': 'approval',
  'output-available': 'output',
  'output-error': 'errorText',
  'output-denied': 'approval',
}

const PARTS: ReadonlyMap<string, Shape> = new Map(
  Object.entries({
    text: part({ text: string }),
    reasoning: part({ text: string }),
    file: part({ mediaType: string, url: string }, { filename: string, providerReference: record(string) }),
    'reasoning-file': part({ mediaType: string, url: string }),
    'source-url': part({ sourceId: string, url: string }, { title: string }),
    'source-document': part({ sourceId: string, mediaType: string, title: string }, { filename: string }),
    custom: part({ kind: string }),
    'steering-message': part({ id: string, parts: list(lazy(() => messagePart)) }),
    'step-start': part({}),
    'dynamic-tool': toolPart({ toolName: string }),
  }),
)

const tool = toolPart({})
const dataPart = part({ data }, { id: string })
/** Parts of other types are allowed: a processor may rename a part for a provider, such as reasoning to `thinking`. */
const otherPart = part({})

function part(required: Record<string, Shape>, optional: Record<string, Shape> = {}): Shape {
  return object(
    { type: string, ...required },
    { optional: { state: string, providerMetadata: metadata, ...optional }, open: true },
  )
}

function toolPart(required: Record<string, Shape>): Shape {
  const shape = object(
    { type: string, toolCallId: string, state: oneOf(...STATES), ...required },
    {
      optional: {
        input: data,
        output: data,
        errorText: string,
        approval,
        preliminary: boolean,
        providerExecuted: boolean,
        callProviderMetadata: metadata,
        resultProviderMetadata: metadata,
      },
      open: true,
    },
  )
  return (value, place) => {
    const read = shape(value, place) as Record<string, unknown> & { state: (typeof STATES)[number] }
    const needed = NEEDED[read.state]
    // An output may be `undefined`: JSON omits it.
    if (needed === undefined || needed === 'output' || read[needed] !== undefined) return read
    throw mismatch(place, `a part in the state '${read.state}' without the key '${needed}'`)
  }
}

function lazy<T>(shape: () => Shape<T>): Shape<T> {
  return (value, place) => shape()(value, place)
}

/** A part of a message. */
export const messagePart: Shape = (value, place) => {
  if (typeof value !== 'object' || value === null) throw mismatch(place, describe(value))
  if (place.isKnown(value)) return value
  const { type } = value as { type?: unknown }
  if (typeof type !== 'string') throw mismatch(place, 'a part without a type')
  if (type.startsWith('tool-')) return ofType(type, tool(value, place), place)
  if (type.startsWith('data-')) return ofType(type, dataPart(value, place), place)
  return ofType(type, (PARTS.get(type) ?? otherPart)(value, place), place)
}

/** Checks that the type is still the same: a getter could return another type on each read. */
function ofType(type: string, read: unknown, place: Parameters<Shape>[1]): unknown {
  if ((read as { type: unknown }).type === type) return read
  throw mismatch(place, 'a part of several types')
}

const date: Shape<Date> = (value, place) => {
  if (Object.prototype.toString.call(value) === '[object Date]') {
    const copy = new Date(value as Date)
    if (!Number.isNaN(copy.getTime())) return copy
  }
  throw mismatch(place, describe(value))
}

const newMessage = object(
  {
    id: string,
    role: oneOf<Message['role']>('system', 'user', 'assistant'),
    content: object({ parts: list(messagePart) }, { optional: { metadata: record(data) }, open: true }),
    createdAt: date,
  },
  { optional: { threadId: string, resourceId: string }, open: true },
)

/** A message. One from the transcript is kept as the same object. */
export const message: Shape<Message> = (value, place) =>
  typeof value === 'object' && value !== null && place.isKnown(value)
    ? (value as Message)
    : (newMessage(value, place) as unknown as Message)

export const systemMessage: Shape<SystemMessage> = object(
  { role: oneOf('system'), content: string },
  { optional: { providerOptions: metadata }, open: true },
) as Shape<unknown> as Shape<SystemMessage>

export const toolCall: Shape<ToolCall> = object(
  { toolCallId: string, toolName: string, input: data },
  {
    optional: {
      inputError: string,
      providerExecuted: boolean,
      dynamic: boolean,
      providerMetadata: metadata,
    },
    open: true,
  },
) as Shape<unknown> as Shape<ToolCall>

/** A message of a model's prompt. The provider validates its content. */
export const promptMessage: Shape = (value, place) => {
  if (typeof value === 'object' && value !== null && place.isKnown(value)) return value
  return object(
    {
      role: oneOf('system', 'user', 'assistant', 'tool'),
      content: either('string', string, list(object({ type: string }, { open: true }))),
    },
    { optional: { providerOptions: anything } },
  )(value, place)
}
