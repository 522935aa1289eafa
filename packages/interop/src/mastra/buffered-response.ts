import type { Chunk } from '@millrace/core'

/** A Mastra chunk. */
interface MastraChunk {
  type: string
  from: 'AGENT'
  runId: string
  payload: Record<string, unknown>
}

type Show = (part: MastraChunk, streamParts: readonly MastraChunk[]) => Promise<unknown>
type Prose = 'text' | 'reasoning'

/** Whether a chunk is held back until the end of its response. */
export function isBuffered(chunk: Chunk): boolean {
  return isSaid(chunk)
}

/** Under this key a Mastra processor can leave a second chunk, which is then passed to it too. */
const SECOND_CHUNK_KEY = '__mastraReprocessPart'

/**
 * Passes the chunks of a response to the processor at its end, and returns what is left: a processor that
 * inspects single chunks would miss a match that is split between two. All text is one chunk, all reasoning
 * is one chunk, and the input of a call is part of the call.
 *
 * @param own The processor's own state
 */
export async function reviewBuffered(
  held: readonly Chunk[],
  own: Record<string, unknown>,
  show: Show,
): Promise<Chunk[]> {
  const made = new Map<unknown, { chunk: Chunk; json: string }>()
  const seen: MastraChunk[] = []
  const left: Chunk[] = []
  const showPart = async (part: MastraChunk): Promise<void> => {
    seen.push(part)
    take(await show(part, seen))
    const second = own[SECOND_CHUNK_KEY]
    if (second === undefined) return
    delete own[SECOND_CHUNK_KEY]
    await showPart(second as MastraChunk)
  }
  for (const chunk of mergeChunks(held)) {
    const part = toMastraChunk(chunk)
    made.set(part, { chunk, json: JSON.stringify(part) })
    await showPart(part)
  }
  return left

  function take(returned: unknown): void {
    if (returned === null || returned === undefined) return
    const known = made.get(returned)
    if (known === undefined || JSON.stringify(returned) !== known.json) {
      left.push(fromMastraChunk(returned as MastraChunk, [...made.values()]))
      return
    }
    const { chunk } = known
    // The streamed input is kept if the call passed unchanged.
    if (chunk.type === 'tool-call') left.push(...held.filter((each) => isInputOf(each, chunk.toolCallId)))
    left.push(chunk)
  }
}

function isSaid({ type }: Chunk): boolean {
  switch (type) {
    case 'start':
    case 'step-start':
    case 'step-finish':
    case 'step-discarded':
    case 'response-replaced':
    case 'response-end':
    case 'finish':
    case 'tripwire':
    case 'halt':
    case 'suspended':
    case 'error':
    case 'abort':
      return false
    default:
      return !type.startsWith('data-')
  }
}

function isInputOf(chunk: Chunk, toolCallId: string): boolean {
  return chunk.type.startsWith('tool-input-') && 'toolCallId' in chunk && chunk.toolCallId === toolCallId
}

/**
 * Merges all text into one delta at the position of the first, and likewise all reasoning. Streamed inputs
 * are removed, and objects are copied.
 */
function mergeChunks(held: readonly Chunk[]): Chunk[] {
  const texts: Record<Prose, string> = { text: '', reasoning: '' }
  for (const chunk of held) {
    if (chunk.type === 'text-delta') texts.text += chunk.textDelta
    if (chunk.type === 'reasoning-delta') texts.reasoning += chunk.textDelta
  }
  const said = new Set<Prose>()
  return held.flatMap((chunk): Chunk[] => {
    const prose = proseOf(chunk)
    if (prose !== undefined) {
      if (said.has(prose) || !chunk.type.endsWith('-start')) return []
      said.add(prose)
      const { id } = chunk as { id: string }
      return [
        chunk,
        ...(texts[prose] === '' ? [] : [{ type: `${prose}-delta`, id, textDelta: texts[prose] } as Chunk]),
        { type: `${prose}-end`, id } as Chunk,
      ]
    }
    return chunk.type.startsWith('tool-input-') || chunk.type === 'object-delta' ? [] : [chunk]
  })
}

function proseOf({ type }: Chunk): Prose | undefined {
  if (/^text-(start|delta|end)$/.test(type)) return 'text'
  return /^reasoning-(start|delta|end)$/.test(type) ? 'reasoning' : undefined
}

function toMastraChunk(chunk: Chunk): MastraChunk {
  const { type, ...payload } = chunk as Chunk & Record<string, unknown>
  const base = { from: 'AGENT' as const, runId: 'millrace' }
  switch (chunk.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return { ...base, type, payload: { id: chunk.id, text: chunk.textDelta } }
    case 'tool-call':
    case 'tool-result':
    case 'tool-error': {
      const { input, output, ...rest } = payload
      return {
        ...base,
        type,
        payload: { ...rest, args: input, ...('output' in payload && { result: output }) },
      }
    }
    case 'file':
    case 'reasoning-file':
      return { ...base, type, payload: { ...payload, data: chunk.url, mimeType: chunk.mediaType } }
    default:
      return { ...base, type, payload }
  }
}

/** The chunk that the processor returned, which is one of those it received or a new one. */
function fromMastraChunk({ type, payload }: MastraChunk, made: readonly { chunk: Chunk }[]): Chunk {
  const { id, toolCallId } = (payload ?? {}) as { id?: unknown; toolCallId?: unknown }
  const chunks = made.map(({ chunk }) => chunk).filter((chunk) => chunk.type === type)
  switch (type) {
    case 'text-delta':
    case 'reasoning-delta':
      return { type, id: String(id), textDelta: String(payload.text ?? '') }
    case 'tool-call':
    case 'tool-result': {
      const chunk = chunks.find((each) => 'toolCallId' in each && each.toolCallId === toolCallId)
      if (chunk?.type === 'tool-call') return { ...chunk, input: payload.args }
      if (chunk?.type === 'tool-result') return { ...chunk, input: payload.args, output: payload.result }
      break
    }
    case 'file':
    case 'reasoning-file': {
      const { data, mimeType } = payload
      if (chunks.length > 0) return { type, url: String(data), mediaType: String(mimeType) }
      break
    }
    default:
      if (chunks.length > 0) return { ...payload, type } as Chunk
  }
  throw new Error(
    `A Mastra processor returned a new chunk of type '${String(type)}', which is not supported here.`,
  )
}
