import type { ValuePlace } from './message-text.ts'
import { hashOf } from './text-hash.ts'

/** By what a call's own values are known again: what it got, and what came of it. */
const SLOTS: Readonly<Record<string, 'input' | 'result'>> = {
  input: 'input',
  output: 'result',
  error: 'result',
  errorText: 'result',
  reason: 'result',
}

/** What of this run has been inspected, as it was left. */
export class Seen {
  /** What calls got and gave. */
  readonly #calls = new Map<string, { input?: unknown; result?: unknown }>()
  readonly #hashes = new Set<string>()

  /** A call of this run, of which nothing need be known yet. */
  begin(toolCallId: string): void {
    if (!this.#calls.has(toolCallId)) this.#calls.set(toolCallId, {})
  }

  /** Whether a call was made in this run. */
  isOwn(toolCallId: string): boolean {
    return this.#calls.has(toolCallId)
  }

  /** Whether this very value of a call has been inspected. */
  isOfCall(value: unknown, at: ValuePlace): boolean {
    const call = at.toolCallId === undefined ? undefined : this.#calls.get(at.toolCallId)
    const slot = slotOf(at)
    return call !== undefined && slot !== undefined && slot in call && call[slot] === value
  }

  /** Whether what reads like this has been inspected, or, of a call, this very value. */
  has(value: unknown, at: ValuePlace): boolean {
    if (slotOf(at)) return this.isOfCall(value, at)
    const text = textOf(value)
    return text !== undefined && this.#hashes.has(hashOf(text))
  }

  note(value: unknown, at: ValuePlace): void {
    const slot = slotOf(at)
    if (slot === undefined || at.toolCallId === undefined) {
      const text = textOf(value)
      if (text !== undefined) this.#hashes.add(hashOf(text))
      return
    }
    this.begin(at.toolCallId)
    const call = this.#calls.get(at.toolCallId)
    if (call) call[slot] = value
  }

  /** Whether a text with this hash has been inspected. */
  hasText(hash: string): boolean {
    return this.#hashes.has(hash)
  }

  noteText(hash: string): void {
    this.#hashes.add(hash)
  }
}

function slotOf({ field, toolCallId }: ValuePlace): 'input' | 'result' | undefined {
  return toolCallId === undefined ? undefined : SLOTS[field]
}

/** `undefined` for what is no JSON: it is inspected each time. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
