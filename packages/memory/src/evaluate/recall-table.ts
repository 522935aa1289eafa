import { type RecallReport, type RecallScores, TOKENS_SHOWN, TURNS_SHOWN } from './score-recall.ts'

const COLUMNS = [
  ...TURNS_SHOWN.map((count) => `R@${count}`),
  ...TOKENS_SHOWN.map((count) => `${count} tokens`),
  'MRR',
]

/** Formats reports as Markdown: one table per store, one row per category. */
export function toMarkdown(reports: readonly RecallReport[]): string {
  return reports
    .map(({ store, all, categories, latency }) =>
      [
        `## ${store}: ${latency.median.toFixed(2)} ms a search, ${latency.p95.toFixed(2)} ms at the 95th percentile`,
        '',
        `| questions | | ${COLUMNS.join(' | ')} |`,
        `| --- | --- |${' --- |'.repeat(COLUMNS.length)}`,
        ...Object.entries({ all, ...categories }).map(([category, scores]) => rowOf(category, scores)),
      ].join('\n'),
    )
    .join('\n\n')
}

function rowOf(category: string, { questions, turns, tokens, MRR }: RecallScores): string {
  const figures = [
    ...TURNS_SHOWN.map((count) => turns[count]),
    ...TOKENS_SHOWN.map((count) => tokens[count]),
    MRR,
  ]
  return `| ${category} | ${questions} | ${figures.map((figure) => figure.toFixed(3)).join(' | ')} |`
}
