import type { OutputEntry } from '../results/agent-events.ts'
import type { Chunk } from '../results/chunk.ts'
import type { ChunkLog } from '../run/run-observer.ts'
import { boundedCopy, boundedText } from './bounded-copy.ts'

/** Interval between events in milliseconds. */
const INTERVAL = 25
/** Maximum number of entries in one event. */
const MAX_ENTRIES = 1_000

type Delta = Extract<Chunk, { type: 'text-delta' | 'reasoning-delta' }>

/** The merged deltas of one part since the last event. */
interface Joined {
  at: number
  chunk: Delta
  text: string
  sizes: number[]
}

/** Collects emitted chunks and emits them at intervals. A delta costs one string concatenation. */
export class RunOutput implements ChunkLog {
  readonly #emit: (entries: OutputEntry[]) => void
  #waiting: (OutputEntry | Joined)[] = []
  /** The entry that the next delta may be merged into. */
  #joined: Joined | undefined
  /** The entries of preliminary results, by call id. */
  readonly #preliminary = new Map<string, OutputEntry>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(emit: (entries: OutputEntry[]) => void) {
    this.#emit = emit
  }

  add(chunk: Chunk): void {
    if (chunk.type === 'text-delta' || chunk.type === 'reasoning-delta') this.#addDelta(chunk)
    else this.#addOther(chunk)
    if (this.#waiting.length >= MAX_ENTRIES) this.flush()
  }

  /** Emits the collected entries. */
  flush(): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#joined = undefined
    this.#preliminary.clear()
    const entries = this.#waiting.map((entry) =>
      'sizes' in entry && 'text' in entry ? joined(entry) : entry,
    )
    this.#waiting = []
    this.#emit(entries)
  }

  #addDelta(chunk: Delta): void {
    const { textDelta } = chunk
    const last = this.#joined
    if (last && last.chunk.id === chunk.id && last.chunk.type === chunk.type) {
      last.text += textDelta
      last.sizes.push(textDelta.length)
      return
    }
    this.#joined = { at: now(), chunk, text: textDelta, sizes: [textDelta.length] }
    this.#wait(this.#joined)
  }

  #addOther(chunk: Chunk): void {
    this.#joined = undefined
    // The object is left out: it grows with every chunk, so copying would take quadratic time.
    const kept = chunk.type === 'object-delta' ? { ...chunk, object: undefined } : boundedCopy(chunk)
    const entry = { at: now(), chunk: kept }
    if (chunk.type !== 'tool-result' || !chunk.preliminary) {
      this.#wait(entry)
      return
    }
    const before = this.#preliminary.get(chunk.toolCallId)
    if (before) Object.assign(before, entry)
    else {
      this.#preliminary.set(chunk.toolCallId, entry)
      this.#wait(entry)
    }
  }

  #wait(entry: OutputEntry | Joined): void {
    this.#waiting.push(entry)
    this.#timer ??= setTimeout(() => this.flush(), INTERVAL)
  }
}

function joined({ at, chunk: { type, id }, text, sizes }: Joined): OutputEntry {
  const chunk = { type, id, textDelta: boundedText(text) }
  return sizes.length === 1 ? { at, chunk } : { at, chunk, sizes }
}

function now(): number {
  return performance.timeOrigin + performance.now()
}
