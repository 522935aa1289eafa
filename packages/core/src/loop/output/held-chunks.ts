import { isToolPart, type MessagePart, type ToolPart } from '../../messages/message.ts'
import { isSame } from '../../processors/snapshot-of.ts'
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

/**
 * Updates held chunks to `parts`, the step in the transcript: text whose deltas were changed becomes one delta, and
 * what was removed is left out. Returns the same chunks if nothing was changed.
 */
export function currentText(chunks: readonly Chunk[], parts: readonly MessagePart[]): readonly Chunk[] {
  const calls = callsIn(chunks)
  const current = parts.flatMap((part, index): readonly Chunk[] => {
    if (isToolPart(part)) return callChunks(part, calls.get(part.toolCallId) ?? [])
    if (part.type === 'text' || part.type === 'reasoning') return proseChunks(part, `${part.type}-${index}`)
    return wholeChunk(part)
  })
  const before = chunks.filter(isContent)
  if (isSame(contentOf(before), contentOf(current))) return chunks
  const others = chunks.filter((chunk) => !isContent(chunk) && chunk.type !== 'object-delta')
  const follower = chunks.slice(chunks.findIndex(isContent)).find((chunk) => others.includes(chunk))
  const end = before.length > 0 ? follower : others.find(({ type }) => type === 'step-finish')
  return others.toSpliced(end ? others.indexOf(end) : others.length, 0, ...current)
}

/** What the chunks say, however their parts are interleaved. */
function contentOf(chunks: readonly Chunk[]): unknown {
  const texts = new Map<string, string>()
  for (const chunk of chunks) {
    if (!('textDelta' in chunk)) continue
    const key = `${chunk.type} ${chunk.id}`
    texts.set(key, (texts.get(key) ?? '') + chunk.textDelta)
  }
  const whole = chunks.filter(({ type }) => WHOLE_TYPES.has(type))
  return [[...texts.values()].join(''), whole, Object.fromEntries(callsIn(chunks))]
}

function callsIn(chunks: readonly Chunk[]): Map<string, Chunk[]> {
  const calls = new Map<string, Chunk[]>()
  for (const chunk of chunks) {
    if ('toolCallId' in chunk && chunk.toolCallId !== undefined)
      calls.set(chunk.toolCallId, [...(calls.get(chunk.toolCallId) ?? []), chunk])
  }
  return calls
}

type ProseChunk = Extract<Chunk, { type: `${'text' | 'reasoning'}-${string}`; id: string }>

function isProse(chunk: Chunk): chunk is ProseChunk {
  return /^(text|reasoning)-(start|delta|end)$/.test(chunk.type)
}

/** Whether the chunk becomes a part of the message. */
export function isContent(chunk: Chunk): boolean {
  return isProse(chunk) || 'toolCallId' in chunk || WHOLE_TYPES.has(chunk.type)
}

const WHOLE_TYPES: ReadonlySet<Chunk['type']> = new Set(['file', 'reasoning-file', 'source', 'custom'])

/** The chunk of a part that is not streamed. */
function wholeChunk(part: MessagePart): Chunk[] {
  switch (part.type) {
    case 'file':
    case 'reasoning-file': {
      const { type, mediaType, url, providerMetadata } = part
      return [{ type, mediaType, url, ...(providerMetadata && { providerMetadata }) }]
    }
    case 'custom': {
      const { type, kind, providerMetadata } = part
      return [{ type, kind, ...(providerMetadata && { providerMetadata }) }]
    }
    case 'source-url': {
      const { type: _, sourceId: id, ...source } = part
      return [{ type: 'source', sourceType: 'url', id, ...source }]
    }
    case 'source-document': {
      const { type: _, sourceId: id, ...source } = part
      return [{ type: 'source', sourceType: 'document', id, ...source }]
    }
    default:
      return []
  }
}

/** The chunks of a call, updated to its part. Only a call that the provider executes has its answer among them. */
function callChunks(part: ToolPart, chunks: readonly Chunk[]): readonly Chunk[] {
  const { input } = part
  const updated = chunks.flatMap((chunk): Chunk[] => {
    switch (chunk.type) {
      case 'tool-call':
        return [{ ...chunk, input }]
      case 'tool-result':
        if (chunk.preliminary || part.state !== 'output-available') return []
        return [{ ...chunk, input, output: part.output }]
      case 'tool-error':
        return part.state === 'output-error' ? [{ ...chunk, input, error: part.errorText }] : []
      default:
        return []
    }
  })
  const settled = chunks.filter(({ type, ...chunk }) => {
    return !type.startsWith('tool-input-') && !('preliminary' in chunk && chunk.preliminary)
  })
  return isSame(settled, updated) ? chunks : updated
}

/** A whole text or reasoning part as chunks. */
export function proseChunks(part: { type: 'text' | 'reasoning'; text: string }, id: string): Chunk[] {
  return [
    { type: `${part.type}-start`, id },
    { type: `${part.type}-delta`, id, textDelta: part.text },
    { type: `${part.type}-end`, id },
  ]
}
