import { HOOKS, type HookName } from '../hook-name.ts'
import type { Chunk } from '../results/chunk.ts'
import type { ChangeLog } from './change-log.ts'
import type { HookRecord } from './hook-record.ts'
import { isSame, snapshotOf } from './snapshot-of.ts'
import { TextQueue } from './text-queue.ts'

/** Maximum number of held chunks that a chunk is compared with. */
const MAX_COMPARED = 100

/** Key prefixes of parts that are not text. */
const REASONING = '\0reasoning '
const TOOL_INPUT = '\0tool-input '

/** The input and output text of a part, from where they differ. */
interface Difference {
  before: string
  after: string
}

/**
 * Compares the input and output of a processor's stream hook, to find out whether it has changed anything. Text is
 * compared by part, however it is split into deltas; other chunks are compared by content. Holding a chunk back and
 * emitting it later is not a change. Chunks that pass immediately are not stored.
 */
export class ChunkLedger {
  readonly #record: HookRecord
  readonly #log: ChangeLog | undefined
  /** Text that is held back, by part. */
  readonly #texts = new Map<string, TextQueue>()
  /** Other chunks that are held back, in order, with a copy from before the hook. */
  readonly #chunks = new Map<Chunk, unknown>()
  /** Parts whose text differs. From then on both texts are collected, if there are listeners. */
  readonly #differences = new Map<string, Difference>()
  #isDone = false
  /** Whether something is held back. If not, unchanged chunks need not be compared. */
  holds = false

  constructor(record: HookRecord, log: ChangeLog | undefined) {
    this.#record = record
    this.#log = log
  }

