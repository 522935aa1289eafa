import { SIGNS, type SignHit } from '../layers/layer.ts'
import { KnownWords } from '../text/known-words.ts'
import {
  forEachConceptFeature,
  forEachPiece,
  forEachWordFeature,
  hashWord,
  type RecentConcepts,
  type Words,
} from './features.ts'
import { type Window, windowsOf } from './windows.ts'

/** The role of a text: `prompt` is addressed to the model; `data` is a document, a tool result or a tool definition. */
export type TextKind = 'prompt' | 'data'

export const TEXT_KINDS: readonly TextKind[] = ['prompt', 'data']

/**
 * The result of training: one model for each kind of text, since an instruction that is an attack in a document may be
 * an ordinary request in a prompt.
 */
export type Weights = Readonly<Record<TextKind, KindWeights>>

/** A linear model over hashed features and the signs of the layers. */
export interface KindWeights {
  readonly buckets: Int8Array
  /** The values in `buckets`, in ascending order, apart from zero and from their sign. */
  readonly levels: readonly number[]
  /** The weight of one unit in `buckets`. */
  readonly scale: number
  readonly bias: number
  /** In the order of `SIGNS`. */
  readonly signs: readonly number[]
  /** A second model over the signs only, so that words that are common in harmless texts cannot outweigh the signs. */
  readonly alone: SignWeights
  /** Platt scaling, from the model's value to a probability: 1 / (1 + e^-(slope × value + offset)). */
  readonly slope: number
  readonly offset: number
}

interface SignWeights {
  readonly bias: number
  /** In the order of `SIGNS`. */
  readonly signs: readonly number[]
}

export interface Judged extends Words {
  readonly hits: readonly SignHit[]
}

export interface WindowScore {
  /** The value of the model, before it becomes a probability. */
  readonly value: number
  /** The window: `from` inclusive, `to` exclusive, in words. */
  readonly from: number
  readonly to: number
}

/**
 * Corrections of the highest window's value. `context`: the share of its distance from the mean of all windows that is
 * subtracted. A prompt that is ordinary nearly everywhere is ordinary, but an attack in a document is an attack
 * whatever surrounds it. `chance`: subtracted for each doubling of the number of windows, since the maximum of more
 * windows is higher by chance.
 */
const COUNTED: Readonly<Record<TextKind, { readonly context: number; readonly chance: number }>> = {
  prompt: { context: 0.4, chance: 0.2 },
  data: { context: 0, chance: 0.2 },
}

/** The threshold of the second model: from this value on, the signs alone are enough. */
const TELLING = 2

/** The maximum that the correction by `context` may subtract. */
const MOST_DISCOUNT = 3

/** The weight of a window's words, relative to their character n-grams. */
export const WORD_SHARE = 2

/** The weight of a window's concepts, relative to its character n-grams. */
export const CONCEPT_SHARE = 2

/** Scores a text by its highest-scoring window. */
export class Classifier {
  readonly #models: Readonly<Record<TextKind, KindModel>>

  constructor({ prompt, data }: Weights) {
    this.#models = { prompt: new KindModel(prompt, 'prompt'), data: new KindModel(data, 'data') }
  }

  /** A calibrated probability from 0 to 1: of texts that score 0.7, about 70 % are attacks. */
  probability(value: number, kind: TextKind = 'prompt'): number {
    return this.#models[kind].probability(value)
  }

  highest(judged: Judged, kind: TextKind = 'prompt'): WindowScore {
    return this.#models[kind].highest(judged)
  }
}

/** The model of one kind of text. */
class KindModel {
  readonly #weights: KindWeights
  readonly #kind: TextKind
  readonly #known = new KnownWords<OwnFeatures>()

  constructor(weights: KindWeights, kind: TextKind) {
    this.#weights = weights
    this.#kind = kind
  }

  probability(value: number): number {
    const { slope, offset } = this.#weights
    return 1 / (1 + Math.exp(-(slope * value + offset)))
  }

