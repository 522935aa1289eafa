import type { AgentEvents, Chunk, RunResult, SpanAttribute, StepResult } from '@millrace/core'
import type { Surface } from './options.ts'

/**
 * How guards handle a field. A surface: it is inspected there. `provider`: metadata of the model's provider, inspected
 * on `answer`. `message`: made of messages and parts that were each inspected on their own surface. `structure`: names,
 * ids, states, numbers and what a processor reports about itself; contains no text of a conversation. `application`:
 * written by the application or its processors, only for the reader of the output. `asked`: content of the
 * conversation, also what a processor changed or removed; only for listeners that ask for content (`content: true`).
 */
export type FieldSurface = Surface | 'provider' | 'message' | 'structure' | 'application' | 'asked'

type KeysOf<T> = T extends unknown ? keyof T : never
type FieldsOf<T> = { readonly [FIELD in Exclude<KeysOf<T>, 'type'>]: FieldSurface }
type ChunkOf<TYPE> = Chunk extends infer CHUNK
  ? CHUNK extends { type: infer OWN }
    ? TYPE extends OWN
      ? CHUNK
      : never
    : never
  : never

type ChunkFields = { readonly [TYPE in Chunk['type']]: FieldsOf<ChunkOf<TYPE>> }
type EventFields = { readonly [NAME in keyof AgentEvents]: FieldsOf<AgentEvents[NAME]> }

const CALL = {
  toolCallId: 'structure',
  toolName: 'structure',
  providerExecuted: 'structure',
  dynamic: 'structure',
  providerMetadata: 'provider',
} as const
const MARK = { id: 'structure', providerMetadata: 'provider' } as const

/** How guards handle each field of a chunk, by type. The text of a structured answer is on `object`. */
export const CHUNK_FIELDS: ChunkFields = {
  start: { runId: 'structure', messageId: 'structure' },
  'step-start': { stepNumber: 'structure' },
  'text-start': MARK,
  'text-delta': { ...MARK, textDelta: 'answer' },
  'text-end': MARK,
  'reasoning-start': MARK,
  'reasoning-delta': { ...MARK, textDelta: 'reasoning' },
  'reasoning-end': MARK,
  'tool-input-start': {
    ...CALL,
    title: 'application',
    toolMetadata: 'application',
    inputEncoding: 'structure',
  },
  'tool-input-delta': { toolCallId: 'structure', inputTextDelta: 'tool-input', providerMetadata: 'provider' },
  'tool-input-end': { toolCallId: 'structure', providerMetadata: 'provider' },
  'tool-call': {
    ...CALL,
    title: 'tool-input',
    toolMetadata: 'tool-input',
    input: 'tool-input',
    inputError: 'tool-input',
  },
  'tool-result': { ...CALL, input: 'tool-input', output: 'tool-result', preliminary: 'structure' },
  'tool-error': { ...CALL, input: 'tool-input', error: 'tool-result' },
  'tool-denied': { ...CALL, input: 'tool-input', reason: 'tool-result' },
  file: { mediaType: 'answer', url: 'answer', providerMetadata: 'provider' },
  'reasoning-file': { mediaType: 'reasoning', url: 'reasoning', providerMetadata: 'provider' },
  source: {
    sourceType: 'structure',
    id: 'answer',
    url: 'answer',
    title: 'answer',
    mediaType: 'answer',
    filename: 'answer',
    providerMetadata: 'provider',
  },
  custom: { kind: 'answer', providerMetadata: 'provider' },
  // Made of text that guards passed.
  'object-delta': { object: 'object' },
  'step-discarded': {
    stepNumber: 'structure',
    retry: 'structure',
    reason: 'structure',
    processorId: 'structure',
  },
  'response-end': { stepNumber: 'structure' },
  'step-finish': {
    stepNumber: 'structure',
    finishReason: 'structure',
    usage: 'structure',
    response: 'structure',
    warnings: 'structure',
    providerMetadata: 'provider',
  },
  'response-replaced': { messages: 'message', text: 'message', fromStep: 'structure' },
  tripwire: {
    reason: 'structure',
    processorId: 'structure',
    hook: 'structure',
    metadata: 'structure',
    retryCount: 'structure',
  },
  halt: { reason: 'structure', processorId: 'structure', hook: 'structure', metadata: 'structure' },
  suspended: {
    runId: 'structure',
    payload: 'tool-result',
    processorId: 'structure',
    hook: 'structure',
    toolCallId: 'structure',
  },
  error: { error: 'structure' },
  abort: { reason: 'structure' },
  finish: { status: 'structure', finishReason: 'structure', usage: 'structure' },
  'data-*': { id: 'application', data: 'application', transient: 'application' },
}

/** How guards handle each field of a step's result. */
export const STEP_FIELDS: FieldsOf<StepResult> = {
  stepNumber: 'structure',
  agentName: 'structure',
  text: 'answer',
  reasoningText: 'reasoning',
  toolCalls: 'tool-input',
  toolResults: 'tool-result',
  finishReason: 'structure',
  usage: 'structure',
  request: 'structure',
  response: 'structure',
  providerMetadata: 'provider',
  durationMs: 'structure',
  processors: 'structure',
  discarded: 'structure',
}

