import { HOOKS, type HookName } from '../hook-name.ts'
import type { Chunk } from '../results/chunk.ts'
import type { ChangeLog } from './change-log.ts'
import type { HookRecord } from './hook-record.ts'
import { isSame, snapshotOf } from './snapshot-of.ts'
import { TextQueue } from './text-queue.ts'

/** Chunks held back that one is compared with. */
const MOST_COMPARED = 100

/** What the keys of other parts than text begin with. */
const REASONING = '\0reasoning '
const TOOL_INPUT = '\0tool-input '

type TextDelta = Extract<Chunk, { type: 'text-delta' }>

/** Text that a part has come to differ in. */
interface Difference {
  before: string
  after: string
}

/**
 * What went into a processor's stream hook against what came out. Text is compared part by part, however it is cut, and
 * any other chunk by what it says: a processor that holds something back and emits it later has changed nothing. What
 * passes at once is not written down.
 */
export class ChunkLedger {
  readonly #record: HookRecord
  readonly #log: ChangeLog | undefined
  /** Text that was held back, by part. */
  readonly #texts = new Map<string, TextQueue>()
  /** Other chunks that were held back, in order, as they were. */
  readonly #chunks = new Map<Chunk, unknown>()
  /** Parts whose text differs: from then on both texts are collected, where there are listeners. */
  readonly #differences = new Map<string, Difference>()
  #isDone = false
  /** Whether something was held back: only then must be compared what passes unchanged. */
  holds = false

  constructor(record: HookRecord, log: ChangeLog | undefined) {
    this.#record = record
    this.#log = log
  }

  /** Records the result for a chunk: `out` was emitted in its place. */
  settle(chunk: Chunk, out: readonly Chunk[]): void {
    this.exchange([chunk], out)
    if (isEnd(chunk, this.#record.hook)) this.close()
  }

  /** Records that one chunk was emitted in the place of another. */
  replace(chunk: Chunk, other: Chunk): void {
    if (this.#isDone || (!this.holds && isSameText(chunk, other))) return
    this.settle(chunk, [other])
  }

  /**
   * Records that a delta of text came in and the one held before it, of the same part, was emitted unchanged. Returns
   * false, and records nothing, if other text is held too.
   */
  exchangeText(came: TextDelta, out: TextDelta): boolean {
    if (this.#isDone) return true
    return came.id === out.id && this.#texts.get(came.id)?.exchange(came.textDelta, out.textDelta) === true
  }

  /** Records what came in, and what was emitted since the last call. */
  exchange(came: readonly Chunk[], out: readonly Chunk[]): void {
    if (this.#isDone) return
    for (const one of came) this.#takeIn(one)
    for (const one of out) this.#giveOut(one)
    this.holds =
      !this.#isDone && (this.#chunks.size > 0 || this.#texts.size > 0 || this.#differences.size > 0)
    if (this.#texts.size > 0 || this.#chunks.size > 0) this.#record.held = true
  }

  /** What was held back for a discarded step does not count. */
  #takeIn(chunk: Chunk): void {
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

  #giveOut(chunk: Chunk): void {
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

  /** The chunk that this one is, or stands for: itself, or the first that says the same, or is of its kind. */
  #counterpart(chunk: Chunk): Chunk | undefined {
    if (this.#chunks.has(chunk)) return chunk
    let first: Chunk | undefined
    let count = 0
    for (const [one, was] of this.#chunks) {
      if (++count > MOST_COMPARED) break
      if (one.type !== chunk.type) continue
      if (isSame(was, chunk)) return one
      first ??= one
    }
    return first
  }

  /** Nothing more is to come: what has not gone out by now was dropped. */
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

  /** What is known to have been changed is not compared any further, unless there are listeners for it. */
  #recordChange(): void {
    this.#record.recordAction('changed')
    if (this.#log) return
    this.#isDone = true
    this.#texts.clear()
    this.#chunks.clear()
  }

  #collect(collected: string, text: string): string {
    return collected.length > (this.#log?.mostCharacters ?? 0) ? collected : collected + text
  }
}

/** The part whose text a chunk carries, if it does. */
function keyOf(chunk: Chunk): string | undefined {
  switch (chunk.type) {
    case 'text-delta':
      // Most are of text: its key is no string to be made.
      return chunk.id
    case 'reasoning-delta':
      return `${REASONING}${chunk.id}`
    case 'tool-input-delta':
      return `${TOOL_INPUT}${chunk.toolCallId}`
    default:
      return undefined
  }
}

/** The text of a delta. There are many of them, so nothing else of them is compared. */
export function textIn(chunk: Chunk): string | undefined {
  if (chunk.type === 'text-delta' || chunk.type === 'reasoning-delta') return chunk.textDelta
  return chunk.type === 'tool-input-delta' ? chunk.inputTextDelta : undefined
}

function isSameText(a: Chunk, b: Chunk): boolean {
  return a.type === 'text-delta' && b.type === a.type && a.textDelta === b.textDelta && a.id === b.id
}

/** The text of the part that a delta belongs to, as it came in. */
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
 * As it is, for a comparison later. An object that grows from chunk to chunk is kept by reference: to copy it each time
 * would cost more with every chunk.
 */
export function copyOfChunk(chunk: Chunk): unknown {
  return chunk.type === 'object-delta' ? { ...chunk } : snapshotOf(chunk)
}

/** The chunks behind which nothing comes for the hook any more: nothing of the step, or else nothing of the run. */
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
