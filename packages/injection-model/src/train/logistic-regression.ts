import type { Window } from '@millrace/guards/internals'
import { BUCKETS, CONCEPT_SHARE, SIGNS, WORD_SHARE } from '@millrace/guards/internals'
import type { Example, Features, LabelledExample } from './examples.ts'
import { random } from './spin.ts'

export interface Model {
  readonly buckets: Float32Array
  /** How often each bucket was used in training, by the weights of the examples. */
  readonly uses: Float32Array
  readonly signs: Float64Array
  bias: number
  /** The second model, over the signs only. */
  readonly alone: { readonly signs: Float64Array; bias: number }
}

export interface FitOptions {
  readonly epochs: number
  /** The weights are averaged over this many last epochs (Polyak and Juditsky 1992): they generalize better. */
  readonly averaged: number
  readonly seed: number
  /** Weight decay, applied to weights when they are used: many small weights generalize better. */
  readonly decay: number
  readonly rate?: number
}

/** The learning rate of the weights of signs: there are few, and they generalize well. */
const SIGN_RATE = 0.3

/** The weight decay of the second model. */
const ALONE_DECAY = 0.01

/** The initial sum of squares of AdaGrad: keeps the weights of rare features small. */
const FIRST_SQUARE = 0.1

/** The weight of a long harmless text's highest window; a random window has the rest. */
const HIGHEST = 0.6

/** The weight of the text around a planted attack: the same document without the attack is harmless. */
const AROUND = 2

/** The share of an order, or of a window within it, that a window over the order must have. */
const OVER = 0.6

/**
 * Logistic regression with AdaGrad and weight decay. A text is represented by its highest window: an attack is an
 * attack in some window, a harmless text is harmless in all (multiple-instance learning).
 */
