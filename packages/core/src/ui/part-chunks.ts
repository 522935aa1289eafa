import { isToolPart, type MessagePart, type ToolPart, toolNameOf } from '../messages/message.ts'
import type { Chunk } from '../results/chunk.ts'
import type { UIMessageChunk } from '../results/ui-message-chunk.ts'
import { defined, metadataOf } from './optional-fields.ts'

/** The chunks from which a client rebuilds a whole part of a message. */
export function partChunks(
  part: MessagePart,
  { index, toolErrorText }: { index: number; toolErrorText: (text: string) => string },
): UIMessageChunk[] {
  if (isToolPart(part)) return toolPartChunks(part, toolErrorText)
  switch (part.type) {
    case 'text':
    case 'reasoning': {
      const id = `replaced-${index}`
      return [
        { type: `${part.type}-start`, id },
        { type: `${part.type}-delta`, id, delta: part.text },
        { type: `${part.type}-end`, id, ...metadataOf(part) },
      ]
    }
    case 'file':
    case 'reasoning-file': {
      const { type, url, mediaType } = part
      return [{ type, url, mediaType, ...metadataOf(part) }]
    }
    case 'step-start':
    case 'steering-message':
      return []
    default:
      return [part]
  }
}

/**
 * Introduces the call as a failed call, and overwrites that with its answer. Otherwise a client would treat it as a
 * new call, and execute its own tools again.
 */
function toolPartChunks(part: ToolPart, toolErrorText: (text: string) => string): UIMessageChunk[] {
  const { toolCallId, input, title, toolMetadata, providerExecuted, callProviderMetadata } = part
  const call = {
    toolCallId,
    toolName: toolNameOf(part),
    input,
    ...defined({ title, toolMetadata }),
    ...(providerExecuted && { providerExecuted }),
    ...(part.type === 'dynamic-tool' && { dynamic: true }),
    ...(callProviderMetadata && { providerMetadata: callProviderMetadata }),
  }
  const known = { type: 'tool-input-error', ...call, errorText: '' } as const
  switch (part.state) {
    case 'output-available':
      return [known, { type: 'tool-output-available', toolCallId, output: part.output ?? null }]
    case 'output-error':
      return [{ ...known, errorText: toolErrorText(part.errorText) }]
    case 'output-denied': {
      const { id: approvalId, reason } = part.approval
      return [
        known,
        { type: 'tool-approval-request', approvalId, toolCallId },
        {
          type: 'tool-approval-response',
          approvalId,
          approved: false,
          ...(reason !== undefined && { reason }),
        },
        { type: 'tool-output-denied', toolCallId },
      ]
    }
    default:
      return [{ type: 'tool-input-available', ...call }]
  }
}

/** The chunk of a source that the model cites. */
export function sourceChunk(chunk: Extract<Chunk, { type: 'source' }>): UIMessageChunk {
  const { id: sourceId, title } = chunk
  if (chunk.sourceType === 'url') {
    return { type: 'source-url', sourceId, url: chunk.url, ...defined({ title }), ...metadataOf(chunk) }
  }
  const { mediaType, filename } = chunk
  return {
    type: 'source-document',
    sourceId,
    mediaType,
    title: chunk.title,
    ...defined({ filename }),
    ...metadataOf(chunk),
  }
}
