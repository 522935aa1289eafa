import { loadScorer, SIGNS, THRESHOLDS } from '@millrace/guards/internals'
import { learnedRows, readManifest } from '../train/manifest.ts'
import { hashOf } from '../train/row-hash.ts'
import type { Row } from '../train/rows.ts'
import { hardNegatives } from './hard-negatives.ts'
import type { Report, ReportRow } from './report.ts'

/** How often speed is measured again; the minimum counts. */
const PASSES = 5

interface Scored {
  readonly set: string
  readonly label: 0 | 1
  readonly score: number
  readonly layers: ReadonlySet<string>
}

/**
 * Evaluates the weights on rows they were not trained on. Scores by set and layer, and of all rows: at the default
 * threshold, and at the one with 1 % false positives.
 */
export async function evaluateInjection(rows: readonly Row[]): Promise<Report> {
  const scorer = await loadScorer()
  const learned = learnedRows(readManifest())
  const threshold = THRESHOLDS.balanced.input
  const mistakes: string[] = []
  const judge = ({ text, label, set }: Omit<Row, 'licence'>): Scored => {
    const { score, evidence } = scorer.score(text)
    if (score >= threshold !== (label === 1)) {
      const what = label === 1 ? 'missed' : 'false alarm'
      mistakes.push(`${set} ${what} ${score.toFixed(2)}: ${text.slice(0, 200)}`)
    }
    const layers = evidence.flatMap(({ layer, encodings }) => (encodings ? [layer, 'encoding'] : [layer]))
    return { set, label, score, layers: new Set(layers) }
  }
  const unseen = rows.filter((row) => !learned.has(hashOf(row)))
  const length = unseen.reduce((sum, { text }) => sum + text.length, 0)
  const pass = (): number => cpuTime(() => unseen.map(({ text }) => scorer.score(text)))
  // Includes compilation.
  const first = pass()
  const later = Math.min(...Array.from({ length: PASSES }, pass))
  const scored = unseen.map(judge)
  const hard = Object.values(hardNegatives())
    .flat()
    .map((text) => judge({ text, label: 0, set: 'hard negatives' }))
  const attacks = scored.filter(({ label }) => label === 1)
  const benign = scored.filter(({ label }) => label === 0)
  const onePercent =
    benign.map(({ score }) => score).sort((a, b) => b - a)[Math.floor(benign.length / 100)] ?? 1
  const share = (texts: readonly Scored[], least: number): number =>
    portion(texts, ({ score }) => score >= least)
  return {
    guard: 'PromptInjectionDetector',
    file: 'injection',
    rows: [...setRows([...scored, ...hard], threshold), ...layerRows(attacks, [...benign, ...hard])],
    summary: {
      threshold,
      recall: share(attacks, threshold),
      'recall, mean of the sets': meanOfSets(attacks, threshold),
      'false alarms': share(benign, threshold),
      'false alarms on hard negatives': share(hard, threshold),
      'threshold at 1 % false alarms': onePercent,
      'recall at 1 % false alarms': share(attacks, onePercent),
      'recall at 1 % false alarms, mean of the sets': meanOfSets(attacks, onePercent),
      'MB a CPU second': length / later,
      'MB a CPU second, first pass': length / first,
    },
    mistakes,
  }
}

/** CPU time in microseconds, so that other programs do not count. */
function cpuTime(work: () => void): number {
  const start = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(start)
  return user + system
}

function setRows(scored: readonly Scored[], threshold: number): ReportRow[] {
  return [...new Set(scored.map(({ set }) => set))].map((set): ReportRow => {
    const own = scored.filter((each) => each.set === set)
    const attacks = own.filter(({ label }) => label === 1)
    const clean = own.filter(({ label }) => label === 0)
    const found = attacks.filter(({ score }) => score >= threshold).length
    return {
      type: set,
      found,
      missed: attacks.length - found,
      ...(attacks.length > 0 && { recall: found / attacks.length }),
      ...(clean.length > 0 && { falseAlarms: portion(clean, ({ score }) => score >= threshold) }),
    }
  })
}

/** How often each layer finds a sign. A sign by itself is not a finding. */
function layerRows(attacks: readonly Scored[], clean: readonly Scored[]): ReportRow[] {
  return SIGNS.filter((sign) => sign !== 'quotation' && sign !== 'subject').map((sign): ReportRow => {
    const found = attacks.filter(({ layers }) => layers.has(sign)).length
    return {
      type: `layer ${sign}`,
      found,
      missed: attacks.length - found,
      recall: found / Math.max(1, attacks.length),
      falseAlarms: portion(clean, ({ layers }) => layers.has(sign)),
    }
  })
}

/** The mean over sets, so that sets of different sizes have the same weight. */
function meanOfSets(attacks: readonly Scored[], threshold: number): number {
  const sets = [...new Set(attacks.map(({ set }) => set))]
  const recalls = sets.map((name) =>
    portion(
      attacks.filter(({ set }) => set === name),
      ({ score }) => score >= threshold,
    ),
  )
  return recalls.reduce((sum, recall) => sum + recall, 0) / Math.max(1, recalls.length)
}

function portion(texts: readonly Scored[], isCounted: (text: Scored) => boolean): number {
  return texts.filter(isCounted).length / Math.max(1, texts.length)
}
