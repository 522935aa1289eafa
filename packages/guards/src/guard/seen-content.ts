import type { ValuePlace } from './message-text.ts'
import type { Task } from './task.ts'
import { textKey, valueKey } from './value-hash.ts'

/** The fields of a tool call whose values are remembered per call: its input and its result. */
const SLOTS: Readonly<Record<string, 'input' | 'result'>> = {
  input: 'input',
  output: 'result',
  error: 'result',
  errorText: 'result',
  reason: 'result',
}

/**
 * Remembers what was inspected in this run, after treatment. Values are compared by hash, since hooks get copies and
 * may edit them.
 */
export class SeenContent {
  /** The hashes of inputs and results, by tool call id. */
  readonly #calls = new Map<string, { input?: string; result?: string }>()
  readonly #hashes = new Set<string>()
  /** The last text and its hash: the same text is often looked up and then recorded. */
  #last: { readonly text: string; readonly key: string } | undefined

  /** Registers a call of this run. */
  beginCall(toolCallId: string): void {
    if (!this.#calls.has(toolCallId)) this.#calls.set(toolCallId, {})
  }

  /** Whether a call was made in this run. */
  isOwnCall(toolCallId: string): boolean {
    return this.#calls.has(toolCallId)
  }

  /** Whether this value of a call has been inspected. */
  *hasCallValue(value: unknown, at: ValuePlace): Task<boolean> {
    const slot = slotOf(at)
    const call = at.toolCallId === undefined ? undefined : this.#calls.get(at.toolCallId)
    const known = slot && call?.[slot]
    return known !== undefined && known === (yield* valueKey(value))
  }

  /**
   * Whether a value has been inspected. Inputs and results of a call must match those of the same call; all other
   * values match anywhere.
   */
  *has(value: unknown, at: ValuePlace): Task<boolean> {
    if (slotOf(at)) return yield* this.hasCallValue(value, at)
    const key = yield* valueKey(value)
    return key !== undefined && this.#hashes.has(key)
  }

  *record(value: unknown, at: ValuePlace): Task<void> {
    const slot = slotOf(at)
    const key = yield* valueKey(value)
    if (key === undefined) return
    if (slot === undefined || at.toolCallId === undefined) {
      this.#hashes.add(key)
      return
    }
    this.beginCall(at.toolCallId)
    const call = this.#calls.get(at.toolCallId)
    if (call) call[slot] = key
  }

  /** Whether a text has been inspected. */
  *hasText(text: string): Task<boolean> {
    return this.#hashes.has(yield* this.#keyOf(text))
  }

  *recordText(text: string): Task<void> {
    this.#hashes.add(yield* this.#keyOf(text))
  }

  /** Records a text by its hash. */
  recordHash(key: string): void {
    this.#hashes.add(key)
  }

  *#keyOf(text: string): Task<string> {
    if (text === this.#last?.text) return this.#last.key
    const key = yield* textKey(text)
    this.#last = { text, key }
    return key
  }
}

function slotOf({ field, toolCallId }: ValuePlace): 'input' | 'result' | undefined {
  return toolCallId === undefined ? undefined : SLOTS[field]
}
