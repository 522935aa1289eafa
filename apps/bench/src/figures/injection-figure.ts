// What PromptInjectionDetector finds in sources that its classifier was not trained on: the evaluation with each source
// left out.
import { z } from 'zod'
import { type Figure, figure, percent, table } from './figure-text.ts'
import type { ResultFile } from './result-file.ts'

/** The used part of the output of `evaluate --left-out --json` in packages/injection-model. */
export const InjectionScores = z.object({
  rows: z.array(
    z.object({
      type: z.string(),
      found: z.number(),
      missed: z.number(),
      harmless: z.number().optional(),
      falseAlarms: z.number().optional(),
    }),
  ),
  summary: z.record(z.string(), z.number()),
})

type Scores = z.infer<typeof InjectionScores>
type Row = Scores['rows'][number]

export function injectionFigure(result: Omit<ResultFile, 'values'> & { values: Scores }): Figure {
  const { rows, summary } = result.values
  const named = (prefix: string): Row[] =>
    rows.flatMap((row) =>
      row.type.startsWith(prefix) ? [{ ...row, type: row.type.slice(prefix.length) }] : [],
    )
  const score = (name: string): number => {
    const value = summary[name]
    if (value === undefined) throw new Error(`The result of injection has no '${name}'.`)
    return value
  }
  const prompts = named('prompts: ')
  const documents = named('documents: ')
  const own = named('own texts: ')
  const attacked = (of: readonly Row[]): Row[] => of.filter(({ found, missed }) => found + missed > 0)
  const bars = (of: readonly Row[]) =>
    attacked(of)
      .toSorted((a, b) => recallOf(b) - recallOf(a))
      .map((row) => ({ label: row.type, value: recallOf(row), isOwn: true }))
  const lengths = [
    ...new Set([...named('prompts up to '), ...named('documents up to ')].map(({ type }) => type)),
  ].toSorted((a, b) => Number.parseFloat(a) - Number.parseFloat(b))
  const byLength = (texts: string, prefix: string): string[] => [
    texts,
    ...lengths.map((length) => {
      const { harmless = 0, falseAlarms = 0 } = named(prefix).find(({ type }) => type === length) ?? {}
      return harmless === 0 ? 'none' : `${percent(falseAlarms)} of ${harmless.toLocaleString('en')}`
    }),
  ]
  return figure('injection', result, {
    charts: {
      'injection.svg': {
        title: 'Attacks that PromptInjectionDetector finds, by source, none of it seen; longer is better',
        format: percent,
        groups: [
          { title: 'in prompts', bars: bars(prompts) },
          { title: 'in documents and results of tools', bars: bars(documents) },
        ],
      },
    },
    table: [
      table(
        ['texts', 'attacks', 'found', 'area under the curve', 'harmless texts', 'false alarms'],
        [
          [
            'prompts',
            ...counted(prompts, score('prompts: recall, mean of the sets')),
            score('prompts: area under the curve, mean of the sets').toFixed(2),
            ...alarmed(prompts),
          ],
          [
            'documents and results of tools',
            ...counted(documents, score('documents: recall, mean of the sets')),
            score('documents: area under the curve, mean of the sets').toFixed(2),
            ...alarmed(documents),
          ],
          [
            'texts of our own in fourteen languages, as documents',
            ...counted(own, score('own texts in fourteen languages: recall')),
            score('own texts in fourteen languages: area under the curve').toFixed(2),
            ...alarmed(own),
          ],
        ],
      ),
      table(
        ['source', 'where', 'attacks', 'found'],
        [
          ...attacked(prompts).map((row) => [
            row.type,
            'prompts',
            String(row.found + row.missed),
            percent(recallOf(row)),
          ]),
          ...attacked(documents).map((row) => [
            row.type,
            'documents',
            String(row.found + row.missed),
            percent(recallOf(row)),
          ]),
        ],
      ),
      table(
        [
          'false alarms by length',
          ...lengths.map((length) => (length.startsWith('Infinity') ? 'longer' : `up to ${length}`)),
        ],
        [byLength('prompts', 'prompts up to '), byLength('documents', 'documents up to ')],
      ),
      [
        `False alarms on harmless prompts with the words of attacks: ${percent(1 - score('prompts: accuracy on trigger words'))}.`,
        `Of ${score('long documents with and without an attack: pairs')} documents of two pages, ${score('long documents with and without an attack: both right')} are judged right both with an order in them and without it.`,
      ].join('\n'),
    ].join('\n\n'),
  })
}

function recallOf({ found, missed }: Row): number {
  return found / Math.max(1, found + missed)
}

function counted(rows: readonly Row[], share: number): string[] {
  const attacks = rows.reduce((sum, { found, missed }) => sum + found + missed, 0)
  return [attacks.toLocaleString('en'), percent(share)]
}

function alarmed(rows: readonly Row[]): string[] {
  const harmless = rows.reduce((sum, row) => sum + (row.harmless ?? 0), 0)
  const alarms = rows.reduce((sum, row) => sum + (row.harmless ?? 0) * (row.falseAlarms ?? 0), 0)
  return [harmless.toLocaleString('en'), percent(alarms / Math.max(1, harmless))]
}
