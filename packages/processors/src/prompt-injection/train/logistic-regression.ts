import type { Weights } from '../classifier/classifier.ts'
import { BUCKETS, featureCount, forEachFeature } from '../classifier/features.ts'
import { SIGNS } from '../layers/layer.ts'
import type { Reading } from '../layers/read.ts'
import type { Row } from './rows.ts'
import { random } from './spin.ts'

/** A window of a text, as the model sees it. */
export interface Example {
  readonly buckets: Int32Array
  /** Of each bucket: its count over the root of the number of features. */
  readonly value: number
  readonly signs: readonly number[]
  readonly label: 0 | 1
  readonly weight: number
}

export interface Model {
  readonly buckets: Float64Array
  readonly signs: Float64Array
  readonly bias: number
}

/** In words. A longer text is several windows. */
const LONGEST = 96

/** The windows of a text; together they weigh as much as one text. */
export function exampleOf({ words, hits }: Reading, { label }: Row): Example[] {
  const windows: [number, number][] = []
  for (let from = 0; from < words.length && windows.length < 12; from += LONGEST) {
    windows.push([from, Math.min(words.length, from + LONGEST)])
  }
  const examples = windows.map(([from, to]): Example => {
    const buckets: number[] = []
    let count = 0
    for (let place = from; place < to; place++) {
      forEachFeature(words, place, (bucket) => buckets.push(bucket))
      count += featureCount(words[place] as string)
    }
    const own = hits.filter((hit) => {
      const middle = Math.floor((hit.from + hit.to) / 2)
      return middle >= from && middle < to
    })
    const signs = SIGNS.flatMap((sign, index) => (own.some((hit) => hit.sign === sign) ? [index] : []))
    return {
      buckets: Int32Array.from(buckets),
      value: 1 / Math.sqrt(count),
      signs,
      label,
      weight: 1,
    }
  })
  if (label === 0 || words.length <= SHORT) return examples
  // Of a long attack, the windows in which it shows itself are the attack; the others are whatever surrounds it.
  return examples.map((example) => {
    const isTelling = example.signs.some((sign) => sign < SIGNS.indexOf('quotation'))
    return isTelling ? example : { ...example, label: 0, weight: SURROUNDING }
  })
}

const SHORT = 64
const SURROUNDING = 0.5

const RATE = 0.1
const DECAY = 2e-6
/** Keeps the weights of rare features small. */
const FIRST_SQUARE = 0.1

/** Logistic regression by AdaGrad, with decay towards zero. */
export function fit(examples: readonly Example[], { epochs, seed }: { epochs: number; seed: number }): Model {
  const next = random(seed)
  const buckets = new Float64Array(BUCKETS)
  const squares = new Float64Array(BUCKETS).fill(FIRST_SQUARE)
  const signs = new Float64Array(SIGNS.length)
  const signSquares = new Float64Array(SIGNS.length).fill(1e-2)
  let bias = 0
  const total = { 0: 0, 1: 0 }
  for (const { label, weight } of examples) total[label] += weight
  const order = examples.map((_, index) => index)
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (let last = order.length - 1; last > 0; last--) {
      const other = Math.floor(next() * (last + 1))
      const kept = order[last] as number
      order[last] = order[other] as number
      order[other] = kept
    }
    for (const index of order) {
      const example = examples[index] as Example
      let sum = 0
      for (const bucket of example.buckets) sum += buckets[bucket] as number
      let value = bias + sum * example.value
      for (const sign of example.signs) value += signs[sign] as number
      const error = 1 / (1 + Math.exp(-value)) - example.label
      const balance = (example.weight * (total[0] + total[1])) / (2 * total[example.label])
      const gradient = error * balance
      bias -= 0.02 * gradient
      const step = gradient * example.value
      for (const bucket of example.buckets) {
        const own = step + DECAY * (buckets[bucket] as number)
        squares[bucket] = (squares[bucket] as number) + own * own
        buckets[bucket] = (buckets[bucket] as number) - (RATE * own) / Math.sqrt(squares[bucket] as number)
      }
      for (const sign of example.signs) {
        signSquares[sign] = (signSquares[sign] as number) + gradient * gradient
        signs[sign] = (signs[sign] as number) - (0.1 * gradient) / Math.sqrt(signSquares[sign] as number)
      }
    }
  }
  return { buckets, signs, bias }
}

/** Weights as signed bytes; the few that are larger than all others are cut off. */
export function quantise({ buckets, signs, bias }: Model): Omit<Weights, 'slope' | 'offset'> {
  const sizes = buckets.map(Math.abs).sort()
  const most = sizes[Math.floor(sizes.length * 0.9995)] as number
  const scale = most / 127
  const bytes = Int8Array.from(buckets, (weight) => Math.max(-127, Math.min(127, Math.round(weight / scale))))
  return { buckets: bytes, scale, bias, signs: Array.from(signs, (each) => Number(each.toFixed(4))) }
}
