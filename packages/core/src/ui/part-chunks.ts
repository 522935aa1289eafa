import { isToolPart, type MessagePart, type ToolPart, toolNameOf } from '../messages/message.ts'
import type { Chunk } from '../results/chunk.ts'
import type { UIMessageChunk } from '../results/ui-message-chunk.ts'
import { defined, metadataOf } from './optional-fields.ts'

/** A whole part of a message as the chunks a client rebuilds it from. */
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
 * A call is introduced as one with an error, which its answer then overwrites: introduced as any other, a client would
 * take it for a new call, and its own tools would run again.
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

/** A source as the model cites it. */
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
