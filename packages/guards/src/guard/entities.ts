import { MillraceError } from '@millrace/core'
import type { Detection } from '../scanner/recognizer.ts'

/** A finding that no pattern could describe, such as a name, with its position in a text. */
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
 * Finds entities in a whole text; it may call a model. Called once for every distinct text of a run that has a letter
 * or a digit: the text of every message and step, each of several parts of a message, every string of a tool's input
 * and result, and the end of one text of a role together with the beginning of its next text. `abortSignal` fires when
 * the run is over. An error it throws fails the run.
 */
export type EntityFinder = (args: {
  text: string
  abortSignal: AbortSignal
}) => readonly Entity[] | Promise<readonly Entity[]>

/** The maximum number of texts that are checked at the same time. */
const AT_ONCE = 10

/** What the finder found in the texts of one run. */
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

  /** The entities of a text that was already checked. */
  in(text: string): readonly Detection[] {
    if (isBlank(text)) return []
    const known = this.#known.get(text)
    if (known) return known
    throw new MillraceError(
      'PROCESSOR_FAILED',
      `'${this.#id}' did not pass a text of ${text.length} UTF-16 units to its entities function. This is a bug in the guard: please report it.`,
    )
  }

  /** The texts that were not checked yet. */
  unknownOf(texts: readonly string[]): string[] {
    return [...new Set(texts)].filter((text) => !this.#known.has(text) && !isBlank(text))
  }

  /** Runs the finder on the texts. */
  async findIn(texts: readonly string[], abortSignal: AbortSignal): Promise<void> {
    const waiting = texts.values()
    const work = async (): Promise<void> => {
      for (const text of waiting) {
        const entities = await this.#find({ text, abortSignal })
        this.#known.set(text, this.#detections(entities, text))
      }
    }
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, texts.length) }, work))
  }

  /** Marks texts as checked, with no findings. */
  markChecked(texts: readonly string[]): void {
    for (const text of texts) this.#known.set(text, [])
  }

  #detections(entities: readonly Entity[], { length }: string): Detection[] {
    if (!Array.isArray(entities)) {
      throw this.#invalid(`a value of type ${typeof entities}`, 'Return an array of entities')
    }
    return (entities as readonly Entity[]).flatMap(({ type, start, end, score = 1 }) => {
      const isPlace = Number.isInteger(start) && Number.isInteger(end) && 0 <= start && start < end
      if (!isPlace || end > length) {
        throw this.#invalid(
          `an entity with start ${start} and end ${end} in a text of ${length} UTF-16 units`,
          `Return integers with 0 <= start < end <= ${length}`,
        )
      }
      if (typeof type !== 'string' || type === '') {
        throw this.#invalid('an entity without a type', "Return a type, such as 'name'")
      }
      if (!(score >= 0 && score <= 1))
        throw this.#invalid(`an entity with score ${score}`, 'Return a score from 0 to 1')
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

/** Whether nothing could be found in the text: no letters or digits, apart from the literals of JSON. */
export function isBlank(text: string): boolean {
  return !/[\p{L}\p{N}]/u.test(text.replace(/\b(?:true|false|null)\b/g, ''))
}
