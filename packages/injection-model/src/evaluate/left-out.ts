import { Classifier, InjectionScorer, loadPrototypes } from '@millrace/guards/internals'
import { textRows } from '../texts/text-rows.ts'
import type { DataRow } from '../train/data-folder.ts'
import { isDocument } from '../train/rows.ts'
import { sampled } from '../train/sampled-rows.ts'
import { type ReadRow, readRow, uncalibrated } from '../train/training.ts'
import { ownTrainingRows, thirdPartyExamples } from '../train/training-rows.ts'
import { type DocumentPair, documentPairs, writtenPairs } from './document-pairs.ts'
import { hardNegatives } from './hard-negatives.ts'
import { PARTS, partOf } from './parts.ts'
import type { Report, ReportRow } from './report.ts'

/** The allowed false positives of each surface, as a share of the harmless texts. */
const ALLOWED = { triggers: 0.06, long: 0.04, documents: 0.05, languages: 0.05 }

/** The minimum length of a long prompt, in characters. */
const LONG = 400

const LENGTHS = [200, 500, 2_000, Number.POSITIVE_INFINITY]

interface Scored {
  readonly row: DataRow
  readonly score: number
}

interface PairScores {
  readonly clean: number
  readonly attacked: number
}

/**
 * Scores every row by a classifier that has seen neither its set nor related sets. Thresholds are the lowest with the
 * allowed false positives on left-out harmless texts.
 */
export async function evaluateLeftOut(data: readonly DataRow[]): Promise<Report> {
  const prototypeOf = await loadPrototypes()
  const rows = sampled(data)
  const own = ownTrainingRows().map((row) => readRow(row, prototypeOf))
  const examples = rows.map((row): ReadRow[] =>
    thirdPartyExamples(row).map((each) => readRow(each, prototypeOf)),
  )
  const evaluated = textRows('evaluation/orders').concat(textRows('evaluation/look-alikes'))
  const hard = Object.values(hardNegatives()).flat()
  const scored: Scored[] = []
  const triggers: number[] = []
  const languages: Scored[] = []
  const paired: PairScores[] = []
  const pairedFormats: PairScores[] = []
  for (let part = 0; part < PARTS; part++) {
    const known = rows.flatMap((row, index) => (partOf(row) === part ? [] : (examples[index] ?? [])))
    const classifier = new Classifier(uncalibrated([...known, ...own]))
    const scorer = new InjectionScorer({ classifier, prototypeOf })
    const scoreOf = (text: string): number => scorer.score(text).score
    const inData = (text: string): number => scorer.score(text, 'data').score
    for (const row of rows) {
      if (partOf(row) !== part) continue
      scored.push({ row, score: isDocument(row) ? inData(row.text) : scoreOf(row.text) })
    }
    if (part > 0) continue
    triggers.push(...hard.map(scoreOf))
    languages.push(...evaluated.map((row) => ({ row, score: inData(row.text) })))
    const scoresOfPair = ({ clean, attacked }: DocumentPair): PairScores => ({
      clean: inData(clean),
      attacked: inData(attacked),
    })
    paired.push(...documentPairs().map(scoresOfPair))
    pairedFormats.push(...writtenPairs().map(scoresOfPair))
  }
  const prompts = scored.filter(({ row }) => !isDocument(row))
  const documents = scored.filter(({ row }) => isDocument(row))
  const harmless = (of: readonly Scored[]): Scored[] => of.filter(({ row }) => row.label === 0)
  const long = harmless(prompts).filter(({ row }) => row.text.length > LONG)
  const input = Math.max(quantile(triggers, ALLOWED.triggers), quantile(scoresOf(long), ALLOWED.long))
  const document = quantile(scoresOf(harmless(documents)), ALLOWED.documents)
  const language = quantile(scoresOf(harmless(languages)), ALLOWED.languages)
  const atPrompts = (of: readonly Scored[]): number => share(scoresOf(of), input)
  const attacks = (of: readonly Scored[]): Scored[] => of.filter(({ row }) => row.label === 1)
  const bothRight = (pairs: readonly PairScores[]): number =>
    pairs.filter(({ clean, attacked }) => clean < document && attacked >= document).length
  return {
    guard: 'PromptInjectionDetector, each source by itself, from the others',
    file: 'injection',
    rows: [
      ...groups(prompts, ({ row }) => `prompts: ${row.set}`, input),
      ...groups(documents, ({ row }) => `documents: ${row.set}`, document),
      ...groups(prompts, ({ row }) => `prompts up to ${lengthOf(row)} characters`, input),
      ...groups(documents, ({ row }) => `documents up to ${lengthOf(row)} characters`, document),
      ...groups(languages, ({ row }) => `own texts: ${row.lang}`, language),
    ],
    summary: {
      'prompts: recall, mean of the sets': mean(bySet(attacks(prompts)).map(atPrompts)),
      'prompts: recall where long ones alone are held': mean(
        bySet(attacks(prompts)).map((of) => share(scoresOf(of), quantile(scoresOf(long), ALLOWED.long))),
      ),
      'prompts: accuracy on trigger words': 1 - share(triggers, input),
      'prompts: accuracy on long ones': 1 - atPrompts(long),
      'prompts: false alarms': atPrompts(harmless(prompts)),
      'documents: recall, mean of the sets': mean(
        bySet(attacks(documents)).map((of) => share(scoresOf(of), document)),
      ),
      'own texts in fourteen languages: recall': share(scoresOf(attacks(languages)), language),
      'own texts in fourteen languages: area under the curve': area(languages),
      'prompts: area under the curve, mean of the sets': mean(
        bySet(attacks(prompts)).map((of) => area([...of, ...harmless(prompts)])),
      ),
      'documents: area under the curve, mean of the sets': mean(
        bySet(attacks(documents)).map((of) => area([...of, ...harmless(documents)])),
      ),
      'long documents with and without an attack: pairs': paired.length,
      'long documents with and without an attack: both right': bothRight(paired),
      'documents of many formats with and without an attack: pairs': pairedFormats.length,
      'documents of many formats with and without an attack: both right': bothRight(pairedFormats),
      'threshold of prompts': input,
      'threshold of documents': document,
      'threshold of own texts': language,
    },
    mistakes: [...prompts, ...documents, ...languages].flatMap(({ row, score }) => {
      const threshold = isDocument(row) ? document : input
      if (score >= threshold === (row.label === 1)) return []
      const what = row.label === 1 ? 'missed' : 'false alarm'
      return [`${row.set} ${row.lang ?? ''} ${what} ${score.toFixed(3)}: ${row.text.slice(0, 300)}`]
    }),
  }
}

