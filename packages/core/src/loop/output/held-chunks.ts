import type { MessagePart } from '../../messages/message.ts'
import type { Chunk } from '../../results/chunk.ts'
import type { ToolCall } from '../../tools/tool.ts'

/**
 * Updates held chunks to the current tool calls: removes the chunks of calls that were removed, and the streamed
 * input of calls that were rewritten.
 */
export function currentCalls(held: readonly Chunk[], toolCalls: readonly ToolCall[]): Chunk[] {
  const calls = new Map(toolCalls.map((call) => [call.toolCallId, call]))
  const rewritten = new Set<string>()
  for (const chunk of held) {
    if (chunk.type !== 'tool-call' || calls.get(chunk.toolCallId)?.input === chunk.input) continue
    rewritten.add(chunk.toolCallId)
  }
  return held.map((chunk) => currentCall(chunk, calls, rewritten)).filter((chunk) => chunk !== undefined)
}

function currentCall(
  chunk: Chunk,
  calls: ReadonlyMap<string, ToolCall>,
  rewritten: ReadonlySet<string>,
): Chunk | undefined {
  switch (chunk.type) {
    case 'tool-call': {
      const call = calls.get(chunk.toolCallId)
      return call && (call.input === chunk.input ? chunk : { ...chunk, input: call.input })
    }
    case 'tool-input-start':
    case 'tool-input-delta':
    case 'tool-input-end':
      return calls.has(chunk.toolCallId) && !rewritten.has(chunk.toolCallId) ? chunk : undefined
    default:
      return chunk
  }
}

/** Updates held chunks to the text of `parts`: the deltas of a part whose text was changed become one delta. */
export function currentText(chunks: readonly Chunk[], parts: readonly MessagePart[]): readonly Chunk[] {
  const streamed = new Map<string, string>()
  for (const chunk of chunks) {
    if (!isProse(chunk)) continue
    const key = `${chunk.type.split('-', 1)} ${chunk.id}`
    streamed.set(key, (streamed.get(key) ?? '') + ('textDelta' in chunk ? chunk.textDelta : ''))
  }
  const prose = parts.filter((part) => part.type === 'text' || part.type === 'reasoning')
  if ([...streamed.values()].join('') === prose.map(({ text }) => text).join('')) return chunks
  const first = chunks.findIndex(isProse)
  const others: Chunk[] = chunks.filter((chunk) => !isProse(chunk) && chunk.type !== 'object-delta')
  const place =
    first === -1
      ? others.length
      : chunks.slice(0, first).filter((chunk: Chunk) => others.includes(chunk)).length
  return [
    ...others.slice(0, place),
    ...prose.flatMap((part, index) => proseChunks(part, `${part.type}-${index}`)),
    ...others.slice(place),
  ]
}

type ProseChunk = Extract<Chunk, { type: `${'text' | 'reasoning'}-${string}`; id: string }>

function isProse(chunk: Chunk): chunk is ProseChunk {
  return chunk.type.startsWith('text-') || /^reasoning-(start|delta|end)$/.test(chunk.type)
}

/** A whole text or reasoning part as chunks. */
export function proseChunks(part: { type: 'text' | 'reasoning'; text: string }, id: string): Chunk[] {
  return [
    { type: `${part.type}-start`, id },
    { type: `${part.type}-delta`, id, textDelta: part.text },
    { type: `${part.type}-end`, id },
  ]
}
