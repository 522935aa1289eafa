import type { ChunkOf } from '../results/chunk.ts'
import type { UIMessageChunk } from '../results/ui-message-chunk.ts'
import { defined, metadataOf } from './optional-fields.ts'

/** Returns the error text that may be shown. */
type ErrorText = (text: string) => string

/** A tool call, with its input or the error of parsing it. */
export function callChunk(chunk: ChunkOf<'tool-call'>, errorText: ErrorText): UIMessageChunk {
  const { input, inputError } = chunk
  return inputError === undefined
    ? { type: 'tool-input-available', ...callOf(chunk), input }
    : { type: 'tool-input-error', ...callOf(chunk), input, errorText: errorText(inputError) }
}

/** The output or error of a tool call. */
export function answerChunk(
  chunk: ChunkOf<'tool-result' | 'tool-error'>,
  errorText: ErrorText,
): UIMessageChunk {
  const { toolCallId, providerExecuted, dynamic } = chunk
  const base = { toolCallId, ...defined({ providerExecuted, dynamic }), ...metadataOf(chunk) }
  if (chunk.type === 'tool-error')
    return { type: 'tool-output-error', ...base, errorText: errorText(chunk.error) }
  // JSON has no `undefined`, and the client recognizes an answered call by its output.
  const { output = null, preliminary } = chunk
  return { type: 'tool-output-available', ...base, output, ...defined({ preliminary }) }
}

/**
 * In a client's message, a denial is the response to an approval request. Without such a request, an automatic one is
 * added.
 */
export function denialChunks(
  { toolCallId, reason }: ChunkOf<'tool-denied'>,
  asked: string | undefined,
): UIMessageChunk[] {
  const approvalId = asked ?? toolCallId
  return [
    ...(asked === undefined
      ? [{ type: 'tool-approval-request', approvalId, toolCallId, isAutomatic: true } as const]
      : []),
    { type: 'tool-approval-response', approvalId, approved: false, ...defined({ reason }) },
    { type: 'tool-output-denied', toolCallId },
  ]
}

type CallIdentity = Pick<
  ChunkOf<'tool-call'>,
  'toolCallId' | 'toolName' | 'title' | 'toolMetadata' | 'providerExecuted' | 'dynamic' | 'providerMetadata'
>

/** The fields that identify a call. */
export function callOf(chunk: ChunkOf<'tool-input-start' | 'tool-call'>): CallIdentity {
  const { toolCallId, toolName, title, toolMetadata, providerExecuted, dynamic } = chunk
  return {
    toolCallId,
    toolName,
    ...defined({ title, toolMetadata, providerExecuted, dynamic }),
    ...metadataOf(chunk),
  }
}