/** How guards handle each field of a run's result. */
export const RESULT_FIELDS: FieldsOf<RunResult> = {
  runId: 'structure',
  status: 'structure',
  text: 'answer',
  reasoningText: 'reasoning',
  object: 'object',
  messages: 'message',
  steps: 'message',
  usage: 'structure',
  finishReason: 'structure',
  processors: 'structure',
  warnings: 'structure',
  tripwire: 'structure',
  rejection: 'structure',
  halt: 'structure',
  suspension: 'tool-result',
  abortReason: 'structure',
}

const EVENT = {
  runId: 'structure',
  at: 'structure',
  agentName: 'structure',
  threadId: 'structure',
  resourceId: 'structure',
} as const

/** How guards handle each field of an event, by name. */
export const EVENT_FIELDS: EventFields = {
  'run-start': { ...EVENT, resumedFrom: 'structure', attempt: 'structure', input: 'asked' },
  'step-finish': {
    ...EVENT,
    stepNumber: 'structure',
    finishReason: 'structure',
    usage: 'structure',
    durationMs: 'structure',
    toolCalls: 'structure',
    discarded: 'structure',
  },
  'model-start': {
    ...EVENT,
    stepNumber: 'structure',
    provider: 'structure',
    modelId: 'structure',
    messageCount: 'structure',
    tools: 'structure',
    prompt: 'asked',
  },
  output: { ...EVENT, entries: 'asked' },
  'tool-start': { ...EVENT, stepNumber: 'structure', toolCallId: 'structure', toolName: 'structure' },
  'tool-finish': {
    ...EVENT,
    stepNumber: 'structure',
    toolCallId: 'structure',
    toolName: 'structure',
    status: 'structure',
    durationMs: 'structure',
    retries: 'structure',
  },
  processor: {
    ...EVENT,
    processorId: 'structure',
    hook: 'structure',
    stepNumber: 'structure',
    action: 'structure',
    calls: 'structure',
    durationMs: 'structure',
    modelUsage: 'structure',
  },
  'processor-decision': {
    ...EVENT,
    processorId: 'structure',
    hook: 'structure',
    stepNumber: 'structure',
    action: 'structure',
    calls: 'structure',
    durationMs: 'structure',
    modelUsage: 'structure',
    toolCallId: 'structure',
    truncated: 'structure',
    held: 'structure',
  },
  'processor-change': {
    ...EVENT,
    processorId: 'structure',
    hook: 'structure',
    stepNumber: 'structure',
    action: 'structure',
    messageId: 'structure',
    partIndex: 'structure',
    partId: 'structure',
    toolCallId: 'structure',
    key: 'structure',
    before: 'asked',
    after: 'asked',
    truncated: 'structure',
  },
  'run-finish': { ...EVENT, result: 'message' },
  'run-error': { ...EVENT, error: 'structure' },
  'background-error': { ...EVENT, processorId: 'structure', hook: 'structure', error: 'structure' },
}

/** How guards handle each attribute of spans and metrics. All but the content attributes are names and numbers. */
export const SPAN_FIELDS: { readonly [NAME in SpanAttribute]: FieldSurface } = {
  'gen_ai.input.messages': 'message',
  'gen_ai.output.messages': 'message',
  'gen_ai.system_instructions': 'application',
  'gen_ai.tool.call.arguments': 'tool-input',
  'gen_ai.tool.call.result': 'tool-result',
  'gen_ai.tool.definitions': 'application',
  'error.type': 'structure',
  'gen_ai.agent.id': 'structure',
  'gen_ai.agent.name': 'structure',
  'gen_ai.conversation.id': 'structure',
  'gen_ai.operation.name': 'structure',
  'gen_ai.output.type': 'structure',
  'gen_ai.provider.name': 'structure',
  'gen_ai.request.frequency_penalty': 'structure',
  'gen_ai.request.max_tokens': 'structure',
  'gen_ai.request.model': 'structure',
  'gen_ai.request.presence_penalty': 'structure',
  'gen_ai.request.seed': 'structure',
  'gen_ai.request.stop_sequences': 'structure',
  'gen_ai.request.stream': 'structure',
  'gen_ai.request.temperature': 'structure',
  'gen_ai.request.top_k': 'structure',
  'gen_ai.request.top_p': 'structure',
  'gen_ai.response.finish_reasons': 'structure',
  'gen_ai.response.id': 'structure',
  'gen_ai.response.model': 'structure',
  'gen_ai.token.type': 'structure',
  'gen_ai.tool.call.id': 'structure',
  'gen_ai.tool.name': 'structure',
  'gen_ai.tool.type': 'structure',
  'gen_ai.usage.cache_creation.input_tokens': 'structure',
  'gen_ai.usage.cache_read.input_tokens': 'structure',
  'gen_ai.usage.input_tokens': 'structure',
  'gen_ai.usage.output_tokens': 'structure',
  'gen_ai.usage.reasoning.output_tokens': 'structure',
  'millrace.run.id': 'structure',
  'millrace.run.status': 'structure',
  'millrace.run.resumed_from': 'structure',
  'millrace.step.number': 'structure',
  'millrace.tool.retries': 'structure',
  'millrace.processor.id': 'structure',
  'millrace.processor.hook': 'structure',
  'millrace.processor.action': 'structure',
  'millrace.processor.calls': 'structure',
}
