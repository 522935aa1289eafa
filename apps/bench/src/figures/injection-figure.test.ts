import { expect, test } from 'vitest'
import { InjectionScores, injectionFigure } from './injection-figure.ts'

const measured = {
  command: 'pnpm -F @millrace/injection-model evaluate <folder> --left-out',
  date: '2026-01-02T03:04:05.678Z',
  machine: { cpu: 'CPU', cores: 2, memoryGB: 8, os: 'Linux 6', load: 0 },
  versions: { node: '24.0.0' },
}
const report = {
  guard: 'PromptInjectionDetector, each source by itself, from the others',
  file: 'injection',
  rows: [
    { type: 'prompts: games', found: 30, missed: 10, recall: 0.75, harmless: 100, falseAlarms: 0.02 },
    { type: 'prompts: roles', found: 0, missed: 0, harmless: 300, falseAlarms: 0.04 },
    { type: 'documents: mails', found: 1, missed: 1, recall: 0.5, harmless: 20, falseAlarms: 0.05 },
    { type: 'prompts up to Infinity characters', found: 10, missed: 0, harmless: 1000, falseAlarms: 0.01 },
    { type: 'prompts up to 200 characters', found: 20, missed: 10, harmless: 40, falseAlarms: 0.05 },
    { type: 'documents up to 200 characters', found: 1, missed: 1 },
    { type: 'own texts: de', found: 3, missed: 1, recall: 0.75, harmless: 4, falseAlarms: 0.25 },
  ],
  summary: {
    'prompts: recall, mean of the sets': 0.75,
    'prompts: accuracy on trigger words': 0.974,
    'prompts: area under the curve, mean of the sets': 0.912,
    'documents: recall, mean of the sets': 0.5,
    'documents: area under the curve, mean of the sets': 0.888,
    'own texts in fourteen languages: recall': 0.75,
    'own texts in fourteen languages: area under the curve': 0.967,
    'long documents with and without an attack: pairs': 16,
    'long documents with and without an attack: both right': 6,
  },
  mistakes: [],
}

test('shows attacks, harmless texts and false alarms of left-out sources, in total, by source and by length', () => {
  const { text, charts } = injectionFigure({ ...measured, values: InjectionScores.parse(report) })
  expect(text.split('\n')).toEqual(
    expect.arrayContaining([
      '| prompts | 40 | 75.0 % | 0.91 | 400 | 3.5 % |',
      '| documents and results of tools | 2 | 50.0 % | 0.89 | 20 | 5.0 % |',
      '| texts of our own in fourteen languages, as documents | 4 | 75.0 % | 0.97 | 4 | 25.0 % |',
      '| games | prompts | 40 | 75.0 % |',
      '| mails | documents | 2 | 50.0 % |',
      '| false alarms by length | up to 200 characters | longer |',
      '| prompts | 5.0 % of 40 | 1.0 % of 1,000 |',
      '| documents | none | none |',
      'False alarms on harmless prompts with the words of attacks: 2.6 %.',
      'Of 16 documents of two pages, 6 are judged right both with an order in them and without it.',
    ]),
  )
  expect(text).not.toContain('| roles | prompts |')
  expect(charts['injection.svg']?.match(/<rect/g)).toHaveLength(2)
})

test('refuses a report without a required score', () => {
  const { 'prompts: accuracy on trigger words': _, ...summary } = report.summary
  const values = InjectionScores.parse({ ...report, summary })
  expect(() => injectionFigure({ ...measured, values })).toThrow(
    "The result of injection has no 'prompts: accuracy on trigger words'.",
  )
})
