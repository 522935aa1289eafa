import { atOnce, type Task } from '../guard/task.ts'
import { type WindowSize, windowsOf } from '../judge/windows.ts'
import type { Prototype } from '../unicode-normalizer/look-alikes.ts'
import type { Classifier, TextKind } from './classifier/classifier.ts'
import type { Sign, SignHit } from './layers/layer.ts'
import { type Reading, readInSteps } from './layers/read.ts'
import type { OwnClassifier } from './own-classifier.ts'
import { type Decoded, decodings, type Encoding } from './text/decode.ts'

/** Evidence of an attack. */
export interface Evidence {
  /** The layer that found it: one that looks for a sign, `classifier`, `custom`, or `encoding`. */
  readonly layer: Exclude<Sign, 'quotation' | 'subject'> | 'classifier' | 'custom'
  /** In UTF-16 units of the text. */
  readonly start: number
  readonly end: number
  /** The encodings of the passage, outermost first. */
  readonly encodings?: readonly Encoding[]
}

/** How much a text is like an attack. Never contains the text itself. */
export interface InjectionScore {
  /** From 0 to 1. */
  readonly score: number
  readonly start: number
  readonly end: number
  readonly evidence: readonly Evidence[]
}

/** A custom pattern, and the score of a text that matches it. */
export interface InjectionPattern {
  readonly pattern: RegExp
  /** From 0 to 1. Default: 1. */
  readonly score?: number
}

export interface ScorerOptions {
  readonly classifier: Classifier
  /** Replaces `classifier`. */
  readonly own?: OwnClassifier
  readonly prototypeOf: Prototype
  readonly custom?: (text: string) => readonly { start: number; end: number; score: number }[]
  /** How many nested encodings are decoded. Default: 3. */
  readonly depth?: number
}

/** The context of a score. */
export interface ScoreContext {
  readonly kind: TextKind
  /** The signal of the run, for a user's classifier. */
  readonly abortSignal: AbortSignal
}

/** State shared by a text and everything decoded from it. */
interface ScoreState extends ScoreContext {
  readonly budget: { remaining: number }
}

/** The part of a text with the highest score. */
interface Part {
  readonly score: number
  readonly start: number
  readonly end: number
}

/** The minimum number of UTF-16 units that may be decoded; for longer texts it is twice the text. */
const LEAST_BUDGET = 16_384

/** The window for a user's classifier: such models read about 512 tokens. */
const WINDOWS: WindowSize = { size: 1_600, overlap: 400 }

/** The maximum number of decoded passages passed to a user's classifier. */
const MOST_DECODED = 16

/** The signal of work that cannot be aborted. */
const NEVER = new AbortController().signal

/** A text without any evidence of an attack. */
const NOTHING: InjectionScore = { score: 0, start: 0, end: 0, evidence: [] }

/** Scores texts with all layers. One instance serves any number of texts. */
export class InjectionScorer {
  readonly #options: ScorerOptions

  constructor(options: ScorerOptions) {
    this.#options = options
  }

  score(text: string, kind: TextKind = 'prompt'): InjectionScore {
    return atOnce(this.steps(text, { kind, abortSignal: NEVER }))
  }

  /** Like `score`, in steps that yield to the event loop. */
  steps(text: string, context: ScoreContext): Task<InjectionScore> {
    const budget = { remaining: Math.max(LEAST_BUDGET, 2 * text.length) }
    return this.#score(text, [], { ...context, budget })
  }

  *#score(text: string, encodings: readonly Encoding[], state: ScoreState): Task<InjectionScore> {
    const { kind, budget, abortSignal } = state
    const { prototypeOf, custom, own, depth = 3 } = this.#options
    const reading = yield* readInSteps(text, prototypeOf)
    if (reading.words.length === 0 && text.trim() === '') return NOTHING
    let best = own
      ? withEvidence(reading, yield* highestOf(own, text, abortSignal), reading.hits, encodings)
      : this.#plain(reading, encodings, kind)
    yield text.length / 2
    for (const { start, end, score } of custom?.(text) ?? []) {
      if (score <= best.score) continue
      best = { score, start, end, evidence: [...best.evidence, { layer: 'custom', start, end }] }
    }
    if (encodings.length >= depth) return best
    for (const { encoding, text: decoded, start, end } of this.#decodings(reading)) {
      if (decoded.length > budget.remaining) break
      budget.remaining -= decoded.length
      const path = [...encodings, encoding]
      const inner = yield* this.#score(decoded, path, state)
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
    const score = words.length === 0 ? 0 : classifier.probability(value, kind)
    const part = { score, start: starts[from] ?? 0, end: ends[to - 1] ?? reading.text.length }
    return withEvidence(reading, part, hits, encodings)
  }

  #decodings(reading: Reading): readonly Decoded[] {
    const all = decodings(reading)
    return this.#options.own ? all.slice(0, MOST_DECODED) : all
  }
}

/** The window of a text that the user's classifier scores highest. */
function* highestOf(own: OwnClassifier, text: string, abortSignal: AbortSignal): Task<Part> {
  let best: Part = { score: 0, start: 0, end: text.length }
  for (const { text: next, before, start } of yield* windowsOf(text, WINDOWS)) {
    const score = yield* own.score(before + next, abortSignal)
    if (score > best.score) best = { score, start: start - before.length, end: start + next.length }
  }
  return best
}

/** A score, with the signs that were found in its part of the text. */
function withEvidence(
  { starts, ends }: Reading,
  { score, start, end }: Part,
  hits: readonly SignHit[],
  encodings: readonly Encoding[],
): InjectionScore {
  const evidence: Evidence[] = [{ layer: 'classifier', start, end }]
  for (const { sign, from, to } of hits) {
    const hitStart = starts[from] ?? 0
    const hitEnd = ends[to - 1] ?? end
    if (hitEnd <= start || hitStart >= end || sign === 'quotation' || sign === 'subject') continue
    if (!evidence.some(({ layer }) => layer === sign)) {
      evidence.push({ layer: sign, start: hitStart, end: hitEnd })
    }
  }
  if (encodings.length === 0) return { score, start, end, evidence }
  return { score, start, end, evidence: evidence.map((each) => ({ ...each, encodings })) }
}

/** Encodings that are common in ordinary documents. */
function isHarmless(encoding: Encoding): boolean {
  return encoding === 'percent' || encoding === 'entities' || encoding === 'escapes'
}
