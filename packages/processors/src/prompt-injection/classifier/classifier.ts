import { SIGNS, type SignHit } from '../layers/layer.ts'
import { featureCount, forEachFeature } from './features.ts'

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

export interface Judged {
  readonly words: readonly string[]
  readonly hits: readonly SignHit[]
}

export interface WindowScore {
  /** The model's value, before it becomes a probability. */
  readonly value: number
  /** In words. */
  readonly from: number
  readonly to: number
}

/** Windows of these many words, half overlapping. A shorter text is one window. */
const WINDOWS: readonly number[] = [32, 96]

/** What each doubling of the number of windows takes from the highest: the more there are, the higher chance reaches. */
const CHANCE = 0.25

/** Judges a text by the window most like an attack. */
export class Classifier {
  readonly #weights: Weights

  constructor(weights: Weights) {
    this.#weights = weights
  }

  /** From 0 to 1, calibrated: of texts that score .7, about seven in ten are attacks. */
  probability(value: number): number {
    const { slope, offset } = this.#weights
    return 1 / (1 + Math.exp(-(slope * value + offset)))
  }

  highest(judged: Judged): WindowScore {
    const sums = this.#sums(judged.words)
    const signs = signCounts(judged)
    let best: WindowScore = {
      value: this.#value(sums, signs, 0, judged.words.length),
      from: 0,
      to: judged.words.length,
    }
    if (judged.words.length > (WINDOWS.at(-1) as number)) best = { ...best, value: Number.NEGATIVE_INFINITY }
    for (const size of WINDOWS) {
      if (judged.words.length <= size) continue
      const count = Math.ceil((judged.words.length - size) / (size / 2)) + 1
      const penalty = CHANCE * Math.log2(count)
      for (let index = 0; index < count; index++) {
        const from = Math.min((index * size) / 2, judged.words.length - size)
        const value = this.#value(sums, signs, from, from + size) - penalty
        if (value > best.value) best = { value, from, to: from + size }
      }
    }
    return best
  }

  #value(sums: Sums, signs: readonly (Uint32Array | undefined)[], from: number, to: number): number {
    const { bias, signs: signWeights } = this.#weights
    const count = (sums.counts[to] as number) - (sums.counts[from] as number)
    let value = bias
    if (count > 0) value += ((sums.weights[to] as number) - (sums.weights[from] as number)) / Math.sqrt(count)
    for (let sign = 0; sign < SIGNS.length; sign++) {
      const counts = signs[sign]
      if (counts && (counts[to] as number) > (counts[from] as number)) value += signWeights[sign] as number
    }
    return value
  }

  /** Sums of weights and counts of features up to each word, so that a window of any size costs the same. */
  #sums(words: readonly string[]): Sums {
    const { buckets, scale } = this.#weights
    const weights = new Float64Array(words.length + 1)
    const counts = new Float64Array(words.length + 1)
    let sum = 0
    const take = (bucket: number): void => {
      sum += buckets[bucket] as number
    }
    for (let place = 0; place < words.length; place++) {
      sum = 0
      forEachFeature(words, place, take)
      weights[place + 1] = (weights[place] as number) + sum * scale
      counts[place + 1] = (counts[place] as number) + featureCount(words[place] as string)
    }
    return { weights, counts }
  }
}

interface Sums {
  readonly weights: Float64Array
  readonly counts: Float64Array
}

/** How often each sign has been seen up to each word; undefined for those never seen. */
function signCounts({ words, hits }: Judged): (Uint32Array | undefined)[] {
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
