import type { HookName } from '../hook-name.ts'
import type { Message, MessagePart } from '../messages/message.ts'
import type { ModelRequest } from '../model/model-request.ts'
import type { Chunk } from '../results/chunk.ts'
import { readChunk } from './chunk-shape.ts'
import type { HookRecord } from './hook-record.ts'
import { type Given, type HookReturn, readReturn } from './hook-return.ts'
import { INPUT_RETURNS } from './input-hooks.ts'
import { invalidResult } from './invalid-result.ts'
import { message, messagePart, promptMessage } from './message-shape.ts'
import { MODEL_RETURNS } from './model-hooks.ts'
import { OUTPUT_RETURNS } from './output-hooks.ts'
import { SETTINGS } from './settings-shape.ts'
import { list, Mismatch, object, type Place, type Shape } from './shape.ts'
import { TOOL_RETURNS } from './tool-hooks.ts'

const modelRequest = object(
  {
    model: SETTINGS.model as Shape,
    prompt: list(promptMessage),
    tools: SETTINGS.tools as Shape,
    modelSettings: SETTINGS.modelSettings as Shape,
  },
  { optional: SETTINGS },
)

/** What every hook may return. For chunks, see `chunk-shape.ts`. */
const RETURNS: Readonly<Record<HookName, HookReturn>> = {
  ...INPUT_RETURNS,
  ...MODEL_RETURNS,
  ...OUTPUT_RETURNS,
  ...TOOL_RETURNS,
}

/** Whether a hook may change the transcript by its result. */
export function returnsMessages(hook: HookName): boolean {
  return RETURNS[hook].messageList === true
}

/**
 * Validates and reads what a hook returned. Returns `undefined` for nothing. Objects that core passed to the hook are
 * kept.
 *
 * @throws MillraceError `PROCESSOR_RESULT_INVALID`, which names processor, hook and key
 */
export function checkResult(
  processorId: string,
  hook: HookName,
  { value, given = {} }: { value: unknown; given?: Given },
): unknown {
  if (value === undefined || value === null) return undefined
  return checked(processorId, hook, () => readReturn(RETURNS[hook], value, given))
}

/**
 * Validates and reads a chunk that a hook created.
 *
 * @param given The chunk that the hook was given
 * @throws MillraceError `PROCESSOR_RESULT_INVALID`
 */
export function checkChunk(
  { processorId, hook }: Pick<HookRecord, 'processorId' | 'hook'>,
  value: unknown,
  given?: Chunk,
): Chunk {
  try {
    return readChunk(value, given)
  } catch (error) {
    throw refusal(processorId, hook, error)
  }
}

/**
 * Validates the request that `wrapModelCall` passed to `next`.
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

/** Content that a hook has added to the transcript, in place or through the list. */
export interface MadeMessages {
  made: { message: Message } | { parts: readonly MessagePart[] } | undefined
}

/**
 * Validates what a hook has added to the transcript.
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
    record.recordAction('failed')
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

/** The error for an invalid result, including a getter that throws or data nested too deeply. */
function refusal(processorId: string, hook: HookName, error: unknown): Error {
  const what = error instanceof Mismatch ? error.message : 'something that cannot be read'
  const { allowed } = RETURNS[hook]
  const refused = invalidResult(processorId, hook, what, `It may return nothing, or ${allowed}.`)
  if (!(error instanceof Mismatch)) refused.cause = error
  return refused
}