  highest(judged: Judged): WindowScore {
    const { context, chance } = COUNTED[this.#kind]
    const sums = this.#sums(judged)
    const signs = signCounts(judged, this.#kind)
    const windows = windowsOf(judged)
    const best = { value: Number.NEGATIVE_INFINITY, from: 0, to: judged.words.length }
    let total = 0
    for (const { from, to } of windows) {
      const value = this.#value(sums, signs, { from, to })
      total += value
      if (value > best.value) Object.assign(best, { value, from, to })
    }
    const count = Math.max(1, windows.length)
    const discount = Math.min(MOST_DISCOUNT, context * (best.value - total / count))
    const value = best.value - discount - chance * Math.log2(count)
    return { ...best, value }
  }

  #value(sums: Sums, signs: readonly (Uint32Array | undefined)[], { from, to }: Window): number {
    const { bias, scale, signs: signWeights, alone } = this.#weights
    const share = (total: Float64Array, count: Float64Array): number =>
      ((total[to] as number) - (total[from] as number)) /
      Math.sqrt(Math.max(1, (count[to] as number) - (count[from] as number)))
    let value = bias
    let ofSigns = alone.bias
    value +=
      scale *
      (WORD_SHARE * share(sums.words, sums.wordCounts) +
        CONCEPT_SHARE * share(sums.concepts, sums.conceptCounts) +
        share(sums.pieces, sums.pieceCounts))
    for (let sign = 0; sign < SIGNS.length; sign++) {
      const counts = signs[sign]
      if (!counts || (counts[to] as number) <= (counts[from] as number)) continue
      value += signWeights[sign] as number
      ofSigns += alone.signs[sign] as number
    }
    return ofSigns > TELLING ? Math.max(value, ofSigns) : value
  }

  /** Prefix sums of weights and feature counts by word, so that windows of all sizes cost the same. */
  #sums(judged: Words): Sums {
    const { buckets } = this.#weights
    const length = judged.words.length
    const hashes = new Int32Array(length)
    const sums: Sums = {
      words: new Float64Array(length + 1),
      wordCounts: new Float64Array(length + 1),
      pieces: new Float64Array(length + 1),
      pieceCounts: new Float64Array(length + 1),
      concepts: new Float64Array(length + 1),
      conceptCounts: new Float64Array(length + 1),
    }
    const recent: RecentConcepts = { places: [] }
    let sum = 0
    const take = (bucket: number): void => {
      sum += buckets[bucket] as number
    }
    const make = (word: string): OwnFeatures => {
      sum = 0
      const count = forEachPiece(word, take)
      return { hash: hashWord(word), sum, count }
    }
    const known = this.#known.inText(make)
    for (let place = 0; place < length; place++) {
      const word = judged.words[place] as string
      // A single character is faster to compute than to look up.
      const own = word.length === 1 ? make(word) : known(word)
      hashes[place] = own.hash
      sums.pieces[place + 1] = (sums.pieces[place] as number) + own.sum
      sums.pieceCounts[place + 1] = (sums.pieceCounts[place] as number) + own.count
      sum = 0
      const count = forEachWordFeature(judged, { place, hashes }, take)
      sums.words[place + 1] = (sums.words[place] as number) + sum
      sums.wordCounts[place + 1] = (sums.wordCounts[place] as number) + count
      sum = 0
      const concepts = forEachConceptFeature(judged, { place, recent }, take)
      sums.concepts[place + 1] = (sums.concepts[place] as number) + sum
      sums.conceptCounts[place + 1] = (sums.conceptCounts[place] as number) + concepts
    }
    return sums
  }
}

/** The features of a word by itself: its hash, and the sum and number of its n-grams. */
interface OwnFeatures {
  readonly hash: number
  readonly sum: number
  readonly count: number
}

interface Sums {
  readonly words: Float64Array
  readonly wordCounts: Float64Array
  readonly pieces: Float64Array
  readonly pieceCounts: Float64Array
  readonly concepts: Float64Array
  readonly conceptCounts: Float64Array
}

/**
 * Prefix counts of each sign by word; undefined for signs that do not occur. `addressed` counts in data only: it is
 * ordinary for a prompt to address an assistant.
 */
export function signCounts({ words, hits }: Judged, kind: TextKind): (Uint32Array | undefined)[] {
  return SIGNS.map((sign) => {
    if (sign === 'addressed' && kind === 'prompt') return undefined
    const own = hits.filter((hit) => hit.sign === sign)
    if (own.length === 0) return undefined
    const counts = new Uint32Array(words.length + 1)
    for (const { from, to } of own) {
      const place = Math.min(words.length, Math.floor((from + to) / 2) + 1)
      counts[place] = (counts[place] as number) + 1
    }
    for (let place = 1; place <= words.length; place++) {
      counts[place] = (counts[place] as number) + (counts[place - 1] as number)
    }
    return counts
  })
}
