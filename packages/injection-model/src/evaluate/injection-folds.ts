import { Classifier, InjectionScorer, loadPrototypes } from '@millrace/guards/internals'
import { ownExamples } from '../train/own-examples.ts'
import { replanted } from '../train/replanted.ts'
import { type Row, withOrders } from '../train/rows.ts'
import { readRow, uncalibrated } from '../train/training.ts'
import { writtenExamples } from '../train/written-examples.ts'
import { hardNegatives } from './hard-negatives.ts'
import type { Report, ReportRow } from './report.ts'

/** How rows are split: texts with the same beginning together, at random, or whole sets. */
type Parting = 'by beginnings' | 'at random' | 'by sets'

const PARTS = 3

interface Scored {
  readonly set: string
  readonly label: 0 | 1
  readonly score: number
}

/**
 * Cross-validation: every row is scored by a classifier that was trained on the other parts of the rows, whatever their
 * license, and on our own texts. Such weights are for evaluation only.
 */
export async function evaluateInjectionFolds(rows: readonly Row[], parting: Parting): Promise<Report> {
  const prototypeOf = await loadPrototypes()
  const labelled = withOrders(rows)
  const own = [...ownExamples(7), ...writtenExamples()].map((row) => readRow(row, prototypeOf))
  const moved = replanted(labelled, 11).map((row) => readRow(row, prototypeOf))
  const read = labelled.map((row) => readRow(row, prototypeOf))
  const sets = [...new Set(rows.map(({ set }) => set))]
  const partOf = (index: number): number => {
    const row = read[index] as (typeof read)[number]
    if (parting === 'by sets') return sets.indexOf(row.set)
    return parting === 'at random' ? (index * 7_919) % PARTS : row.fold % PARTS
  }
  const scored: Scored[] = []
  const hard: number[] = []
  const hardTexts = Object.values(hardNegatives()).flat()
  for (let part = 0; part < (parting === 'by sets' ? sets.length : PARTS); part++) {
    const known = read.filter((_, index) => partOf(index) !== part)
    const orders = new Set(known.map(({ order }) => order))
    const weights = uncalibrated([...known, ...moved.filter(({ order }) => orders.has(order)), ...own])
    const scorer = new InjectionScorer({ classifier: new Classifier(weights), prototypeOf })
    for (const [index, { text, label, set }] of read.entries()) {
      if (partOf(index) === part) scored.push({ set, label, score: scorer.score(text).score })
    }
    if (part === 0) hard.push(...hardTexts.map((text) => scorer.score(text).score))
  }
  const [two, one] = [thresholdAt(scored, 0.02), thresholdAt(scored, 0.01)]
  const attacks = scored.filter(({ label }) => label === 1)
  const share = (scores: readonly Pick<Scored, 'score'>[], threshold: number): number =>
    scores.filter(({ score }) => score > threshold).length / Math.max(1, scores.length)
  return {
    guard: 'PromptInjectionDetector, cross-validated',
    file: `injection, ${parting}`,
    rows: sets.flatMap((set): ReportRow[] => {
      const own = attacks.filter((each) => each.set === set)
      const clean = scored.filter((each) => each.set === set && each.label === 0)
      const found = own.filter(({ score }) => score > two).length
      return [
        {
          type: set,
          found,
          missed: own.length - found,
          ...(own.length > 0 && { recall: found / own.length }),
          ...(clean.length > 0 && { falseAlarms: share(clean, two) }),
        },
      ]
    }),
    summary: {
      'recall at 2 % false alarms': share(attacks, two),
      'recall at 1 % false alarms': share(attacks, one),
      'false alarms on hard negatives, at 2 %': share(
        hard.map((score) => ({ score })),
        two,
      ),
    },
    mistakes: [],
  }
}

/** The threshold that at most this share of the harmless texts exceeds. */
function thresholdAt(scored: readonly Scored[], part: number): number {
  const scores = scored.flatMap(({ label, score }) => (label === 0 ? [score] : [])).sort((a, b) => b - a)
  return scores[Math.floor(scores.length * part)] ?? 1
}
