import type { Prototype, TextKind } from '@millrace/guards/internals'
import {
  Classifier,
  type KindWeights,
  type Reading,
  readText,
  type Weights,
} from '@millrace/guards/internals'
import { type Example, exampleOf, type LabelledExample } from './examples.ts'
import { fit, quantise } from './logistic-regression.ts'
import { type Point, plattScale } from './platt-scaling.ts'
import { foldOf, isDocument, type Row } from './rows.ts'

/** A row, read: what training and scoring have in common. */
export interface ReadRow extends Row {
  readonly reading: Reading
  readonly example: Example
  /** See `foldOf`. */
  readonly fold: number
}

/**
 * How much a text counts by where it is from: those made of templates are many and much alike, documents come in pieces, and there
 * are many more harmless texts of others than attacks.
 */
const WEIGHTS = { own: 0.6, languages: 2, written: 2, documents: 0.3, attacks: 1, harmless: 0.3 }

interface Share {
  readonly attacks: number
  readonly harmless: number
}

/**
 * How much a text counts in the model of each kind, by its own kind. Most attacks in prompts are games about a secret. At full weight in
 * the model of data, words such as "secret" and "letter" become signs of an attack in any document; at full weight in the model of
 * prompts, more look-alikes are false alarms.
 */
const SHARES: Readonly<Record<TextKind, Readonly<Record<TextKind, Share>>>> = {
  prompt: { prompt: { attacks: 0.4, harmless: 0.75 }, data: { attacks: 1, harmless: 1 } },
  data: { prompt: { attacks: 0.05, harmless: 0.2 }, data: { attacks: 1, harmless: 1 } },
}

/** How much the texts of a set count besides, in the model of each kind; others count once. */
const SETS: Readonly<Record<TextKind, Readonly<Record<string, number>>>> = {
  prompt: {
    // Requests that are an attack only by where they stand, in a document, are ordinary in a prompt.
    bipia_train: 0,
    replanted: 0,
    'own-planted': 0,
    'written-planted': 0,
    'own-hidden': 0.5,
    // Few of them are prompts, beside the many documents.
    'own-look-alikes-asked': 3,
    'own-about': 2,
    own: 1.5,
  },
  // Orders to undo instructions say as much about documents.
  data: { own: 2 },
}

/** Sets of documents into which an attack was put. */
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
const SEED = 1

/** Labelled rows are calibrated on by those of them that another model of this many has not seen. */
const PARTS = 2

export function readRow(row: Row, prototypeOf: Prototype): ReadRow {
  const reading = readText(row.text, prototypeOf)
  return { ...row, reading, example: exampleOf(reading, kindOf(row)), fold: foldOf(row, prototypeOf) }
}

/** The weights of models of all the rows, with probabilities as models of a part of them have on the others. */
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

/** The same, without probabilities: the scores of each kind are in order and no more. */
export function uncalibrated(rows: readonly ReadRow[]): Weights {
  const modelOf = (kind: TextKind): KindWeights => {
    const labelled = rows.flatMap((row): LabelledExample[] => {
      const weight = weightOf(row, kind)
      if (weight === 0) return []
      return [{ ...row.example, label: row.label, weight, isPlanted: PLANTED.includes(row.set) }]
    })
    return {
      ...quantise(fit(labelled, { epochs: EPOCHS, averaged: AVERAGED, seed: SEED })),
      slope: 1,
      offset: 0,
    }
  }
  return { prompt: modelOf('prompt'), data: modelOf('data') }
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
