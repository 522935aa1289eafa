import type { HookName } from '../hook-name.ts'
import type { Message, MessagePart } from '../messages/message.ts'
import type { ModelRequest } from '../model/model-request.ts'
import type { ChunkType } from '../results/chunk.ts'
import { MessageList } from '../transcript/message-list.ts'
import { finishReason, readChunk, status, usage } from './chunk-shape.ts'
import type { HookRecord } from './hook-record.ts'
import { invalidResult } from './invalid-result.ts'
import { message, messagePart, promptMessage, systemMessage, toolCall } from './message-shape.ts'
import { SETTINGS } from './settings-shape.ts'
import {
  anything,
  boolean,
  data,
  describe,
  either,
  list,
  Mismatch,
  mismatch,
  object,
  oneOf,
  type Place,
  type Shape,
  string,
} from './shape.ts'

/** What a hook may return besides nothing. */
interface Row {
  /** In words, for the error. */
  allowed: string
  list?: Shape
  /** The transcript it was given, which says that it was edited. */
  messageList?: true
  object?: Shape
}

const messages = list(message)
const anyCount = object({}, { open: true })

const stepResult = object(
  {
    text: string,
    reasoningText: string,
    toolCalls: list(toolCall),
    toolResults: list(toolCall),
    finishReason,
    usage,
  },
  { open: true },
)

const runResult = object(
  {
    runId: string,
    status,
    text: string,
    reasoningText: string,
    messages,
    steps: list(stepResult),
    usage,
    finishReason,
    processors: list(anyCount),
    warnings: list(anyCount),
    tripwire: boolean,
  },
  {
    optional: {
      object: anything,
      rejection: anyCount,
      halt: anyCount,
      suspension: anyCount,
      abortReason: anything,
    },
  },
)

const modelRequest = object(
  {
    model: SETTINGS.model as Shape,
    prompt: list(promptMessage),
    tools: SETTINGS.tools as Shape,
    modelSettings: SETTINGS.modelSettings as Shape,
  },
  { optional: SETTINGS },
)

/** What every hook may return. Chunks have a table of their own: `chunk-shape.ts`. */
const ROWS: { readonly [HOOK in HookName]: Row } = {
  processInput: {
    allowed: 'messages, the MessageList it was given, or { messages?, systemMessages? }',
    list: messages,
    messageList: true,
    object: object({}, { optional: { messages, systemMessages: list(systemMessage) } }),
  },
  processInputStep: {
    allowed:
      'messages, the MessageList it was given, or any of { messages or messageList, systemMessages, model, tools, activeTools, toolChoice, providerOptions, modelSettings, structuredOutput }',
    list: messages,
    messageList: true,
    object: object(
      {},
      {
        optional: {
          messages,
          messageList: givenList,
          systemMessages: list(systemMessage),
          activeTools: list(string),
          ...SETTINGS,
        },
      },
    ),
  },
  wrapModelCall: { allowed: 'an async iterable of chunks' },
  processModelError: {
    allowed: '{ retry: true, request? }',
    object: object(
      { retry: oneOf(true) },
      { optional: { request: object({}, { optional: { prompt: list(promptMessage), ...SETTINGS } }) } },
    ),
  },
  processOutputStream: { allowed: 'the chunk, another, a list of chunks, or null' },
  processOutputStep: {
    allowed: 'messages, the MessageList it was given, { toolCalls }, or { continue: string or message }',
    list: messages,
    messageList: true,
    object: object(
      {},
      {
        optional: { toolCalls: list(toolCall), continue: either('string', string, message) },
        oneOf: ['toolCalls', 'continue'],
      },
    ),
  },
  processToolCall: {
    allowed: 'one of { input }, { deny: string } and { output }',
    object: object(
      {},
      { optional: { input: data, deny: string, output: data }, oneOf: ['input', 'deny', 'output'] },
    ),
  },
  processExecution: { allowed: '{ value }', object: object({ value: data }) },
  processToolResult: {
    allowed: 'one of { output } and { error: string }',
    object: object({}, { optional: { output: data, error: string }, oneOf: ['output', 'error'] }),
  },
  processToolResults: {
    allowed: '{ finish: true, text?: string }',
    object: object({ finish: oneOf(true) }, { optional: { text: string } }),
  },
  processOutputResult: {
    allowed: 'messages, or the MessageList it was given',
    list: messages,
    messageList: true,
  },
  processDelivery: {
    allowed: 'for a chunk the chunk, another, a list of chunks, or null; for the result the result',
    object: runResult,
  },
}