export function fit(
  examples: readonly LabelledExample[],
  { epochs, averaged, seed, decay, rate = 0.2 }: FitOptions,
): Model {
  const next = random(seed)
  const model = emptyModel()
  const mean = emptyModel()
  const squares = new Float32Array(BUCKETS).fill(FIRST_SQUARE)
  const signSquares = new Float64Array(SIGNS.length).fill(1e-2)
  const aloneSquares = new Float64Array(SIGNS.length).fill(1e-2)
  const total = { 0: 0, 1: 0 }
  for (const { label, weight } of examples) total[label] += weight

  function step(example: LabelledExample, window: Window, { part = 1, label = example.label } = {}): void {
    const share = (part * example.weight * (total[0] + total[1])) / (2 * total[label])
    const error = 1 / (1 + Math.exp(-windowValue(model, example, window))) - label
    const gradient = error * share
    model.bias -= 0.02 * gradient
    move(example.words, window, { gradient: gradient * WORD_SHARE, use: share })
    move(example.concepts, window, { gradient: gradient * CONCEPT_SHARE, use: share })
    move(example.pieces, window, { gradient, use: share })
    for (const sign of signsIn(example, window)) {
      signSquares[sign] = (signSquares[sign] as number) + gradient * gradient
      model.signs[sign] =
        (model.signs[sign] as number) - (SIGN_RATE * gradient) / Math.sqrt(signSquares[sign] as number)
    }
  }

  /** A step of the second model, with the window whose signs have the highest value. */
  function stepAlone(example: LabelledExample): void {
    const { alone } = model
    const { label, weight } = example
    const signs = mostSigns(model, example)
    const value = signs.reduce((sum, sign) => sum + (alone.signs[sign] as number), alone.bias)
    const error = 1 / (1 + Math.exp(-value)) - label
    const gradient = (error * weight * (total[0] + total[1])) / (2 * total[label])
    alone.bias -= 0.005 * gradient
    for (const sign of signs) {
      const own = gradient + ALONE_DECAY * (alone.signs[sign] as number)
      aloneSquares[sign] = (aloneSquares[sign] as number) + own * own
      alone.signs[sign] =
        (alone.signs[sign] as number) - (SIGN_RATE * own) / Math.sqrt(aloneSquares[sign] as number)
    }
  }

  function move(
    { buckets, offsets }: Features,
    { from, to }: Window,
    { gradient, use }: { gradient: number; use: number },
  ): void {
    const [start, end] = [offsets[from] as number, offsets[to] as number]
    const share = gradient / Math.sqrt(Math.max(1, end - start))
    for (let index = start; index < end; index++) {
      const bucket = buckets[index] as number
      const weight = model.buckets[bucket] as number
      const own = share + decay * weight
      const square = (squares[bucket] as number) + own * own
      squares[bucket] = square
      model.buckets[bucket] = weight - (rate * own) / Math.sqrt(square)
      mean.uses[bucket] = (mean.uses[bucket] as number) + use
    }
  }

  /** Steps with the order of an attack, and with the text around it, which is harmless. */
  function stepAround(example: LabelledExample, order: Window): void {
    const parts = partsAround(model, example, order, next)
    if (parts.over) step(example, parts.over)
    if (parts.highest) step(example, parts.highest, { part: HIGHEST, label: 0 })
    if (parts.any) step(example, parts.any, { part: 1 - HIGHEST, label: 0 })
  }

  const order = examples.map((_, index) => index)
  for (let epoch = 0; epoch < epochs; epoch++) {
    shuffle(order, next)
    for (const index of order) {
      const example = examples[index] as LabelledExample
      const { windows, label } = example
      const any = windows[Math.floor(next() * windows.length)]
      if (!any || any.to === 0) continue
      stepAlone(example)
      if (windows.length === 1) step(example, any)
      else if (label === 0) {
        step(example, highest(model, example), { part: HIGHEST })
        step(example, any, { part: 1 - HIGHEST })
      } else if (example.order) stepAround(example, example.order)
      else if (epoch === 0) step(example, any)
      else {
        const attack = highest(model, example)
        step(example, attack)
        const isApart = any.to <= attack.from || any.from >= attack.to
        if (isApart && example.isPlanted) step(example, any, { part: AROUND, label: 0 })
      }
    }
    if (epoch >= epochs - averaged) addTo(mean, model, 1 / averaged)
  }
  return mean
}

/** The mean of models that were trained with different seeds: its errors are smaller than those of each of them. */
export function meanOf(models: readonly Model[]): Model {
  const mean = emptyModel()
  for (const model of models) {
    addTo(mean, model, 1 / models.length)
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      mean.uses[bucket] = (mean.uses[bucket] as number) + (model.uses[bucket] as number)
    }
  }
  return mean
}

function emptyModel(): Model {
  return {
    buckets: new Float32Array(BUCKETS),
    uses: new Float32Array(BUCKETS),
    signs: new Float64Array(SIGNS.length),
    bias: 0,
    alone: { signs: new Float64Array(SIGNS.length), bias: 0 },
  }
}

function addTo(sum: Model, { buckets, signs, bias, alone }: Model, part: number): void {
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    sum.buckets[bucket] = (sum.buckets[bucket] as number) + part * (buckets[bucket] as number)
  }
  for (let sign = 0; sign < signs.length; sign++) {
    sum.signs[sign] = (sum.signs[sign] as number) + part * (signs[sign] as number)
    sum.alone.signs[sign] = (sum.alone.signs[sign] as number) + part * (alone.signs[sign] as number)
  }
  sum.bias += part * bias
  sum.alone.bias += part * alone.bias
}

function windowValue(model: Model, example: Example, window: Window): number {
  let value = model.bias
  value += WORD_SHARE * shareOf(model, example.words, window)
  value += CONCEPT_SHARE * shareOf(model, example.concepts, window)
  value += shareOf(model, example.pieces, window)
  for (const sign of signsIn(example, window)) value += model.signs[sign] as number
  return value
}

