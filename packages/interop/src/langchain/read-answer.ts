import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider'
import {
  type AIMessage,
  type AIMessageChunk,
  mergeUsageMetadata,
  type UsageMetadata,
} from '@langchain/core/messages'
import type { ChatGenerationChunk } from '@langchain/core/outputs'
import { type BlockPart, blocksOf, callsOf, descriptionOf, signedFields } from './content-blocks.ts'

/** Reads the answer of a LangChain model, complete or in chunks. */
export class Answer {
  readonly #calls = new Map<string | number, { id: string | undefined; name: string; args: string }>()
  readonly #metadata: Record<string, unknown> = {}
  readonly #sealed: Record<string, unknown> = {}
  #usage: UsageMetadata | undefined
  #hasCalls = false
  #id: string | undefined
  #open: { type: 'text' | 'reasoning'; id: string; metadata: Record<string, string> | undefined } | undefined
  #parts = 0

  whole(message: AIMessage, info: Record<string, unknown> | undefined): LanguageModelV4Content[] {
    this.#describe(message, info)
    const calls = callsOf(message)
    this.#hasCalls = calls.length > 0
    return [
      ...blocksOf(message).flatMap((block) => contentOf(block) ?? []),
      ...calls.map(({ input, ...call }) => ({ type: 'tool-call' as const, ...call, input: jsonOf(input) })),
    ]
  }

  add({ message, generationInfo }: ChatGenerationChunk): LanguageModelV4StreamPart[] {
    this.#describe(message as AIMessageChunk, generationInfo)
    const { tool_call_chunks: pieces = [] } = message as AIMessageChunk
    for (const { index, id, name, args } of pieces) this.#addCall({ index, id, name, args })
    if (pieces.length === 0) {
      for (const { toolCallId, toolName, input } of callsOf(message))
        this.#addCall({ index: undefined, id: toolCallId, name: toolName, args: jsonOf(input) })
    }
    return blocksOf(message).flatMap((block) => this.#addBlock(block))
  }

  /** The final parts of a streamed answer. */
  close(): LanguageModelV4StreamPart[] {
    const calls = [...this.#calls.values()].map(({ id, name, args }, index) => ({
      type: 'tool-call' as const,
      toolCallId: id ?? `${this.#id ?? 'call'}-${index}`,
      toolName: name,
      input: args === '' ? '{}' : args,
    }))
    this.#hasCalls = calls.length > 0
    return [...this.#close(), ...calls]
  }

  end(): {
    finishReason: LanguageModelV4FinishReason
    usage: LanguageModelV4Usage
    providerMetadata: SharedV4ProviderMetadata
  } {
    const raw = this.#metadata.finish_reason ?? this.#metadata.stop_reason
    const reason = REASONS.get(String(raw).toLowerCase())
    const unified = this.#hasCalls ? 'tool-calls' : raw === undefined ? 'stop' : (reason ?? 'other')
    const described = { ...descriptionOf(this.#metadata), sealed: this.#sealed }
    return {
      finishReason: { unified, raw: typeof raw === 'string' ? raw : undefined },
      usage: usageOf(this.#usage),
      providerMetadata: { langchain: described as SharedV4ProviderMetadata[string] },
    }
  }

  get response(): { id?: string; modelId?: string } {
    const { model_name: modelId } = this.#metadata
    return {
      ...(this.#id !== undefined && { id: this.#id }),
      ...(typeof modelId === 'string' && { modelId }),
    }
  }

  #describe(message: AIMessage | AIMessageChunk, info: Record<string, unknown> | undefined): void {
    this.#id ??= message.id
    Object.assign(this.#metadata, info, message.response_metadata)
    Object.assign(this.#sealed, signedFields(message.additional_kwargs))
    const usage: UsageMetadata | undefined = message.usage_metadata
    if (usage) this.#usage = this.#usage ? mergeUsageMetadata(this.#usage, usage) : usage
  }

  #addCall({
    index,
    id,
    name,
    args,
  }: {
    index?: number | undefined
    id?: string | undefined
    name?: string | undefined
    args?: string | undefined
  }): void {
    const key = index ?? id ?? this.#calls.size
    const call = this.#calls.get(key) ?? { id: undefined, name: '', args: '' }
    this.#calls.set(key, {
      id: call.id ?? id,
      name: call.name || (name ?? ''),
      args: call.args + (args ?? ''),
    })
  }

  #addBlock(block: BlockPart): LanguageModelV4StreamPart[] {
    if (block.type === 'other') return []
    if (block.type === 'file') return [...this.#close(), ...(contentOf(block) as LanguageModelV4StreamPart[])]
    const { type, text, metadata } = block
    const parts: LanguageModelV4StreamPart[] = []
    if (this.#open?.type !== type) {
      parts.push(...this.#close())
      this.#open = { type, id: String(this.#parts++), metadata: undefined }
      parts.push({ type: `${type}-start`, id: this.#open.id })
    }
    if (metadata) this.#open.metadata = { ...this.#open.metadata, ...metadata }
    if (text !== '') parts.push({ type: `${type}-delta`, id: this.#open.id, delta: text })
    return parts
  }

  #close(): LanguageModelV4StreamPart[] {
    if (!this.#open) return []
    const { type, id, metadata } = this.#open
    this.#open = undefined
    return [
      { type: `${type}-end`, id, ...(metadata && { providerMetadata: { langchain: { sealed: metadata } } }) },
    ]
  }
}

/** Other blocks are dropped, because no processor could read them. */
function contentOf(block: BlockPart): LanguageModelV4Content[] | undefined {
  if (block.type === 'other') return undefined
  if (block.type === 'file') {
    const { data, mediaType } = block
    return data.type === 'data' || data.type === 'url' ? [{ type: 'file', mediaType, data }] : undefined
  }
  const { type, text, metadata } = block
  return [{ type, text, ...(metadata && { providerMetadata: { langchain: { sealed: metadata } } }) }]
}

function jsonOf(input: unknown): string {
  return typeof input === 'string' ? input : (JSON.stringify(input) ?? '{}')
}

function usageOf(usage: UsageMetadata | undefined): LanguageModelV4Usage {
  const { input_token_details: input, output_token_details: output } = usage ?? {}
  return {
    inputTokens: {
      total: usage?.input_tokens,
      noCache: undefined,
      cacheRead: input?.cache_read,
      cacheWrite: input?.cache_creation,
    },
    outputTokens: { total: usage?.output_tokens, text: undefined, reasoning: output?.reasoning },
  }
}

const REASONS: ReadonlyMap<string, LanguageModelV4FinishReason['unified']> = new Map([
  ['stop', 'stop'],
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['completed', 'stop'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['tool_calls', 'tool-calls'],
  ['tool_use', 'tool-calls'],
  ['content_filter', 'content-filter'],
  ['refusal', 'content-filter'],
  ['safety', 'content-filter'],
])
