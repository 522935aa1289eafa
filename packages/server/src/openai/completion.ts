import type { AnswerFinish, AnswerPart, AnswerUsage } from './answer.ts'
import { AnswerCut } from './provider-error.ts'

/** The fields that all chunks of an answer share. */
export interface CompletionHead {
  id: string
  created: number
  model: string
}

interface CompletionToolCall {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}

export function newHead(model: string): CompletionHead {
  return { id: `chatcmpl-${crypto.randomUUID()}`, created: Math.floor(Date.now() / 1_000), model }
}

/** Collects the parts into one completion. */
export async function completion(head: CompletionHead, parts: AsyncGenerator<AnswerPart>): Promise<object> {
  const calls = new Map<string, CompletionToolCall>()
  let text = ''
  let end: Extract<AnswerPart, { type: 'finish' }> | undefined
  for await (const part of parts) {
    switch (part.type) {
      case 'text':
        text += part.text
        break
      case 'call-start':
        calls.set(part.id, {
          id: part.id,
          type: 'function',
          function: { name: part.name, arguments: '' },
        })
        break
      case 'call-input': {
        const call = calls.get(part.id)
        if (call) call.function.arguments += part.text
        break
      }
      case 'finish':
        end = part
        break
    }
  }
  if (!end) throw new AnswerCut()
  return {
    ...head,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text === '' && calls.size > 0 ? null : text,
          refusal: null,
          ...(calls.size > 0 && { tool_calls: [...calls.values()] }),
        },
        logprobs: null,
        finish_reason: end.reason,
      },
    ],
    usage: usageOf(end.usage),
  }
}

/** Converts the parts to chunks. Reasoning is left out: this protocol has no field for it. */
export async function* completionChunks(
  head: CompletionHead,
  parts: AsyncGenerator<AnswerPart>,
  { withUsage }: { withUsage: boolean },
): AsyncGenerator<object> {
  const calls = new Map<string, number>()
  const chunk = (delta: object, finish: AnswerFinish | null = null): object => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  })
  yield chunk({ role: 'assistant', content: '' })
  for await (const part of parts) {
    switch (part.type) {
      case 'text':
        yield chunk({ content: part.text })
        break
      case 'call-start': {
        const index = calls.size
        calls.set(part.id, index)
        const called = { name: part.name, arguments: '' }
        yield chunk({ tool_calls: [{ index, id: part.id, type: 'function', function: called }] })
        break
      }
      case 'call-input':
        yield chunk({ tool_calls: [{ index: calls.get(part.id), function: { arguments: part.text } }] })
        break
      case 'finish':
        yield chunk({}, part.reason)
        if (withUsage) {
          yield { ...head, object: 'chat.completion.chunk', choices: [], usage: usageOf(part.usage) }
        }
        break
    }
  }
}

function usageOf({ input, output, cached, reasoning }: AnswerUsage): object {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(cached !== undefined && { prompt_tokens_details: { cached_tokens: cached } }),
    ...(reasoning !== undefined && { completion_tokens_details: { reasoning_tokens: reasoning } }),
  }
}