  /** Records that `out` was emitted for `chunk`. */
  settle(chunk: Chunk, out: readonly Chunk[]): void {
    this.exchange([chunk], out)
    if (isEnd(chunk, this.#record.hook)) this.close()
  }

  /** Records that one chunk was emitted in place of another. */
  replace(chunk: Chunk, other: Chunk): void {
    if (this.#isDone || (!this.holds && isSameText(chunk, other))) return
    this.settle(chunk, [other])
  }

  /** Records the input and output since the last call. */
  exchange(came: readonly Chunk[], out: readonly Chunk[]): void {
    if (this.#isDone) return
    for (const one of came) this.#addInput(one)
    for (const one of out) this.#addOutput(one)
    this.holds =
      !this.#isDone && (this.#chunks.size > 0 || this.#texts.size > 0 || this.#differences.size > 0)
    if (this.#texts.size > 0 || this.#chunks.size > 0) this.#record.held = true
  }

  /** Adds input. Text and chunks held back for a discarded step are dropped. */
  #addInput(chunk: Chunk): void {
    if (chunk.type === 'step-discarded') {
      this.#texts.clear()
      this.#chunks.clear()
    }
    const key = keyOf(chunk)
    if (key === undefined) {
      this.#chunks.set(chunk, copyOfChunk(chunk))
      return
    }
    const text = textIn(chunk) ?? ''
    if (text === '') return
    const difference = this.#differences.get(key)
    if (difference) {
      difference.before = this.#collect(difference.before, text)
      return
    }
    let queue = this.#texts.get(key)
    if (!queue) {
      queue = new TextQueue()
      this.#texts.set(key, queue)
    }
    queue.push(text)
  }

  #addOutput(chunk: Chunk): void {
    const key = keyOf(chunk)
    if (key === undefined) {
      this.#giveOutChunk(chunk)
      return
    }
    const text = textIn(chunk) ?? ''
    if (text === '') return
    const difference = this.#differences.get(key)
    if (difference) {
      difference.after = this.#collect(difference.after, text)
      return
    }
    const queue = this.#texts.get(key)
    const taken = queue?.take(text) ?? 0
    if (queue?.length === 0) this.#texts.delete(key)
    if (taken === text.length) return
    this.#recordChange()
    if (!this.#log) return
    this.#texts.delete(key)
    this.#differences.set(key, { before: queue?.clear() ?? '', after: text.slice(taken) })
  }

  #giveOutChunk(chunk: Chunk): void {
    const replaced = this.#counterpart(chunk)
    const before = replaced && this.#chunks.get(replaced)
    if (replaced) this.#chunks.delete(replaced)
    if (before && isSame(before, chunk)) return
    this.#recordChange()
    this.#log?.recordChange(this.#record, { ...placeOf(chunk), before, after: chunk })
  }

  /**
   * The held chunk that this one corresponds to: the same object, or the first with equal content, or the first of
   * its type.
   */
  #counterpart(chunk: Chunk): Chunk | undefined {
    if (this.#chunks.has(chunk)) return chunk
    let first: Chunk | undefined
    let count = 0
    for (const [one, was] of this.#chunks) {
      if (++count > MAX_COMPARED) break
      if (one.type !== chunk.type) continue
      if (isSame(was, chunk)) return one
      first ??= one
    }
    return first
  }

  /** The end of the stream: what is still held back was dropped by the processor. */
  close(): void {
    if (this.#isDone) return
    for (const [key, queue] of this.#texts) {
      this.#recordChange()
      this.#log?.recordChange(this.#record, { ...placeOfKey(key), before: queue.clear(), after: '' })
    }
    for (const [chunk] of this.#chunks) {
      this.#recordChange()
      this.#log?.recordChange(this.#record, { ...placeOf(chunk), before: chunk, after: undefined })
    }
    for (const [key, { before, after }] of this.#differences) {
      this.#log?.recordChange(this.#record, { ...placeOfKey(key), before, after })
    }
    this.#texts.clear()
    this.#chunks.clear()
    this.#differences.clear()
    this.holds = false
  }

  /** Records a change. Without listeners, nothing is compared after the first change. */
  #recordChange(): void {
    this.#record.recordAction('changed')
    if (this.#log) return
    this.#isDone = true
    this.#texts.clear()
    this.#chunks.clear()
  }

  #collect(collected: string, text: string): string {
    return collected.length > (this.#log?.maxCharacters ?? 0) ? collected : collected + text
  }
}

/** The key of the part that a delta belongs to; `undefined` for other chunks. */
function keyOf(chunk: Chunk): string | undefined {
  switch (chunk.type) {
    case 'text-delta':
      // Text deltas are the most frequent, so their key is the id itself.
      return chunk.id
    case 'reasoning-delta':
      return `${REASONING}${chunk.id}`
    case 'tool-input-delta':
      return `${TOOL_INPUT}${chunk.toolCallId}`
    default:
      return undefined
  }
}

/** The text of a delta. Deltas are frequent, so only their text is compared. */
export function textIn(chunk: Chunk): string | undefined {
  if (chunk.type === 'text-delta' || chunk.type === 'reasoning-delta') return chunk.textDelta
  return chunk.type === 'tool-input-delta' ? chunk.inputTextDelta : undefined
}

function isSameText(a: Chunk, b: Chunk): boolean {
  return a.type === 'text-delta' && b.type === a.type && a.textDelta === b.textDelta && a.id === b.id
}

/** The input text of the part that a delta belongs to. */
export function textOfPart(delta: Chunk, chunks: readonly Chunk[]): string {
  const key = keyOf(delta)
  return chunks.map((chunk) => (keyOf(chunk) === key ? (textIn(chunk) ?? '') : '')).join('')
}

function placeOfKey(key: string): { partId: string } | { toolCallId: string } {
  if (key.startsWith(TOOL_INPUT)) return { toolCallId: key.slice(TOOL_INPUT.length) }
  return { partId: key.startsWith(REASONING) ? key.slice(REASONING.length) : key }
}

export function placeOf(chunk: Chunk): { partId?: string; toolCallId?: string } {
  if ('toolCallId' in chunk && chunk.toolCallId !== undefined) return { toolCallId: chunk.toolCallId }
  return 'id' in chunk && chunk.id !== undefined ? { partId: chunk.id } : {}
}

/**
 * A copy to compare with later. The object of an `object-delta` is kept by reference: it grows with every chunk, so
 * copying it would take quadratic time.
 */
export function copyOfChunk(chunk: Chunk): unknown {
  return chunk.type === 'object-delta' ? { ...chunk } : snapshotOf(chunk)
}

/** Whether this is the last chunk that the hook receives, of the step or of the run. */
function isEnd({ type }: Chunk, hook: HookName): boolean {
  return (
    (type === 'step-finish' && HOOKS[hook].inSteps) ||
    type === 'finish' ||
    type === 'tripwire' ||
    type === 'suspended' ||
    type === 'abort' ||
    type === 'error'
  )
}
