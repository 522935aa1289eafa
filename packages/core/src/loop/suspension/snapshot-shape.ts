import { HOOK_NAMES } from '../../hook-name.ts'
import { checkParts } from '../../messages/check-parts.ts'
import { isRecord } from '../../record.ts'
import { isPhase } from '../../run/resume-point.ts'
import type { RunSnapshot } from './run-snapshot.ts'

/** Validates a value. Returns the path to the first invalid value, relative to this one; `undefined` if it is valid. */
type Shape = (value: unknown) => string | undefined

const WRONG = ''

/**
 * The path to the first invalid value in a stored run, such as `steps[0].usage`; `undefined` if there is none. Stored
 * runs get edited by hand, and truncated by columns that are too short.
 */
export function damagedPath(snapshot: unknown): string | undefined {
  return isSnapshot(snapshot)?.replace(/^\./, '') ?? missingEnd(snapshot as RunSnapshot)
}

/** A run whose result is processed has ended its last step. Without that step the loop would not end. */
function missingEnd({ place, current, halt, incomplete }: RunSnapshot): string | undefined {
  if (place.phase !== 'processOutputResult' || halt !== undefined) return undefined
  const hasEnded = current && (current.end ?? incomplete) !== undefined
  return hasEnded ? undefined : 'current.end'
}

const is =
  (test: (value: unknown) => boolean): Shape =>
  (value) =>
    test(value) ? undefined : WRONG

const text = is((value) => typeof value === 'string')
const number = is((value) => typeof value === 'number')
const count = is((value) => Number.isSafeInteger(value) && (value as number) >= 0)
const flag = is((value) => typeof value === 'boolean')
const record = is(isRecord)
const anything: Shape = () => undefined
const oneOf = (...values: readonly unknown[]): Shape => is((value) => values.includes(value))

/** JSON omits undefined properties. */
const optional =
  (shape: Shape): Shape =>
  (value) =>
    value === undefined ? undefined : shape(value)

const nullable =
  (shape: Shape): Shape =>
  (value) =>
    value === null ? undefined : shape(value)

const list =
  (shape: Shape): Shape =>
  (value) => {
    if (!Array.isArray(value)) return WRONG
    for (const [index, item] of value.entries()) {
      const wrong = shape(item)
      if (wrong !== undefined) return `[${index}]${wrong}`
    }
    return undefined
  }

/** An object with these fields. Others are allowed, because a newer version may add some. */
const fields =
  (shapes: Readonly<Record<string, Shape>>): Shape =>
  (value) => {
    if (!isRecord(value)) return WRONG
    for (const [key, shape] of Object.entries(shapes)) {
      const wrong = shape(Object.hasOwn(value, key) ? value[key] : undefined)
      if (wrong !== undefined) return `.${key}${wrong}`
    }
    return undefined
  }

/** An object with any keys. */
const each =
  (shape: Shape): Shape =>
  (value) => {
    if (!isRecord(value)) return WRONG
    for (const [key, item] of Object.entries(value)) {
      const wrong = shape(item)
      if (wrong !== undefined) return `['${key.slice(0, 40)}']${wrong}`
    }
    return undefined
  }

/** A discriminated union. */
const cases =
  (key: string, shapes: Readonly<Record<string, Shape>>): Shape =>
  (value) => {
    if (!isRecord(value)) return WRONG
    const kind = value[key]
    const shape = typeof kind === 'string' && Object.hasOwn(shapes, kind) ? shapes[kind] : undefined
    return shape ? shape(value) : `.${key}`
  }

const parts: Shape = (value) => {
  if (!Array.isArray(value)) return WRONG
  try {
    checkParts(value, '')
    return undefined
  } catch {
    return WRONG
  }
}

const json = is((value) => {
  try {
    return typeof value === 'string' && isRecord(JSON.parse(value))
  } catch {
    return false
  }
})

const date = is((value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)))

const message = fields({
  id: text,
  role: oneOf('system', 'user', 'assistant'),
  content: fields({ parts, metadata: optional(record) }),
  createdAt: date,
})

const systemMessage = fields({ role: oneOf('system'), content: text, providerOptions: optional(record) })

const usage = fields({
  inputTokens: optional(number),
  outputTokens: optional(number),
  totalTokens: optional(number),
  inputTokenDetails: fields({
    noCacheTokens: optional(number),
    cacheReadTokens: optional(number),
    cacheWriteTokens: optional(number),
  }),
  outputTokenDetails: fields({ textTokens: optional(number), reasoningTokens: optional(number) }),
})

const call = { toolCallId: text, toolName: text, providerMetadata: optional(record) }

const answer = cases('status', {
  success: anything,
  error: fields({ error: text }),
  denied: fields({ reason: optional(text) }),
})

const chunkOfCall = fields({ ...call, title: optional(text), toolMetadata: optional(record) })
const chunkOfPart = fields({ id: text, textDelta: optional(text), providerMetadata: optional(record) })
const chunkOfFile = fields({ mediaType: text, url: text, providerMetadata: optional(record) })
const chunkOfSource = cases('sourceType', {
  url: fields({ id: text, url: text, title: optional(text) }),
  document: fields({ id: text, mediaType: text, title: text, filename: optional(text) }),
})

