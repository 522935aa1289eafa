import type { RecallReport, RecallScores } from './score-recall.ts'

const COLUMNS = ['R@1', 'R@5', 'R@10', 'nDCG'] as const

/** Reports as Markdown: one table for each store, a line for each category. */
export function toMarkdown(reports: readonly RecallReport[]): string {
  return reports
    .map(({ store, all, categories, latency }) =>
      [
        `## ${store}: ${latency.median.toFixed(2)} ms a search, ${latency.p95.toFixed(2)} ms at the 95th percentile`,
        '',
        `| questions | | ${COLUMNS.join(' | ')} | ${COLUMNS.map((name) => `${name} with neighbours`).join(' | ')} |`,
        `| --- | --- |${' --- |'.repeat(COLUMNS.length * 2)}`,
        ...Object.entries({ all, ...categories }).map(([category, scores]) => lineOf(category, scores)),
      ].join('\n'),
    )
    .join('\n\n')
}

function lineOf(category: string, { questions, hits, neighbours }: RecallScores): string {
  const figures = [hits, neighbours].flatMap((scores) => COLUMNS.map((name) => scores[name].toFixed(3)))
  return `| ${category} | ${questions} | ${figures.join(' | ')} |`
}
