import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider'
import type { Usage } from '@millrace/core'

/** What all chunks of an answer share. */
export interface CompletionHead {
  id: string
  created: number
  model: string
}

export interface CompletionToolCall {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}

export interface CompletionUsage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  prompt_tokens_details?: { cached_tokens: number }
  completion_tokens_details?: { reasoning_tokens: number }
}

export type CompletionFinish = 'stop' | 'length' | 'tool_calls' | 'content_filter'

export function newHead(model: string): CompletionHead {
  return { id: `chatcmpl-${crypto.randomUUID()}`, created: Math.floor(Date.now() / 1_000), model }
}

export function completion(
  head: CompletionHead,
  answer: {
    text: string
    toolCalls?: readonly CompletionToolCall[]
    refusal?: string | undefined
    finish: CompletionFinish
    usage: CompletionUsage
  },
): object {
  const { text, toolCalls = [], refusal, finish, usage } = answer
  return {
    ...head,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text === '' && toolCalls.length > 0 ? null : text,
          refusal: refusal ?? null,
          ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
        },
        logprobs: null,
        finish_reason: finish,
      },
    ],
    usage,
  }
}

export function completionChunk(
  head: CompletionHead,
  delta: object,
  finish: CompletionFinish | null = null,
): object {
  return {
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  }
}

/** The last chunk, where the client asked for the usage. */
export function usageChunk(head: CompletionHead, usage: CompletionUsage): object {
  return { ...head, object: 'chat.completion.chunk', choices: [], usage }
}

export function usageOfModel({ inputTokens, outputTokens }: LanguageModelV4Usage): CompletionUsage {
  const { total: input = 0, cacheRead } = inputTokens
  const { total: output = 0, reasoning } = outputTokens
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(cacheRead !== undefined && { prompt_tokens_details: { cached_tokens: cacheRead } }),
    ...(reasoning !== undefined && { completion_tokens_details: { reasoning_tokens: reasoning } }),
  }
}

export function usageOfRun({ inputTokens, outputTokens }: Usage): CompletionUsage {
  const [input, output] = [inputTokens ?? 0, outputTokens ?? 0]
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
}

export function finishOf(reason: LanguageModelV4FinishReason['unified']): CompletionFinish {
  switch (reason) {
    case 'length':
      return 'length'
    case 'tool-calls':
      return 'tool_calls'
    case 'content-filter':
      return 'content_filter'
    default:
      return 'stop'
  }
}
