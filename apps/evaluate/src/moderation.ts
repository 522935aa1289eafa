import { LABELLED_TEXTS, MODERATION_CATEGORIES, profanitySieve } from '@millrace/guards/internals'
import type { Report, ReportRow } from '@millrace/injection-model'
import { type LicensedRow, requireLicences } from './licences.ts'

/** A text from others: the label is 1 if it should be moderated. `set` is its source. */
export interface ModerationRow extends LicensedRow {
  text: string
  label: 0 | 1
  set?: string
}

/**
 * Evaluates the local moderation on built-in texts: findings by category, where a related category counts as found, and
 * false alarms.
 */
export async function evaluateModeration(): Promise<Report> {
  const scores = await scoresOf(LABELLED_TEXTS.map(([, text]) => text))
  const judged = LABELLED_TEXTS.map(([category, text], index) => ({
    category,
    text,
    flagged: (scores[index] ?? 0) > 0,
  }))
  const harmless = judged.filter(({ category }) => category === 'harmless')
  const harmful = judged.filter(({ category }) => category !== 'harmless')
  const alarms = harmless.filter(({ flagged }) => flagged)
  const missed = harmful.filter(({ flagged }) => !flagged)
  return {
    guard: 'profanitySieve',
    file: 'texts of our own',
    rows: MODERATION_CATEGORIES.flatMap((category) => {
      const own = harmful.filter((each) => each.category === category)
      if (own.length === 0) return []
      const found = own.filter(({ flagged }) => flagged).length
      return [{ type: category, found, missed: own.length - found, recall: found / own.length }]
    }),
    summary: {
      recall: 1 - missed.length / harmful.length,
      'false alarms': alarms.length / harmless.length,
      texts: judged.length,
    },
    mistakes: [
      ...missed.map(({ category, text }) => `${category} missed: ${text}`),
      ...alarms.map(({ text }) => `false alarm: ${text}`),
    ],
  }
}

/**
 * Evaluates the local moderation on texts from others, by set, and how well its scores rank them.
 *
 * @throws Error for a row without a license
 */
export async function evaluateModerationRows(rows: readonly ModerationRow[]): Promise<Report> {
  requireLicences('moderation', rows)
  const scores = await scoresOf(rows.map(({ text }) => text))
  const judged = rows.map((row, index) => ({ set: '', ...row, score: scores[index] ?? 0 }))
  const mistakes = judged.filter(({ label, score }) => score > 0 !== (label === 1))
  const of = (own: typeof judged): Pick<ReportRow, 'found' | 'missed' | 'recall' | 'falseAlarms'> => {
    const harmful = own.filter(({ label }) => label === 1)
    const found = harmful.filter(({ score }) => score > 0).length
    const clean = own.length - harmful.length
    const alarms = own.filter(({ label, score }) => label === 0 && score > 0).length
    return {
      found,
      missed: harmful.length - found,
      ...(harmful.length > 0 && { recall: found / harmful.length }),
      ...(clean > 0 && { falseAlarms: alarms / clean }),
    }
  }
  const { recall = 0, falseAlarms = 0 } = of(judged)
  return {
    guard: 'profanitySieve',
    file: 'moderation',
    rows: [...new Set(judged.map(({ set }) => set))].map((set): ReportRow => {
      return { type: set, ...of(judged.filter((each) => each.set === set)) }
    }),
    summary: { 'average precision': averagePrecision(judged), recall, 'false alarms': falseAlarms },
    mistakes: mistakes.map(
      ({ set, label, text }) => `${set} ${label === 1 ? 'missed' : 'false alarm'}: ${text.slice(0, 200)}`,
    ),
  }
}

/** The highest score of each text over all categories. */
async function scoresOf(texts: readonly string[]): Promise<number[]> {
  const judgements = await profanitySieve().check(texts, { abortSignal: new AbortController().signal })
  return judgements.map(({ score }) => score)
}

/**
 * The mean precision at each harmful text, in descending order of scores; texts with equal scores share their precision.
 */
function averagePrecision(judged: readonly { label: 0 | 1; score: number }[]): number {
  const harmful = judged.filter(({ label }) => label === 1).length
  let [sum, found, seen] = [0, 0, 0]
  for (const score of [...new Set(judged.map((each) => each.score))].sort((a, b) => b - a)) {
    const tied = judged.filter((each) => each.score === score)
    const own = tied.filter(({ label }) => label === 1).length
    found += own
    seen += tied.length
    sum += own * (found / seen)
  }
  return sum / Math.max(1, harmful)
}
