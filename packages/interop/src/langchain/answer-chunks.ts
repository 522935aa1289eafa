import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider'
import { AIMessageChunk, type UsageMetadata } from '@langchain/core/messages'
import { ChatGenerationChunk } from '@langchain/core/outputs'
import { isRecord } from '@millrace/core'
import { fileBlock, proseBlock } from './content-blocks.ts'

/** Converts the parts of a guarded answer to LangChain chunks. */
export class AnswerChunks {
  /**
   * Content is a string as long as the answer has only text. Once another block arrives, it is a list of
   * blocks.
   */
  #hasBlocks = false
  #index = -1
  #calls = 0
  #open: { type: string; id: string } | undefined

  read(part: LanguageModelV4StreamPart): ChatGenerationChunk | undefined {
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta':
        return this.#prose(part.type === 'text-delta' ? 'text' : 'reasoning', part)
      case 'text-end':
      case 'reasoning-end':
        return this.#end(part)
      case 'tool-call': {
        const { toolCallId: id, toolName: name, input: args, providerExecuted } = part
        if (providerExecuted) return undefined
        const piece = { type: 'tool_call_chunk' as const, id, name, args, index: this.#calls++ }
        return chunkOf({ content: '', tool_call_chunks: [piece] })
      }
      case 'file':
        return this.#block(fileBlock(part as Parameters<typeof fileBlock>[0]))
      case 'finish':
        return this.#finish(part)
      default:
        return undefined
    }
  }

  #prose(
    type: 'text' | 'reasoning',
    { id, delta }: { id: string; delta: string },
  ): ChatGenerationChunk | undefined {
    if (delta === '') return undefined
    if (type === 'text' && !this.#hasBlocks) {
      this.#open = { type, id }
      if (this.#index < 0) this.#index = 0
      return chunkOf({ content: delta }, delta)
    }
    const isNew = this.#open?.type !== type || this.#open.id !== id
    if (isNew) this.#index++
    this.#open = { type, id }
    this.#hasBlocks = true
    return chunkOf(
      { content: [{ ...proseBlock(type, delta, undefined), index: this.#index }] },
      type === 'text' ? delta : '',
    )
  }

  /** Signed data of a model comes at the end of a part. */
  #end({
    type,
    id,
    providerMetadata,
  }: Extract<LanguageModelV4StreamPart, { type: 'text-end' | 'reasoning-end' }>):
    | ChatGenerationChunk
    | undefined {
    const sealed = providerMetadata?.langchain?.sealed
    if (type === 'text-end' || !isRecord(sealed)) return undefined
    if (this.#open?.type !== 'reasoning' || this.#open.id !== id) {
      this.#index++
      this.#open = { type: 'reasoning', id }
    }
    this.#hasBlocks = true
    return chunkOf({ content: [{ ...proseBlock('reasoning', '', sealed), index: this.#index }] })
  }

  #block(block: Record<string, unknown>): ChatGenerationChunk {
    this.#hasBlocks = true
    this.#open = undefined
    return chunkOf({ content: [{ ...block, index: ++this.#index }] })
  }

  #finish({
    finishReason,
    usage,
    providerMetadata,
  }: Extract<LanguageModelV4StreamPart, { type: 'finish' }>): ChatGenerationChunk {
    const { sealed, ...described } = providerMetadata?.langchain ?? {}
    const { millrace } = providerMetadata ?? {}
    return chunkOf({
      content: '',
      usage_metadata: usageOf(usage),
      response_metadata: {
        finish_reason: finishReason.raw ?? finishReason.unified.replace('-', '_'),
        ...described,
        ...(millrace && { millrace }),
        ...(this.#hasBlocks && { output_version: 'v1' }),
      },
      ...(isRecord(sealed) && { additional_kwargs: sealed }),
    })
  }
}

function chunkOf(fields: Record<string, unknown>, text = ''): ChatGenerationChunk {
  return new ChatGenerationChunk({ text, message: new AIMessageChunk(fields as never) })
}

function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage): UsageMetadata {
  const { total: input_tokens = 0, cacheRead, cacheWrite } = inputTokens
  const { total: output_tokens = 0, reasoning } = outputTokens
  return {
    input_tokens,
    output_tokens,
    total_tokens: input_tokens + output_tokens,
    ...((cacheRead !== undefined || cacheWrite !== undefined) && {
      input_token_details: {
        ...(cacheRead !== undefined && { cache_read: cacheRead }),
        ...(cacheWrite !== undefined && { cache_creation: cacheWrite }),
      },
    }),
    ...(reasoning !== undefined && { output_token_details: { reasoning } }),
  }
}
