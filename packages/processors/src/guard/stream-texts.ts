import type { AbortOrRetry, ChunkType, MessagePart } from '@millrace/core'
import type { Surface } from './options.ts'
import type { OpenText, TextCheck } from './text-check.ts'
import { hashOf, TextHash } from './text-hash.ts'
import type { GuardSettings, Place } from './treatment.ts'

/** A piece of a text. */
export type Delta = Extract<ChunkType, { type: 'text-delta' | 'reasoning-delta' | 'tool-input-delta' }>
/** The end of a text. */
export type End = Extract<ChunkType, { type: 'text-end' | 'reasoning-end' | 'tool-input-end' }>

interface Open {
  readonly text: OpenText
  readonly place: Place
  readonly hash: TextHash
}

/** The texts of a run that arrive in pieces, and what is known of all that has passed. */
export class StreamTexts {
  readonly #settings: GuardSettings
  readonly #check: TextCheck
  readonly #open = new Map<string, Open>()
  /** Texts that have passed, as they were left. */
  readonly #passed = new Set<string>()
  /** Beginnings of parts that are to be removed. */
  readonly #removed = new Set<string>()
  /** Something was found in this stream. */
  found = false

  constructor(settings: GuardSettings, check: TextCheck) {
    this.#settings = settings
    this.#check = check
  }

  /** A new stream begins. */
  begin(): void {
    this.#open.clear()
    this.found = false
  }

  /** Takes a piece. `json` is `undefined` where only the text's beginning can tell. */
  delta(
    part: Delta,
    { surface, json, abort }: { surface: Surface; json: boolean | undefined; abort: AbortOrRetry },
  ): Delta | null {
    const { surfaces, strategy } = this.#settings
    const isInput = part.type === 'tool-input-delta'
    // The input comes again as a whole, in the call.
    if (!surfaces.has(surface) || (isInput && !this.#check.treatment.replacement)) return part
    const key = keyOf(part)
    let open = this.#open.get(key)
    if (!open) {
      const place: Place = isInput
        ? { surface, abort, toolCallId: part.toolCallId, silent: strategy !== 'block', found: false }
        : { surface, abort, found: false }
      const stopsAtMatch = strategy === 'filter' && !isInput
      open = { text: this.#check.open(place, { json, stopsAtMatch }), place, hash: new TextHash() }
      this.#open.set(key, open)
    }
    const piece = isInput ? part.inputTextDelta : part.textDelta
    const left = open.text.push(piece)
    open.hash.add(left)
    this.found ||= open.place.found
    if (left === piece) return part
    if (left === '' && !part.providerMetadata) return null
    return isInput ? { ...part, inputTextDelta: left } : { ...part, textDelta: left }
  }

  /** Ends a text. What was held of it comes before its end. */
  end(part: End): ChunkType | readonly ChunkType[] {
    const key = keyOf(part)
    const open = this.#open.get(key)
    if (!open) return part
    this.#open.delete(key)
    const { text, place, hash } = open
    const tail = text.end()
    this.found ||= place.found
    hash.add(tail)
    this.#passed.add(hash.key)
    if (this.#check.treatment.removes(place)) this.#removed.add(hash.key)
    return tail === '' ? part : [deltaBefore(part, tail), part]
  }

  /** Notes a text that has passed as a whole, as it was left. */
  note(text: string): void {
    this.#passed.add(hashOf(text))
  }

  hasPassed(text: string): boolean {
    return this.#passed.has(hashOf(text))
  }

  /** Removes the parts in which something was found, of which the beginning had already passed. */
  remove(parts: MessagePart[]): void {
    if (this.#removed.size === 0) return
    for (let index = parts.length - 1; index >= 0; index--) {
      const part = parts[index] as MessagePart
      if ((part.type === 'text' || part.type === 'reasoning') && this.#removed.has(hashOf(part.text))) {
        parts.splice(index, 1)
      }
    }
    this.#removed.clear()
  }
}

/** What the pieces of a text and its end have in common. */
export function keyOf(part: Delta | End): string {
  const id = 'toolCallId' in part ? part.toolCallId : part.id
  return `${part.type.slice(0, part.type.lastIndexOf('-'))} ${id}`
}

/** A piece of the text that ends here. */
export function deltaBefore(end: End, text: string): Delta {
  if (end.type === 'tool-input-end') {
    return { type: 'tool-input-delta', toolCallId: end.toolCallId, inputTextDelta: text }
  }
  return { type: end.type === 'text-end' ? 'text-delta' : 'reasoning-delta', id: end.id, textDelta: text }
}
