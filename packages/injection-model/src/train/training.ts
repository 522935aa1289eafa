import type { Prototype, TextKind } from '@millrace/guards/internals'
import {
  Classifier,
  type KindWeights,
  type Reading,
  readText,
  type Weights,
  type Window,
} from '@millrace/guards/internals'
import { type Example, exampleOf, type LabelledExample } from './examples.ts'
import { fit, meanOf } from './logistic-regression.ts'
import { placeOfOrder } from './order-place.ts'
import { type Point, plattScale } from './platt-scaling.ts'
import { quantise } from './quantise.ts'
import { foldOf, isDocument, type Row } from './rows.ts'

/** A folded row: the input that training and scoring share. */
export interface ReadRow extends Row {
  readonly reading: Reading
  readonly example: Example
  /** The place of the order in the text, in words. */
  readonly place?: Window | undefined
  /** See `foldOf`. */
  readonly fold: number
}

/**
 * The weight of a text by its origin: texts made of templates are many and similar, documents are split into passages,
 * and other sources have many more harmless texts than attacks.
 */
const WEIGHTS = { own: 0.6, languages: 2, written: 2, documents: 0.3, attacks: 1, harmless: 0.3 }

interface Share {
  readonly attacks: number
  readonly harmless: number
}

/**
 * The weight of a text in the model of each kind, by the text's own kind. Most attacks in prompts are games about a
 * secret. At full weight in the model of data, words such as "secret" and "letter" would become signs of an attack in
 * any document. At full weight in the model of prompts, they would add false alarms on look-alikes.
 */
const SHARES: Readonly<Record<TextKind, Readonly<Record<TextKind, Share>>>> = {
  prompt: { prompt: { attacks: 0.4, harmless: 0.75 }, data: { attacks: 1, harmless: 1 } },
  data: { prompt: { attacks: 0.05, harmless: 0.2 }, data: { attacks: 1, harmless: 1 } },
}

/** An additional factor for the texts of a set, by model. The default is 1. */
const SETS: Readonly<Record<TextKind, Readonly<Record<string, number>>>> = {
  prompt: {
    // These requests are attacks only within a document. In a prompt they are ordinary.
    bipia_train: 0,
    replanted: 0,
    'own-planted': 0,
    'written-planted': 0,
    'own-hidden': 0.5,
    // There are few prompts among them, and many documents.
    'own-look-alikes-asked': 3,
    'own-about': 2,
    own: 1.5,
  },
  // Orders to undo instructions are also attacks in documents.
  data: { own: 2, documents: 1.5 },
}

/** Sets of documents into which an attack was inserted. */
const PLANTED: readonly string[] = [
  'bipia_train',
  'replanted',
  'own-hidden',
  'own-planted',
  'written-planted',
  'own-orders-planted',
]

const EPOCHS = 6
const AVERAGED = 3

/** A model is trained with each of these seeds. Their mean is used. */
const SEEDS: readonly number[] = [1, 2, 3]

interface Settings {
  /** Weight decay. */
  readonly decay: number
  /** The number of positive levels that weights are quantized to. */
  readonly levels: number
  /** Whether training knows where an order is in a document of our own. The model of data finds it by itself. */
  readonly knowsOrders: boolean
}

/** Chosen with the scores on left-out sources. */
const SETTINGS: Readonly<Record<TextKind, Settings>> = {
  prompt: { decay: 2e-2, levels: 4, knowsOrders: true },
  data: { decay: 1e-2, levels: 7, knowsOrders: false },
}

/** The number of models for calibration. Each scores the rows it was not trained on. */
const PARTS = 2

export function readRow(row: Row, prototypeOf: Prototype): ReadRow {
  const reading = readText(row.text, prototypeOf)
  const place = row.order === undefined ? undefined : placeOfOrder(reading, row.order)
  return { ...row, reading, place, example: exampleOf(reading, kindOf(row)), fold: foldOf(row, prototypeOf) }
}

/**
 * The weights of the models trained on all rows. Their probabilities are calibrated with models trained on parts of the
 * rows.
 */
export function trainOn(rows: readonly ReadRow[]): Weights {
  const points: Record<TextKind, Point[]> = { prompt: [], data: [] }
  for (let part = 0; part < PARTS; part++) {
    const isOther = ({ fold }: ReadRow): boolean => fold % PARTS === part
    const classifier = new Classifier(uncalibrated(rows.filter((row) => !isOther(row))))
    for (const row of rows) {
      if (!isOther(row) || row.reading.words.length === 0) continue
      const kind = kindOf(row)
      const { value } = classifier.highest(row.reading, kind)
      points[kind].push({ value, label: row.label, weight: weightOf(row, kind) })
    }
  }
  const { prompt, data } = uncalibrated(rows)
  return {
    prompt: { ...prompt, ...plattScale(points.prompt) },
    data: { ...data, ...plattScale(points.data) },
  }
}

/** Like `trainOn`, without calibration: scores can only be compared with scores of the same kind. */
export function uncalibrated(rows: readonly ReadRow[]): Weights {
  const modelOf = (kind: TextKind): KindWeights => {
    const { decay, levels, knowsOrders } = SETTINGS[kind]
    const labelled = rows.flatMap((row): LabelledExample[] => {
      const weight = weightOf(row, kind)
      if (weight === 0) return []
      const order = knowsOrders ? row.place : undefined
      return [{ ...row.example, label: row.label, weight, isPlanted: PLANTED.includes(row.set), order }]
    })
    const fits = SEEDS.map((seed) => fit(labelled, { epochs: EPOCHS, averaged: AVERAGED, seed, decay }))
    const { buckets, uses, signs, bias, alone } = meanOf(fits)
    return {
      ...quantise(buckets, { uses, levels }),
      bias,
      signs: rounded(signs),
      alone: { bias: alone.bias, signs: rounded(alone.signs) },
      slope: 1,
      offset: 0,
    }
  }
  return { prompt: modelOf('prompt'), data: modelOf('data') }
}

function rounded(weights: Float64Array): number[] {
  return Array.from(weights, (each) => Number(each.toFixed(4)))
}

function kindOf(row: Row): TextKind {
  return isDocument(row) ? 'data' : 'prompt'
}

/** In the model of a kind. */
function weightOf(row: Row, kind: TextKind): number {
  const { attacks, harmless } = SHARES[kind][kindOf(row)]
  return ofSource(row) * (row.label === 1 ? attacks : harmless) * (SETS[kind][row.set] ?? 1)
}

function ofSource({ set, label }: Row): number {
  if (set === 'documents') return WEIGHTS.documents
  if (set.startsWith('written')) return WEIGHTS.written
  if (set.startsWith('own-orders') || set.startsWith('own-look-alikes')) return WEIGHTS.languages
  if (set.startsWith('own')) return WEIGHTS.own
  return label === 1 ? WEIGHTS.attacks : WEIGHTS.harmless
}
