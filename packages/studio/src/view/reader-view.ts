import type { Chunk, OutputEntry } from '@millrace/core'
import type { ChunkView, ReaderEntry } from '../wire.ts'
import type { Shown } from './text.ts'

type Delta = Extract<Chunk, { type: 'text-delta' | 'reasoning-delta' }>

/** The emitted part of a message: its deltas, and the time of each. */
interface Part {
  seq: number
  at: number
  stepNumber: number | undefined
  type: 'text' | 'reasoning'
  id: string
  text: string
  chunks: number
  retracted: boolean
}

interface Other {
  seq: number
  at: number
  stepNumber: number | undefined
  chunk: Chunk
  retracted: boolean
}

/** What the reader of a run saw, including retracted text. */
export class ReaderView {
  readonly #entries: (Part | Other)[] = []
  readonly #chunks: { at: number; stepNumber: number | undefined; chunk: Chunk }[] = []
  #stepNumber: number | undefined
  #startedAt = 0

  begin(startedAt: number): void {
    this.#startedAt = startedAt
  }

  add({ at, chunk, sizes }: OutputEntry): void {
    if (chunk.type === 'step-start') this.#stepNumber = chunk.stepNumber
    this.#keepChunks(at, chunk, sizes)
    if (chunk.type === 'text-delta' || chunk.type === 'reasoning-delta') this.#addDelta(at, chunk, sizes)
    else if (isShown(chunk)) this.#addOther(at, chunk)
  }

  #addOther(at: number, chunk: Chunk): void {
    if (chunk.type === 'step-discarded') this.#retract(chunk.stepNumber)
    this.#entries.push({
      seq: this.#entries.length,
      at,
      stepNumber: chunk.type === 'step-discarded' ? chunk.stepNumber : this.#stepNumber,
      chunk,
      retracted: false,
    })
  }

  /** How many entries there are. */
  get length(): number {
    return this.#entries.length
  }

  /** The entries from an index. */
  entries(shown: Shown, from = 0): ReaderEntry[] {
    return this.#entries.slice(from).map((entry) => this.#entry(entry, shown))
  }

  /** The first entry that may still change. */
  get firstOpen(): number {
    const last = this.#entries.length - 1
    return Math.max(0, last - 3)
  }

  /** When the reader first saw text of a step. */
  firstAt(stepNumber: number): number | undefined {
    return this.#entries.find(
      (entry) =>
        entry.stepNumber === stepNumber && !('chunk' in entry && entry.chunk.type === 'step-discarded'),
    )?.at
  }

  /** The text of a step that was shown and retracted, one per attempt. */
  retractedTexts(stepNumber: number): string[] {
    const attempts: string[] = []
    let text = ''
    for (const entry of this.#entries) {
      if (entry.stepNumber !== stepNumber) continue
      if ('text' in entry) {
        if (entry.type === 'text') text += entry.text
      } else if (entry.chunk.type === 'step-discarded') {
        attempts.push(text)
        text = ''
      }
    }
    return attempts
  }

  get chunkCount(): number {
    return this.#chunks.length
  }

  chunks(shown: Shown, { from, limit }: { from: number; limit: number }): ChunkView[] {
    return this.#chunks.slice(from, from + limit).map(({ at, stepNumber, chunk }, index) => {
      const { type, ...rest } = chunk
      const value =
        'textDelta' in chunk ? chunk.textDelta : 'inputTextDelta' in chunk ? chunk.inputTextDelta : rest
      return {
        seq: from + index,
        atMs: at - this.#startedAt,
        type,
        ...(stepNumber !== undefined && { stepNumber }),
        value: shown.json(value),
      }
    })
  }

  #keepChunks(at: number, chunk: Chunk, sizes: readonly number[] | undefined): void {
    const stepNumber = this.#stepNumber
    if (!sizes || !('textDelta' in chunk)) {
      this.#chunks.push({ at, stepNumber, chunk })
      return
    }
    let start = 0
    for (const size of sizes) {
      const textDelta = chunk.textDelta.slice(start, start + size)
      this.#chunks.push({ at, stepNumber, chunk: { ...chunk, textDelta } })
      start += size
    }
  }

  #addDelta(at: number, { type, id, textDelta }: Delta, sizes: readonly number[] = [0]): void {
    const kind = type === 'text-delta' ? 'text' : 'reasoning'
    const last = this.#entries.at(-1)
    if (last && 'text' in last && last.id === id && last.type === kind && !last.retracted) {
      last.text += textDelta
      last.chunks += sizes.length
      return
    }
    this.#entries.push({
      seq: this.#entries.length,
      at,
      stepNumber: this.#stepNumber,
      type: kind,
      id,
      text: textDelta,
      chunks: sizes.length,
      retracted: false,
    })
  }

  #retract(stepNumber: number): void {
    for (const entry of this.#entries) if (entry.stepNumber === stepNumber) entry.retracted = true
  }

  #entry(entry: Part | Other, shown: Shown): ReaderEntry {
    const { seq, at, stepNumber } = entry
    return {
      seq,
      atMs: at - this.#startedAt,
      ...(stepNumber !== undefined && { stepNumber }),
      event: 'text' in entry ? partEvent(entry, shown) : otherEvent(entry, shown),
    }
  }
}

