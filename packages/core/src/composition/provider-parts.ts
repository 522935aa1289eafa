import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from '@ai-sdk/provider'
import type { Chunk } from '../results/chunk.ts'
import { locate } from '../transcript/user-prompt.ts'

/**
 * The provider stream part for a chunk; `undefined` for chunks that only agents have, such as step marks and
 * application data. A result that a processor gave is marked, to recognize it in the next prompt.
 */
export function toStreamPart(chunk: Chunk): LanguageModelV4StreamPart | undefined {
  switch (chunk.type) {
    case 'text-delta':
    case 'reasoning-delta': {
      const { type, id, textDelta: delta, providerMetadata } = chunk
      return providerMetadata ? { type, id, delta, providerMetadata } : { type, id, delta }
    }
    case 'text-start':
    case 'text-end':
    case 'reasoning-start':
    case 'reasoning-end':
      return { type: chunk.type, id: chunk.id, ...metadataOf(chunk) }
    case 'tool-input-start': {
      const { type, toolCallId: id, toolName, inputEncoding, providerExecuted, dynamic, title } = chunk
      return {
        type,
        id,
        toolName,
        ...(inputEncoding && { inputEncoding }),
        ...(providerExecuted && { providerExecuted }),
        ...(dynamic && { dynamic }),
        ...(title !== undefined && { title }),
        ...metadataOf(chunk),
      }
    }
    case 'tool-input-delta':
      return { type: chunk.type, id: chunk.toolCallId, delta: chunk.inputTextDelta, ...metadataOf(chunk) }
    case 'tool-input-end':
      return { type: chunk.type, id: chunk.toolCallId, ...metadataOf(chunk) }
    case 'tool-call': {
      const { input, inputError, providerExecuted } = chunk
      return {
        type: chunk.type,
        ...identityOf(chunk),
        input: inputError !== undefined && typeof input === 'string' ? input : jsonOf(input ?? {}),
        ...(providerExecuted && { providerExecuted }),
      }
    }
    case 'tool-result': {
      const { output, preliminary } = chunk
      const result = (output ?? '') as NonNullable<typeof output>
      return {
        type: chunk.type,
        ...identityOf(chunk),
        result: result as never,
        ...(preliminary && { preliminary }),
      }
    }
    case 'tool-error':
      return { type: 'tool-result', ...identityOf(chunk), result: chunk.error, isError: true }
    case 'tool-denied': {
      const result = chunk.reason ?? 'The call was denied.'
      return { type: 'tool-result', ...identityOf(chunk), result, isError: true }
    }
    case 'file':
    case 'reasoning-file': {
      const { type, mediaType, url } = chunk
      return { type, mediaType, data: locate(url), ...metadataOf(chunk) }
    }
    case 'source':
    case 'custom':
      return chunk
    default:
      return undefined
  }
}

function identityOf(chunk: {
  toolCallId: string
  toolName: string
  dynamic?: boolean
  providerMetadata?: SharedV4ProviderMetadata
}) {
  const { toolCallId, toolName, dynamic } = chunk
  return { toolCallId, toolName, ...(dynamic && { dynamic }), ...metadataOf(chunk) }
}

function metadataOf({ providerMetadata }: { providerMetadata?: SharedV4ProviderMetadata }): {
  providerMetadata?: SharedV4ProviderMetadata
} {
  return providerMetadata ? { providerMetadata } : {}
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value) ?? '{}'
}
