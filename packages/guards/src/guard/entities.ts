import { MillraceError } from '@millrace/core'
import type { Detection } from '../scanner/recognizer.ts'

/** What has no form a recogniser could describe, such as a name, at a place of a text. */
export interface Entity {
  /** Such as `name`. */
  readonly type: string
  /** In UTF-16 units, as JavaScript counts. */
  readonly start: number
  readonly end: number
  /** From 0 to 1. Default: 1. */
  readonly score?: number
}

/**
 * Finds entities in a whole text; it may ask a model. Called once for every distinct text of a run with a letter or a
 * digit in it: the text of every message and step, each of several parts of a message, every string of a tool's input and
 * result, and the end of what a role has said with the beginning of what it says next. `abortSignal` fires when the run is over. What it throws fails the run.
 */
export type EntityFinder = (args: {
  text: string
  abortSignal: AbortSignal
}) => readonly Entity[] | Promise<readonly Entity[]>

/** How many texts are asked about at the same time. */
const AT_ONCE = 10

/** What a finder says of the texts of one run. */
export class KnownEntities {
  readonly #find: EntityFinder
  readonly #id: string
  readonly #threshold: number
  readonly #known = new Map<string, readonly Detection[]>()

  constructor(find: EntityFinder, { id, threshold }: { id: string; threshold: number }) {
    this.#find = find
    this.#id = id
    this.#threshold = threshold
  }

  /** What was found in a text that was looked at before. */
  in(text: string): readonly Detection[] {
    if (isBlank(text)) return []
    const known = this.#known.get(text)
    if (known) return known
    throw new MillraceError(
      'PROCESSOR_FAILED',
      `'${this.#id}' met a text of ${text.length} characters that its entities function was never asked about. This is a bug in the guard: please report it.`,
    )
  }

  /** Those of the texts that are yet to be looked at. */
  unknownOf(texts: readonly string[]): string[] {
    return [...new Set(texts)].filter((text) => !this.#known.has(text) && !isBlank(text))
  }

  /** Looks at texts. */
  async look(texts: readonly string[], abortSignal: AbortSignal): Promise<void> {
    const waiting = texts.values()
    const work = async (): Promise<void> => {
      for (const text of waiting) {
        const entities = await this.#find({ text, abortSignal })
        this.#known.set(text, this.#detections(entities, text))
      }
    }
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, texts.length) }, work))
  }

  /** Lets texts pass without having been looked at. */
  pass(texts: readonly string[]): void {
    for (const text of texts) this.#known.set(text, [])
  }

  #detections(entities: readonly Entity[], { length }: string): Detection[] {
    if (!Array.isArray(entities)) throw this.#invalid('something that is no list', 'Return a list')
    return (entities as readonly Entity[]).flatMap(({ type, start, end, score = 1 }) => {
      const isPlace = Number.isInteger(start) && Number.isInteger(end) && 0 <= start && start < end
      if (!isPlace || end > length) {
        throw this.#invalid(
          `start ${start} and end ${end} in a text of ${length} UTF-16 units`,
          'Return whole numbers, start from 0 on and before end, end at most the length of the text',
        )
      }
      if (typeof type !== 'string' || type === '') {
        throw this.#invalid('a finding without a type', "Return a type, such as 'name'")
      }
      if (!(score >= 0 && score <= 1)) throw this.#invalid(`score ${score}`, 'Return a score from 0 to 1')
      return score > 0 && score >= this.#threshold
        ? [{ type, start, end, score, recognizer: 'entities' }]
        : []
    })
  }

  #invalid(what: string, remedy: string): MillraceError {
    return new MillraceError(
      'PROCESSOR_RESULT_INVALID',
      `entities of '${this.#id}' returned ${what}. ${remedy}.`,
    )
  }
}

/** Nothing in it could be found: neither letters nor digits, but for what JSON writes between its strings. */
export function isBlank(text: string): boolean {
  return !/[\p{L}\p{N}]/u.test(text.replace(/\b(?:true|false|null)\b/g, ''))
}