/** Whether a chunk is visible to readers. */
function isShown(chunk: Chunk): boolean {
  switch (chunk.type) {
    case 'tool-call':
    case 'tool-error':
    case 'tool-denied':
    case 'step-discarded':
    case 'response-replaced':
    case 'file':
    case 'reasoning-file':
    case 'source':
    case 'tripwire':
    case 'halt':
    case 'suspended':
    case 'abort':
    case 'error':
    case 'finish':
      return true
    case 'tool-result':
      return chunk.preliminary !== true
    default:
      return chunk.type.startsWith('data-')
  }
}

function partEvent({ type, text, chunks, retracted }: Part, shown: Shown): ReaderEntry['event'] {
  return { type, text: shown.text(text), chunks, ...(retracted && { retracted }) }
}

function otherEvent({ chunk, retracted }: Other, shown: Shown): ReaderEntry['event'] {
  switch (chunk.type) {
    case 'tool-call': {
      const { toolCallId, toolName, input } = chunk
      return {
        type: 'tool-call',
        toolCallId,
        toolName: shown.words(toolName),
        input: shown.json(input),
        ...(retracted && { retracted }),
      }
    }
    case 'tool-result':
    case 'tool-error':
    case 'tool-denied': {
      const { type, toolCallId, toolName } = chunk
      const value =
        type === 'tool-result' ? chunk.output : type === 'tool-error' ? chunk.error : (chunk.reason ?? '')
      return { type, toolCallId, toolName: shown.words(toolName), value: shown.json(value) }
    }
    case 'step-discarded':
      return { type: 'retracted', retry: chunk.retry, ...reasonOf(chunk, shown) }
    case 'response-replaced':
      return { type: 'replaced', text: shown.text(chunk.text) }
    case 'file':
    case 'reasoning-file':
      return { type: 'file', mediaType: chunk.mediaType }
    case 'source':
      return { type: 'source', title: shown.words(chunk.title ?? ('url' in chunk ? chunk.url : '')) }
    case 'tripwire': {
      const { processorId } = chunk
      const reason = shown.words(chunk.reason)
      return { type: 'blocked', reason, ...(processorId !== undefined && { processorId }) }
    }
    case 'halt':
      return { type: 'halted', ...reasonOf(chunk, shown) }
    case 'suspended':
      return { type: 'suspended', ...(chunk.processorId !== undefined && { processorId: chunk.processorId }) }
    case 'abort':
      return { type: 'aborted' }
    case 'error':
      return { type: 'error', message: 'The run failed.' }
    case 'finish':
      return { type: 'finished' }
    default:
      return { type: 'data', name: chunk.type, value: shown.json('data' in chunk ? chunk.data : chunk) }
  }
}

function reasonOf(
  { reason, processorId }: { reason?: string | undefined; processorId?: string | undefined },
  shown: Shown,
): { reason?: string; processorId?: string } {
  return {
    ...(reason !== undefined && { reason: shown.words(reason) }),
    ...(processorId !== undefined && { processorId }),
  }
}
