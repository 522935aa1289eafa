import { atOnce, type Task } from '../guard/task.ts'
import type { Prototype } from '../unicode-normalizer/look-alikes.ts'
import type { Classifier, TextKind } from './classifier/classifier.ts'
import type { Sign, SignHit } from './layers/layer.ts'
import { type Reading, readInSteps } from './layers/read.ts'
import { decodings, type Encoding } from './text/decode.ts'

/** What speaks for an attack. */
export interface Evidence {
  /** Which layer says so: one that looks for a sign, `classifier`, `custom`, or `encoding`. */
  readonly layer: Exclude<Sign, 'quotation' | 'subject'> | 'classifier' | 'custom'
  /** In UTF-16 units of the text. */
  readonly start: number
  readonly end: number
  /** How the passage was encoded, from the outside in. */
  readonly encodings?: readonly Encoding[]
}

/** How much a text is like an attack. Never the text itself. */
export interface InjectionScore {
  /** From 0 to 1. */
  readonly score: number
  readonly start: number
  readonly end: number
  readonly evidence: readonly Evidence[]
}

/** A pattern of your own, and the score of a text it matches. */
export interface InjectionPattern {
  readonly pattern: RegExp
  /** From 0 to 1. Default: 1. */
  readonly score?: number
}

export interface ScorerOptions {
  readonly classifier: Classifier
  readonly prototypeOf: Prototype
  readonly custom?: (text: string) => readonly { start: number; end: number; score: number }[]
  /** How often what was decoded is decoded again. Default: 3. */
  readonly depth?: number
}

/** What is the same for a text and all that is decoded of it. */
interface Reach {
  readonly kind: TextKind
  readonly budget: { left: number }
}

/** Decoding stops when it has made this many UTF-16 units, or twice the text. */
const LEAST_BUDGET = 16_384

/** Nothing at all speaks for an attack. */
const NOTHING: InjectionScore = { score: 0, start: 0, end: 0, evidence: [] }

/** Scores texts by all layers together. Made once, it serves any number of texts. */
export class InjectionScorer {
  readonly #options: ScorerOptions

  constructor(options: ScorerOptions) {
    this.#options = options
  }

  score(text: string, kind: TextKind = 'prompt'): InjectionScore {
    return atOnce(this.steps(text, kind))
  }

  /** The same, in steps between which other work may go first. */
  steps(text: string, kind: TextKind): Task<InjectionScore> {
    const budget = { left: Math.max(LEAST_BUDGET, 2 * text.length) }
    return this.#score(text, [], { kind, budget })
  }

  *#score(text: string, encodings: readonly Encoding[], reach: Reach): Task<InjectionScore> {
    const { kind, budget } = reach
    const { prototypeOf, custom, depth = 3 } = this.#options
    const reading = yield* readInSteps(text, prototypeOf)
    if (reading.words.length === 0 && text.trim() === '') return NOTHING
    let best = this.#plain(reading, encodings, kind)
    yield text.length / 2
    for (const { start, end, score } of custom?.(text) ?? []) {
      if (score <= best.score) continue
      best = { score, start, end, evidence: [...best.evidence, { layer: 'custom', start, end }] }
    }
    if (encodings.length >= depth) return best
    for (const { encoding, text: decoded, start, end } of decodings(reading)) {
      if (decoded.length > budget.left) break
      budget.left -= decoded.length
      const path = [...encodings, encoding]
      const inner = yield* this.#score(decoded, path, reach)
      if (inner.score <= best.score) continue
      const evidence = inner.evidence.map((each) => ({
        ...each,
        start,
        end,
        encodings: each.encodings ?? path,
      }))
      best = { score: inner.score, start, end, evidence }
    }
    return best
  }

  #plain(reading: Reading, encodings: readonly Encoding[], kind: TextKind): InjectionScore {
    const { classifier } = this.#options
    const { words, starts, ends, begins, concepts } = reading
    const hits: SignHit[] = [...reading.hits]
    if (encodings.length > 0 && !encodings.every(isHarmless))
      hits.push({ sign: 'encoding', from: 0, to: words.length })
    const { value, from, to } = classifier.highest({ words, begins, concepts, hits }, kind)
    const score = words.length === 0 ? 0 : classifier.probability(value)
    const start = starts[from] ?? 0
    const end = ends[to - 1] ?? reading.text.length
    const evidence: Evidence[] = [{ layer: 'classifier', start, end }]
    for (const hit of hits) {
      if (hit.to <= from || hit.from >= to || hit.sign === 'quotation' || hit.sign === 'subject') continue
      const known = evidence.some(({ layer }) => layer === hit.sign)
      if (!known)
        evidence.push({ layer: hit.sign, start: starts[hit.from] ?? 0, end: ends[hit.to - 1] ?? end })
    }
    if (encodings.length === 0) return { score, start, end, evidence }
    return { score, start, end, evidence: evidence.map((each) => ({ ...each, encodings })) }
  }
}

/** Ways to write that ordinary documents use too. */
function isHarmless(encoding: Encoding): boolean {
  return encoding === 'percent' || encoding === 'entities' || encoding === 'escapes'
}
