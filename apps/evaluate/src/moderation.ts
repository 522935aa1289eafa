import { LABELLED_TEXTS, localModeration, MODERATION_CATEGORIES } from '@millrace/guards/internals'
import type { Report } from '@millrace/injection-model'

/**
 * The local tier on texts of our own: what it finds by category, where a related category counts as found, and how often
 * it flags what is harmless.
 */
export async function evaluateModeration(): Promise<Report> {
  const texts = LABELLED_TEXTS.map(([, text]) => text)
  const judgements = await localModeration().check(texts, { abortSignal: new AbortController().signal })
  const judged = LABELLED_TEXTS.map(([category, text], index) => ({
    category,
    text,
    flagged: judgements[index]?.flagged === true,
  }))
  const harmless = judged.filter(({ category }) => category === 'harmless')
  const harmful = judged.filter(({ category }) => category !== 'harmless')
  const alarms = harmless.filter(({ flagged }) => flagged)
  const missed = harmful.filter(({ flagged }) => !flagged)
  return {
    guard: 'localModeration',
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
