import type { Prototype, TextKind } from '@millrace/guards/internals'
import { Classifier, type Reading, readText, type Weights } from '@millrace/guards/internals'
import { exampleOf } from './examples.ts'
import { fit, quantise } from './logistic-regression.ts'
import { plattScale } from './platt-scaling.ts'
import { foldOf, isDocument, type Row } from './rows.ts'

/** A folded row: the input that training and scoring share. */
export interface ReadRow extends Row {
  readonly reading: Reading
  /** See `foldOf`. */
  readonly fold: number
}

/**
 * The weight of a text by its origin: texts made of templates are many and similar, documents are split into passages,
 * and other sources have many more harmless texts than attacks.
 */
const WEIGHTS = { own: 0.6, languages: 2, written: 2, documents: 0.3, attacks: 1, harmless: 0.3 }

/**
 * The weight of a prompt, relative to data. There are many prompts, and most of their attacks are games about a secret:
 * at full weight, words such as "secret" and "letter" would become signs of an attack in any document.
 */
const PROMPTS = { attacks: 0.2, harmless: 0.5 }

/** Sets of documents into which an attack was inserted. */
const PLANTED: readonly string[] = [
  'bipia_train',
  'replanted',
  'own-planted',
  'written-planted',
  'own-orders-planted',
]

const EPOCHS = 10
const AVERAGED = 5
const SEED = 1

/** Calibration uses this many models, each on the rows it was not trained on. */
const PARTS = 2

export function readRow(row: Row, prototypeOf: Prototype): ReadRow {
  return { ...row, reading: readText(row.text, prototypeOf), fold: foldOf(row, prototypeOf) }
}

/**
 * The weights of a model trained on all rows. Its probabilities are calibrated with models trained on parts of the
 * rows.
 */
export function trainOn(rows: readonly ReadRow[]): Weights {
  const points = Array.from({ length: PARTS }, (_, part) => {
    const isOther = ({ fold }: ReadRow): boolean => fold % PARTS === part
    const classifier = new Classifier(uncalibrated(rows.filter((row) => !isOther(row))))
    return rows.flatMap((row) => {
      if (!isOther(row) || row.reading.words.length === 0) return []
      return [
        {
          value: classifier.highest(row.reading, kindOf(row)).value,
          label: row.label,
          weight: weightOf(row),
        },
      ]
    })
  }).flat()
  return { ...uncalibrated(rows), ...plattScale(points) }
}

/** Like `trainOn`, without calibration: its scores can only be compared. */
export function uncalibrated(rows: readonly ReadRow[]): Weights {
  const examples = rows.map((row) =>
    exampleOf(row.reading, {
      label: row.label,
      weight: weightOf(row),
      isPlanted: PLANTED.includes(row.set),
      kind: kindOf(row),
    }),
  )
  return {
    ...quantise(fit(examples, { epochs: EPOCHS, averaged: AVERAGED, seed: SEED })),
    slope: 1,
    offset: 0,
  }
}

function kindOf(row: Row): TextKind {
  return isDocument(row) ? 'data' : 'prompt'
}

function weightOf(row: Row): number {
  const prompt = row.label === 1 ? PROMPTS.attacks : PROMPTS.harmless
  return ofSource(row) * (isDocument(row) ? 1 : prompt)
}

function ofSource({ set, label }: Row): number {
  if (set === 'documents') return WEIGHTS.documents
  if (set.startsWith('written')) return WEIGHTS.written
  if (set.startsWith('own-orders') || set === 'own-look-alikes') return WEIGHTS.languages
  if (set.startsWith('own')) return WEIGHTS.own
  return label === 1 ? WEIGHTS.attacks : WEIGHTS.harmless
}