const chunkShapes: Readonly<Record<string, Shape>> = {
  'text-start': chunkOfPart,
  'text-delta': fields({ id: text, textDelta: text, providerMetadata: optional(record) }),
  'text-end': chunkOfPart,
  'reasoning-start': chunkOfPart,
  'reasoning-delta': fields({ id: text, textDelta: text, providerMetadata: optional(record) }),
  'reasoning-end': chunkOfPart,
  'tool-input-start': chunkOfCall,
  'tool-input-delta': fields({ toolCallId: text, inputTextDelta: text }),
  'tool-input-end': fields({ toolCallId: text }),
  'tool-call': chunkOfCall,
  'tool-result': chunkOfCall,
  'tool-error': fields({ ...call, error: text }),
  'tool-denied': fields({ ...call, reason: optional(text) }),
  file: chunkOfFile,
  'reasoning-file': chunkOfFile,
  source: chunkOfSource,
  custom: fields({ kind: text }),
  'step-start': fields({ stepNumber: count }),
  'step-finish': fields({ stepNumber: count, finishReason: text, usage }),
  finish: fields({ status: text, finishReason: text, usage }),
}

/** Other types of chunks are data of the application. */
const chunk: Shape = (value) => {
  if (!isRecord(value) || typeof value.type !== 'string') return WRONG
  const { type } = value
  return Object.hasOwn(chunkShapes, type) ? chunkShapes[type]?.(value) : undefined
}

const settings = fields({
  messages: optional(list(message)),
  systemMessages: list(systemMessage),
  activeTools: optional(list(text)),
  providerOptions: optional(record),
  modelSettings: record,
  modelId: optional(text),
  replacedBy: optional(text),
})

const agentStep = fields({
  text,
  toolCalls: list(fields({ toolCallId: text, toolName: text, status: text })),
})

const callRecord = fields({
  decision: optional(cases('kind', { execute: record, client: record, answer: fields({ answer }) })),
  approval: optional(
    fields({
      status: oneOf('needed', 'requested', 'granted'),
      reason: optional(text),
      expiresAt: optional(number),
      edited: optional(record),
    }),
  ),
  suspended: optional(fields({ answer: optional(record) })),
  interrupted: optional(
    fields({ answer: oneOf('open', 'retry'), executed: optional(flag), resumed: optional(record) }),
  ),
  outcome: optional(answer),
  review: optional(nullable(text)),
  decidedBy: optional(text),
  retries: optional(count),
  executed: optional(record),
  agent: optional(fields({ agentName: text, runId: text, status: text, steps: list(agentStep) })),
})

const step = fields({
  number: count,
  discarded: list(fields({ reason: text, processorId: optional(text), usage })),
  text,
  reasoningText: text,
  toolCalls: list(fields(call)),
  toolResults: list(
    cases('status', {
      success: fields(call),
      error: fields({ ...call, error: text }),
      denied: fields({ ...call, reason: optional(text) }),
    }),
  ),
  calls: each(callRecord),
  endedCalls: optional(count),
  answered: count,
  finishReason: text,
  usage,
  warnings: list(fields({ type: text })),
  request: optional(
    fields({
      provider: text,
      modelId: text,
      modelSettings: record,
      tools: list(text),
      messageCount: count,
      mended: optional(list(text)),
    }),
  ),
  response: fields({
    id: optional(text),
    modelId: optional(text),
    timestamp: optional(date),
    headers: optional(record),
  }),
  providerMetadata: optional(record),
  settings: optional(settings),
  follow: list(message),
  toolsRan: flag,
  wrote: flag,
  emitted: flag,
  modelFailures: count,
  modelError: optional(fields({ code: text, message: text })),
  end: optional(oneOf('completed', 'limit')),
  reviewed: flag,
  held: nullable(list(chunk)),
  started: flag,
  finished: flag,
  lastChunk: optional(chunk),
  handoff: optional(text),
  agentName: optional(text),
  toolNames: list(text),
  elapsedMs: number,
})

const isSnapshot = fields({
  place: fields({ phase: is(isPhase), processor: optional(text), toolCallId: optional(text) }),
  messages: list(fields({ message, origin: oneOf('remembered', 'input', 'response', 'context') })),
  systemMessages: list(systemMessage),
  steps: list(step),
  current: optional(step),
  resumed: optional(fields({ data: optional(json) })),
  originId: optional(text),
  usage,
  retryCount: count,
  feedback: optional(text),
  responseId: text,
  warnings: list(fields({ type: text })),
  incomplete: optional(oneOf('stopped', 'failed', 'blocked')),
  halt: optional(fields({ reason: optional(text), processorId: optional(text), hook: optional(text) })),
  handoff: optional(
    fields({
      toolCallId: text,
      stepNumber: count,
      waiting: optional(fields({ type: oneOf('agent'), agentName: text, runId: text })),
      relayed: list(fields({ agentStep: count, step: count })),
      waitsForReview: flag,
      ended: optional(oneOf('completed', 'limit')),
    }),
  ),
  records: list(
    fields({
      processorId: text,
      hook: oneOf(...HOOK_NAMES),
      stepNumber: optional(count),
      action: text,
      calls: count,
      durationMs: number,
      modelUsage: optional(list(fields({ provider: text, modelId: text, calls: count, usage }))),
    }),
  ),
  processors: each(record),
})
