import { type Message, textOfParts } from '@millrace/core'
import type { Task } from '../guard/task.ts'
import { placesIn, type Secret } from './leak-scan.ts'
import { PhraseIndex } from './phrase-index.ts'

/** The minimum number of consecutive words that count as a leak. */
const LEAST_WORDS = 8

/** The number of indexes that are cached. */
const MOST_KEPT = 8

/** Caches indexes by their text. Most runs of an agent have the same instructions. */
export class InstructionIndexes {
  readonly #indexes = new Map<string, PhraseIndex>()

  of(text: string): PhraseIndex {
    const index = this.#indexes.get(text) ?? new PhraseIndex(text, { leastWords: LEAST_WORDS })
    this.#indexes.delete(text)
    this.#indexes.set(text, index)
    if (this.#indexes.size > MOST_KEPT) this.#indexes.delete(this.#indexes.keys().next().value as string)
    return index
  }
}

/**
 * The instructions of one run: the texts that must not leak, and the phrases in them that may be repeated because they
 * occur in the user's messages or in the option `allow`.
 */
export class RunInstructions {
  readonly #indexes: InstructionIndexes
  readonly #allow: readonly string[]
  #text: string | undefined
  #allowed = new Set<number>()
  /** Ids of the user's messages that are already read. */
  readonly #seen = new Set<string>()
  secrets: readonly Secret[] = []

  constructor(indexes: InstructionIndexes, allow: readonly string[]) {
    this.#indexes = indexes
    this.#allow = allow
  }

  /** Sets the instructions of the next model call. */
  *learn(texts: readonly string[], canaries: readonly string[]): Task<void> {
    const text = [...texts, ...canaries].join('\n')
    if (text === this.#text) return
    this.#text = text
    this.#seen.clear()
    this.#allowed = new Set()
    const index = this.#indexes.of(texts.join('\n'))
    const secrets: Secret[] = []
    if (!index.isEmpty) secrets.push({ type: 'system_prompt', index, allowed: this.#allowed })
    if (canaries.length > 0) {
      const words = new PhraseIndex(canaries.join('\n'), { leastWords: 1, withinWords: true })
      if (!words.isEmpty) secrets.push({ type: 'canary', index: words, allowed: NONE })
    }
    this.secrets = secrets
    for (const allowed of this.#allow) yield* this.#permit(allowed)
  }

  /** Permits phrases that occur in the user's messages. */
  *hear(messages: readonly Message[]): Task<void> {
    for (const { id, role, content } of messages) {
      if (role !== 'user' || this.#seen.has(id)) continue
      this.#seen.add(id)
      yield* this.#permit(textOfParts(content.parts))
    }
  }

  *#permit(text: string): Task<void> {
    const secret = this.secrets.find(({ type }) => type === 'system_prompt')
    if (secret) for (const place of yield* placesIn(text, secret.index)) this.#allowed.add(place)
  }
}

const NONE: ReadonlySet<number> = new Set()