function lengthOf({ text }: DataRow): number {
  return LENGTHS.find((most) => text.length <= most) ?? Number.POSITIVE_INFINITY
}

function groups(scored: readonly Scored[], nameOf: (each: Scored) => string, threshold: number): ReportRow[] {
  return [...Map.groupBy(scored, nameOf)].map(([type, of]): ReportRow => {
    const scores = (label: 0 | 1): number[] => scoresOf(of.filter(({ row }) => row.label === label))
    const [harmless, attacks] = [scores(0), scores(1)]
    const found = attacks.filter((score) => score >= threshold).length
    return {
      type,
      found,
      missed: attacks.length - found,
      ...(attacks.length > 0 && { recall: found / attacks.length }),
      ...(harmless.length > 0 && { harmless: harmless.length, falseAlarms: share(harmless, threshold) }),
    }
  })
}

function bySet(scored: readonly Scored[]): Scored[][] {
  return [...Map.groupBy(scored, ({ row }) => row.set).values()]
}

function scoresOf(scored: readonly Scored[]): number[] {
  return scored.map(({ score }) => score)
}

/** The lowest threshold that at most this share of the scores reaches. */
function quantile(scores: readonly number[], part: number): number {
  const sorted = scores.toSorted((a, b) => b - a)
  return (sorted[Math.floor(sorted.length * part)] ?? 0) + 1e-9
}

function share(scores: readonly number[], threshold: number): number {
  return scores.filter((score) => score >= threshold).length / Math.max(1, scores.length)
}

function mean(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0) / Math.max(1, figures.length)
}

/** The probability that an attack scores higher than a harmless text (AUC). */
function area(scored: readonly Scored[]): number {
  const sorted = scored.toSorted((a, b) => a.score - b.score)
  let below = 0
  let above = 0
  for (const { row } of sorted) {
    if (row.label === 0) below++
    else above += below
  }
  const attacks = sorted.length - below
  return above / Math.max(1, below * attacks)
}
