import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'

/** The parts of a complete result, as a stream would have them. */
export function partsOf({
  content,
  finishReason,
  usage,
  providerMetadata,
  response,
  warnings,
}: LanguageModelV4GenerateResult): LanguageModelV4StreamPart[] {
  const { id, modelId, timestamp } = response ?? {}
  const metadata = {
    ...(id !== undefined && { id }),
    ...(modelId !== undefined && { modelId }),
    ...(timestamp !== undefined && { timestamp }),
  }
  return [
    { type: 'stream-start', warnings: warnings ?? [] },
    ...(Object.keys(metadata).length > 0 ? [{ type: 'response-metadata' as const, ...metadata }] : []),
    ...content.flatMap((part, index) => contentParts(part, String(index))),
    { type: 'finish', finishReason, usage, ...(providerMetadata && { providerMetadata }) },
  ]
}

function contentParts(part: LanguageModelV4Content, id: string): LanguageModelV4StreamPart[] {
  if (part.type !== 'text' && part.type !== 'reasoning') return [part]
  const { type, text, providerMetadata } = part
  return [
    { type: `${type}-start`, id, ...(providerMetadata && { providerMetadata }) },
    { type: `${type}-delta`, id, delta: text },
    { type: `${type}-end`, id },
  ]
}

/** A stream that has all parts at once. */
export function streamOf(
  parts: readonly LanguageModelV4StreamPart[],
): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}
