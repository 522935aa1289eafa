import { SIGNS, type SignHit } from '../layers/layer.ts'
import { KnownWords } from '../text/known-words.ts'
import { forEachPiece, forEachWordFeature, hashWord, type Words } from './features.ts'
import { type Window, windowsOf } from './windows.ts'

/** What training found: a linear model over hashed features and the signs of the layers. */
export interface Weights {
  readonly buckets: Int8Array
  /** What one step of a bucket's weight is worth. */
  readonly scale: number
  readonly bias: number
  /** In the order of `SIGNS`. */
  readonly signs: readonly number[]
  /** From the model's value to a probability, by Platt's method: 1 / (1 + e^-(slope × value + offset)). */
  readonly slope: number
  readonly offset: number
}

export interface Judged extends Words {
  readonly hits: readonly SignHit[]
}

export interface WindowScore {
  /** The model's value, before it becomes a probability. */
  readonly value: number
  /** In words. */
  readonly from: number
  readonly to: number
}

/** How much the words of a window count beside their pieces. */
export const WORD_SHARE = 2

/** Judges a text by the window most like an attack. */
export class Classifier {
  readonly #weights: Weights
  readonly #known = new KnownWords<OwnFeatures>()

  constructor(weights: Weights) {
    this.#weights = weights
  }

  /** From 0 to 1, calibrated: of texts that score .7, about seven in ten are attacks. */
  probability(value: number): number {
    const { slope, offset } = this.#weights
    return 1 / (1 + Math.exp(-(slope * value + offset)))
  }

  highest(judged: Judged): WindowScore {
    const sums = this.#sums(judged)
    const signs = signCounts(judged)
    let best: WindowScore = { value: Number.NEGATIVE_INFINITY, from: 0, to: judged.words.length }
    for (const window of windowsOf(judged)) {
      const value = this.#value(sums, signs, window)
      if (value > best.value) best = { value, from: window.from, to: window.to }
    }
    return best
  }

  #value(sums: Sums, signs: readonly (Uint32Array | undefined)[], { from, to, penalty }: Window): number {
    const { bias, scale, signs: signWeights } = this.#weights
    const share = (total: Float64Array, count: Float64Array): number =>
      ((total[to] as number) - (total[from] as number)) /
      Math.sqrt(Math.max(1, (count[to] as number) - (count[from] as number)))
    let value = bias - penalty
    value += scale * (WORD_SHARE * share(sums.words, sums.wordCounts) + share(sums.pieces, sums.pieceCounts))
    for (let sign = 0; sign < SIGNS.length; sign++) {
      const counts = signs[sign]
      if (counts && (counts[to] as number) > (counts[from] as number)) value += signWeights[sign] as number
    }
    return value
  }

  /** Sums of weights and counts of features up to each word, so that a window of any size costs the same. */
  #sums(judged: Words): Sums {
    const { buckets } = this.#weights
    const length = judged.words.length
    const hashes = new Int32Array(length)
    const sums: Sums = {
      words: new Float64Array(length + 1),
      wordCounts: new Float64Array(length + 1),
      pieces: new Float64Array(length + 1),
      pieceCounts: new Float64Array(length + 1),
    }
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
      // A single character takes less than to remember it.
      const own = word.length === 1 ? make(word) : known(word)
      hashes[place] = own.hash
      sums.pieces[place + 1] = (sums.pieces[place] as number) + own.sum
      sums.pieceCounts[place + 1] = (sums.pieceCounts[place] as number) + own.count
      sum = 0
      const count = forEachWordFeature(judged, { place, hashes }, take)
      sums.words[place + 1] = (sums.words[place] as number) + sum
      sums.wordCounts[place + 1] = (sums.wordCounts[place] as number) + count
    }
    return sums
  }
}

/** What a word is by itself: its hash, and the sum and number of its pieces. */
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
}

/** How often each sign has been seen up to each word; undefined for those never seen. */
export function signCounts({ words, hits }: Judged): (Uint32Array | undefined)[] {
  return SIGNS.map((sign) => {
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