function shareOf(model: Model, { buckets, offsets }: Features, { from, to }: Window): number {
  const [start, end] = [offsets[from] as number, offsets[to] as number]
  let sum = 0
  for (let index = start; index < end; index++) sum += model.buckets[buckets[index] as number] as number
  return sum / Math.sqrt(Math.max(1, end - start))
}

function signsIn({ signs }: Example, { from, to }: Window): number[] {
  const found: number[] = []
  for (let sign = 0; sign < signs.length; sign++) {
    const counts = signs[sign]
    if (counts && (counts[to] as number) > (counts[from] as number)) found.push(sign)
  }
  return found
}

/** The signs of the window with the highest value in the second model; empty if no window has signs. */
function mostSigns({ alone }: Model, example: Example): number[] {
  if (example.signs.every((counts) => counts === undefined)) return []
  let best: number[] = []
  let most = Number.NEGATIVE_INFINITY
  for (const window of example.windows) {
    const signs = signsIn(example, window)
    const value = signs.reduce((sum, sign) => sum + (alone.signs[sign] as number), 0)
    if (value > most) [best, most] = [signs, value]
  }
  return best
}

/** The window with the highest value. */
function highest(model: Model, example: Example): Window {
  const valueAt = valuesOf(model, example)
  let best = example.windows[0] as Window
  let most = Number.NEGATIVE_INFINITY
  for (const window of example.windows) {
    const value = valueAt(window)
    if (value > most) [best, most] = [window, value]
  }
  return best
}

interface PartsAround {
  /** The highest window over the order. */
  over?: Window
  /** The highest window that has no word of the order, and any such window. */
  highest?: Window
  any?: Window
}

function partsAround(model: Model, example: Example, order: Window, next: () => number): PartsAround {
  const valueAt = valuesOf(model, example)
  const parts: PartsAround = {}
  let most = { over: Number.NEGATIVE_INFINITY, apart: Number.NEGATIVE_INFINITY }
  let count = 0
  for (const window of example.windows) {
    const common = Math.min(window.to, order.to) - Math.max(window.from, order.from)
    const value = valueAt(window)
    if (common <= 0) {
      count++
      if (next() * count < 1) parts.any = window
      if (value <= most.apart) continue
      parts.highest = window
      most = { ...most, apart: value }
    } else if (common >= OVER * Math.min(window.to - window.from, order.to - order.from)) {
      if (value <= most.over) continue
      parts.over = window
      most = { ...most, over: value }
    }
  }
  return parts
}

/** The values of windows, apart from the bias. Uses prefix sums, since there are many windows. */
function valuesOf(model: Model, example: Example): (window: Window) => number {
  const words = sumsOf(model, example.words)
  const concepts = sumsOf(model, example.concepts)
  const pieces = sumsOf(model, example.pieces)
  return (window) => {
    let value = WORD_SHARE * words(window) + CONCEPT_SHARE * concepts(window)
    value += pieces(window)
    for (const sign of signsIn(example, window)) value += model.signs[sign] as number
    return value
  }
}

function sumsOf(model: Model, { buckets, offsets }: Features): (window: Window) => number {
  const sums = new Float64Array(offsets.length)
  for (let place = 0; place + 1 < offsets.length; place++) {
    let sum = sums[place] as number
    const end = offsets[place + 1] as number
    for (let index = offsets[place] as number; index < end; index++) {
      sum += model.buckets[buckets[index] as number] as number
    }
    sums[place + 1] = sum
  }
  return ({ from, to }) => {
    const count = (offsets[to] as number) - (offsets[from] as number)
    return ((sums[to] as number) - (sums[from] as number)) / Math.sqrt(Math.max(1, count))
  }
}

function shuffle(order: number[], next: () => number): void {
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(next() * (last + 1))
    const kept = order[last] as number
    order[last] = order[other] as number
    order[other] = kept
  }
}