function givenList(value: unknown, place: Place): unknown {
  if (value instanceof MessageList) return value
  throw mismatch(place, describe(value))
}

/** What a hook was given: what of its result is known, and needs no check. */
export interface Given {
  messageList?: MessageList | undefined
  /** Other messages it was shown, in the place of the transcript. */
  messages?: readonly Message[] | undefined
  /** Other objects that core handed out: data of a tool, messages of a prompt. */
  values?: readonly unknown[]
}

/**
 * What a hook returned, checked against its whole type and read once: nothing, or the value to be used. Objects that core
 * handed out stay what they are.
 *
 * @throws MillraceError `PROCESSOR_RESULT_INVALID`, which names processor, hook and key
 */
export function checkResult(
  processorId: string,
  hook: HookName,
  { value, given = {} }: { value: unknown; given?: Given },
): unknown {
  if (value === undefined || value === null) return undefined
  return checked(processorId, hook, () => readResult(ROWS[hook], value, given))
}

/**
 * A chunk that a hook made, as it is to be used.
 *
 * @param given The chunk the hook was given
 * @throws MillraceError `PROCESSOR_RESULT_INVALID`
 */
export function checkChunk(
  { processorId, hook }: Pick<HookRecord, 'processorId' | 'hook'>,
  value: unknown,
  given?: ChunkType,
): ChunkType {
  try {
    return readChunk(value, given)
  } catch (error) {
    throw refusal(processorId, hook, error)
  }
}

/**
 * The request that `wrapModelCall` passed to `next`.
 *
 * @throws MillraceError `PROCESSOR_RESULT_INVALID`
 */
export function checkRequest(
  { processorId, hook }: HookRecord,
  request: unknown,
  prompt: readonly unknown[],
): ModelRequest {
  const known = new Set(prompt)
  const place: Place = { path: '', isKnown: (value) => known.has(value) }
  try {
    return modelRequest(request, place) as unknown as ModelRequest
  } catch (error) {
    const refused = refusal(processorId, hook, error)
    refused.message = `${refused.message} next() takes the request it was given, or another one.`
    throw refused
  }
}

/** What a hook has put into the transcript by itself, in place or through its list. */
export interface MadeMessages {
  made: { message: Message } | { parts: readonly MessagePart[] } | undefined
}

/**
 * Checks what a hook has put into the transcript itself.
 *
 * @throws MillraceError `PROCESSOR_RESULT_INVALID`
 */
export function checkMessages(record: HookRecord, changes: readonly MadeMessages[]): void {
  const { processorId, hook } = record
  const unknown: Place = { path: '', isKnown: () => false }
  try {
    for (const { made } of changes) {
      if (made === undefined) continue
      if ('message' in made) message(made.message, { ...unknown, path: 'messageList' })
      else for (const part of made.parts) messagePart(part, { ...unknown, path: 'messageList' })
    }
  } catch (error) {
    record.note('failed')
    throw refusal(processorId, hook, error)
  }
}

function checked<T>(processorId: string, hook: HookName, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw refusal(processorId, hook, error)
  }
}

/** A getter that throws, or data too deep to be read, is no result either. */
function refusal(processorId: string, hook: HookName, error: unknown): Error {
  const what = error instanceof Mismatch ? error.message : 'something that cannot be read'
  const { allowed } = ROWS[hook]
  const refused = invalidResult(processorId, hook, what, `It may return nothing, or ${allowed}.`)
  if (!(error instanceof Mismatch)) refused.cause = error
  return refused
}

function readResult(row: Row, value: unknown, given: Given): unknown {
  const { messageList } = given
  let known: ReadonlySet<unknown> | undefined
  const isKnown = (object: object): boolean => {
    known ??= knownObjects(given)
    return known.has(object)
  }
  const place: Place = { path: '', isKnown }
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
    throw mismatch(place, 'messages together with messageList, which exclude each other,')
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
