import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4Reasoning,
  LanguageModelV4StreamPart,
  LanguageModelV4Text,
} from '@ai-sdk/provider'
import { apiError } from './parts/fault.ts'

type Block = LanguageModelV4Text | LanguageModelV4Reasoning

/**
 * Reads a stream into the result that `doGenerate` returns for the same answer. Rejects if the stream has an `error` part
 * or ends without `finish`.
 */
export async function generateResultOf(
  stream: ReadableStream<LanguageModelV4StreamPart>,
): Promise<LanguageModelV4GenerateResult> {
  const content: LanguageModelV4Content[] = []
  const blocks = new Map<string, Block>()
  const errors: unknown[] = []
  let warnings: LanguageModelV4GenerateResult['warnings'] = []
  let response: LanguageModelV4GenerateResult['response']
  let finish: Extract<LanguageModelV4StreamPart, { type: 'finish' }> | undefined

  const reader = stream.getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const part = next.value
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start': {
        const block: Block = { type: part.type === 'text-start' ? 'text' : 'reasoning', text: '' }
        blocks.set(blockKey(part), Object.assign(block, metadataOf(part)))
        content.push(block)
        break
      }
      case 'text-delta':
      case 'reasoning-delta': {
        const block = blocks.get(blockKey(part))
        if (block) Object.assign(block, { text: block.text + part.delta }, metadataOf(part))
        break
      }
      case 'text-end':
      case 'reasoning-end': {
        const citations = 'citations' in part && part.citations ? { citations: part.citations } : {}
        Object.assign(blocks.get(blockKey(part)) ?? {}, citations, metadataOf(part))
        break
      }
      case 'stream-start':
        warnings = part.warnings
        break
      case 'response-metadata': {
        const { type: _, ...metadata } = part
        response = metadata
        break
      }
      case 'finish':
        finish = part
        break
      case 'error':
        errors.push(part.error)
        break
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-input-end':
      case 'ping':
      case 'raw':
        break
      default:
        content.push(part satisfies LanguageModelV4Content)
    }
  }
  if (errors.length > 0) throw errors[0]
  if (!finish) throw apiError({ status: 200, message: 'The response ended before it was complete.' })
  const { finishReason, usage } = finish
  return { content, finishReason, usage, warnings, ...metadataOf(finish), ...(response && { response }) }
}

function blockKey(part: { type: string; id: string }): string {
  return `${part.type.split('-', 1)}:${part.id}`
}

function metadataOf<T extends object>(part: { providerMetadata?: T }): { providerMetadata?: T } {
  return part.providerMetadata === undefined ? {} : { providerMetadata: part.providerMetadata }
}
