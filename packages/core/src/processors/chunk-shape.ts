import type { Chunk } from '../results/chunk.ts'
import { message, metadata } from './message-shape.ts'
import {
  anything,
  boolean,
  data,
  describe,
  isPlain,
  list,
  mismatch,
  number,
  object,
  oneOf,
  type Place,
  type Shape,
  string,
} from './shape.ts'

const PLACE: Place = { path: '', isKnown: () => false }

/**
 * A place in which the data of the given chunk is known and kept as the same object, since others may compare it by
 * identity.
 */
function placeAt(given: Chunk | undefined): Place {
  if (given === undefined || !('toolCallId' in given || 'data' in given)) return PLACE
  const { input, output, data } = given as { input?: unknown; output?: unknown; data?: unknown }
  return { path: '', isKnown: (value) => value === input || value === output || value === data }
}

const counts = (...names: string[]): Record<string, Shape> =>
  Object.fromEntries(names.map((name) => [name, number]))

/** Open: providers do not report all counts. */
export const usage: Shape = object(
  {
    inputTokenDetails: object(
      {},
      { optional: counts('noCacheTokens', 'cacheReadTokens', 'cacheWriteTokens'), open: true },
    ),
    outputTokenDetails: object({}, { optional: counts('textTokens', 'reasoningTokens'), open: true }),
  },
  { optional: counts('inputTokens', 'outputTokens', 'totalTokens'), open: true },
)

const call = { toolCallId: string, toolName: string }
const identity = { providerExecuted: boolean, dynamic: boolean }
const display = { title: string, toolMetadata: object({}, { open: true }) }
const prose = { id: string }
export const finishReason: Shape = oneOf(
  'stop',
  'length',
  'content-filter',
  'tool-calls',
  'error',
  'interrupted',
  'other',
)
export const status: Shape = oneOf('completed', 'limit', 'tripwire', 'halted', 'suspended', 'aborted')
const origin = { processorId: string, hook: string, metadata: anything }

/** The required keys of each type of chunk. Other keys are passed on unchanged. */
const CHUNKS: { readonly [TYPE in Exclude<Chunk['type'], `data-${string}`>]: Shape } = {
  start: chunk({ runId: string, messageId: string }),
  'step-start': chunk({ stepNumber: number }),
  'text-start': chunk(prose),
  'text-delta': chunk({ ...prose, textDelta: string }),
  'text-end': chunk(prose),
  'reasoning-start': chunk(prose),
  'reasoning-delta': chunk({ ...prose, textDelta: string }),
  'reasoning-end': chunk(prose),
  'tool-input-start': chunk(call, { ...identity, ...display, inputEncoding: oneOf('json', 'text') }),
  'tool-input-delta': chunk({ toolCallId: string, inputTextDelta: string }),
  'tool-input-end': chunk({ toolCallId: string }),
  'tool-call': chunk({ ...call, input: data }, { ...identity, ...display, inputError: string }),
  'tool-result': chunk({ ...call, input: data, output: data }, { ...identity, preliminary: boolean }),
  'tool-error': chunk({ ...call, input: data, error: string }, identity),
  'tool-denied': chunk({ ...call, input: data }, { ...identity, reason: string }),
  file: chunk({ mediaType: string, url: string }),
  'reasoning-file': chunk({ mediaType: string, url: string }),
  source: chunk(
    { sourceType: oneOf('url', 'document'), id: string },
    { url: string, title: string, mediaType: string, filename: string },
  ),
  custom: chunk({ kind: string }),
  // The object is not copied: it grows with every chunk, so copying would take quadratic time.
  'object-delta': chunk({ object: anything }),
  'step-discarded': chunk({ stepNumber: number, retry: boolean }, { reason: string, processorId: string }),
  'step-finish': chunk(
    { stepNumber: number, finishReason, usage },
    { response: object({}, { open: true }), warnings: list(data) },
  ),
  'response-end': chunk({ stepNumber: number }),
  'response-replaced': chunk({ messages: list(message), text: string }, { fromStep: number }),
  tripwire: chunk({ reason: string, retryCount: number }, origin),
  halt: chunk({}, { ...origin, reason: string }),
  suspended: chunk({ runId: string }, { ...origin, payload: data, toolCallId: string }),
  error: chunk({ error: anything }),
  abort: chunk({}, { reason: anything }),
  finish: chunk({ status, finishReason, usage }),
}

const dataChunk = chunk({ data }, { id: string, transient: boolean })

function chunk(required: Record<string, Shape>, optional: Record<string, Shape> = {}): Shape {
  return object(
    { type: string, ...required },
    { optional: { providerMetadata: metadata, ...optional }, open: true },
  )
}

/**
 * Validates and copies a chunk that a hook created. Deltas are frequent, so they have a faster check.
 *
 * @param given The chunk that the hook was given
 * @throws Mismatch
 */
export function readChunk(value: unknown, given?: Chunk): Chunk {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !isPlain(value)) {
    throw mismatch(PLACE, describe(value))
  }
  const read = { ...value } as Record<string, unknown> & { type?: unknown }
  const { type } = read
  if (type === 'text-delta' || type === 'reasoning-delta') {
    if (typeof read.id === 'string' && typeof read.textDelta === 'string' && !read.providerMetadata)
      return read as unknown as Chunk
  }
  if (typeof type !== 'string') throw mismatch(PLACE, 'an object that is no chunk: it has no type')
  const shape = type.startsWith('data-')
    ? dataChunk
    : Object.hasOwn(CHUNKS, type)
      ? CHUNKS[type as keyof typeof CHUNKS]
      : undefined
  if (shape === undefined) throw mismatch(PLACE, 'a chunk of an unknown type')
  return shape(read, placeAt(given)) as Chunk
}
