import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { AIMessage, type AIMessageChunk } from '@langchain/core/messages'
import type { ChatGenerationChunk } from '@langchain/core/outputs'
import { AnswerChunks } from './answer-chunks.ts'

/** All parts of an answer as one message. */
export async function wholeMessage(
  parts: Iterable<LanguageModelV4StreamPart> | AsyncIterable<LanguageModelV4StreamPart>,
): Promise<AIMessage> {
  const chunks = new AnswerChunks()
  let whole: ChatGenerationChunk | undefined
  for await (const part of parts) {
    const chunk = chunks.read(part)
    if (chunk) whole = whole ? whole.concat(chunk) : chunk
  }
  const {
    content = '',
    tool_calls,
    invalid_tool_calls,
    usage_metadata,
    response_metadata,
    additional_kwargs,
  } = (whole?.message ?? {}) as AIMessageChunk
  const fields = {
    content,
    tool_calls,
    invalid_tool_calls,
    usage_metadata,
    response_metadata,
    additional_kwargs,
  }
  return new AIMessage(fields as never)
}
