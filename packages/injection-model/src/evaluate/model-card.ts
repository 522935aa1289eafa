import { readFileSync, writeFileSync } from 'node:fs'
import type { Learned } from './learned.ts'
import type { Report, ReportRow } from './report.ts'
import type { Count, ShippedScores } from './shipped.ts'

export const MODEL_CARD: URL = new URL('../../../guards/docs/injection-model-card.md', import.meta.url)

export interface ModelCardTables {
  readonly leftOut: Report
  readonly shipped: ShippedScores
  readonly learned: readonly Learned[]
}

/** Writes the tables of the model card, each between `[scores]: # (name)` and `[scores]: # (end)`. */
export function writeModelCard({ leftOut, shipped, learned }: ModelCardTables): void {
  let card = readFileSync(MODEL_CARD, 'utf8')
  for (const [name, text] of [
    ['left out', leftOutTables(leftOut)],
    ['learned', learnedTable(learned)],
    ['shipped', shippedTables(shipped)],
  ] as const) {
    card = withSection(card, name, text)
  }
  writeFileSync(MODEL_CARD, card)
}

function withSection(card: string, name: string, text: string): string {
  const [begin, end] = [`[scores]: # (${name})\n`, '\n[scores]: # (end)']
  const from = card.indexOf(begin)
  const to = card.indexOf(end, from)
  if (from < 0 || to < 0)
    throw new Error(`The model card has no section '${name}': ${begin.trim()} ... ${end.trim()}`)
  return `${card.slice(0, from + begin.length)}\n${text}\n${card.slice(to)}`
}

function leftOutTables({ rows, summary }: Report): string {
  const figure = (name: string): number => {
    const value = summary[name]
    if (value === undefined) throw new Error(`The scores have no '${name}'.`)
    return value
  }
  const share = (name: string): string => percent(figure(name))
  const found = (prefix: string): string[][] =>
    named(rows, prefix)
      .filter(({ recall }) => recall !== undefined)
      .toSorted((a, b) => (b.recall ?? 0) - (a.recall ?? 0))
      .map(({ type, found, missed }) => [type, `${found} of ${found + missed}`])
  const alarms = (prefix: string): string[] =>
    lengthsIn(rows).map((length) => {
      const row = named(rows, prefix).find(({ type }) => type === length)
      return row?.falseAlarms === undefined ? 'none' : `${percent(row.falseAlarms)} of ${row.harmless}`
    })
  const pairs = (name: string): string => `${figure(`${name}: both right`)} of ${figure(`${name}: pairs`)}`
  return [
    table(
      ['', 'score'],
      [
        [
          'prompts: found, mean of the sets, where at most 4 % of harmless ones over 400 characters and 6 % of hard negatives are false alarms',
          share('prompts: recall, mean of the sets'),
        ],
        [
          'prompts: false alarms on those over 400 characters',
          percent(1 - figure('prompts: accuracy on long ones')),
        ],
        [
          'prompts: false alarms on hard negatives',
          percent(1 - figure('prompts: accuracy on trigger words')),
        ],
        ['prompts: false alarms on all', share('prompts: false alarms')],
        [
          'prompts: area under the curve, mean of the sets',
          figure('prompts: area under the curve, mean of the sets').toFixed(2),
        ],
        ['data, at 5 % false alarms: found, mean of the sets', share('documents: recall, mean of the sets')],
        [
          'data: area under the curve, mean of the sets',
          figure('documents: area under the curve, mean of the sets').toFixed(2),
        ],
        [
          'our own orders and look-alikes in fourteen languages, at 5 % false alarms: found',
          share('own texts in fourteen languages: recall'),
        ],
        [
          'the same: area under the curve',
          figure('own texts in fourteen languages: area under the curve').toFixed(2),
        ],
        [
          'two pages of paragraphs with and without an order: both right',
          pairs('long documents with and without an attack'),
        ],
        [
          'long documents of many formats and languages with and without an order: both right',
          pairs('documents of many formats with and without an attack'),
        ],
      ],
    ),
    table(['prompts, by set', 'found'], found('prompts: ')),
    table(['data, by set', 'found'], found('documents: ')),
    table(
      ['false alarms by length, in characters', ...lengthsIn(rows).map(lengthName)],
      [
        ['prompts', ...alarms('prompts up to ')],
        ['data', ...alarms('documents up to ')],
      ],
    ),
  ].join('\n\n')
}

function learnedTable(rows: readonly Learned[]): string {
  return table(
    ['data', 'attacks', 'harmless', 'licenses'],
    rows.map(({ data, attacks, harmless, licences }) => [
      data,
      attacks.toLocaleString('en'),
      harmless.toLocaleString('en'),
      licences.join(', '),
    ]),
  )
}

function shippedTables({
  weights,
  sets,
  lengths,
  hardNegatives,
  languages,
  toolDefinitions,
  pairs,
  presets,
}: ShippedScores): string {
  const found = (surface: string): string[][] =>
    sets
      .filter((each) => each.surface === surface)
      .toSorted((a, b) => b.count.flagged / b.count.of - a.count.flagged / a.count.of)
      .map(({ set, count }) => [set, `${count.flagged} of ${count.of}`])
  return [
    `Weights ${weights}.`,
    table(['prompts, by set', 'found'], found('prompts')),
    table(['data, by set', 'found'], found('data')),
    table(
      [
        'false alarms by length, in characters',
        ...lengths.map(({ most }) => lengthName(`${most} characters`)),
      ],
      [
        ['prompts', ...lengths.map(({ prompts }) => shareOf(prompts))],
        ['data', ...lengths.map(({ data }) => shareOf(data))],
      ],
    ),
    `False alarms on hard negatives, prompts in fourteen languages with the words of attacks: ${shareOf(hardNegatives)}.`,
    table(
      ['our own texts, as data', 'orders found', 'false alarms on look-alikes'],
      languages.map(({ lang, orders, lookAlikes }) => [lang, outOf(orders), outOf(lookAlikes)]),
    ),
    `Of our own tool definitions, ${outOf(toolDefinitions.poisoned)} with an order to the model are found, and ${outOf(toolDefinitions.harmless)} harmless ones are flagged.`,
    table(
      ['long documents, with an order and without', 'orders found', 'false alarms without', 'both right'],
      pairs.map(({ name, orders, clean, right }) => [
        name === 'paragraphs' ? 'paragraphs with trigger words' : 'sixteen formats, nine languages',
        outOf(orders),
        outOf(clean),
        String(right),
      ]),
    ),
    table(
      [
        'preset',
        'false alarms, prompts',
        'found in prompts',
        'false alarms, data',
        'found in data',
        'hard negatives',
      ],
      presets.map((each) => [
        `\`${each.preset}\``,
        shareOf(each.prompts),
        shareOf(each.attacksInPrompts),
        shareOf(each.data),
        shareOf(each.attacksInData),
        shareOf(each.hardNegatives),
      ]),
    ),
  ].join('\n\n')
}

function named(rows: readonly ReportRow[], prefix: string): ReportRow[] {
  return rows.flatMap((row) =>
    row.type.startsWith(prefix) ? [{ ...row, type: row.type.slice(prefix.length) }] : [],
  )
}

/** The classes of length, as the report names them: '200 characters', the longest last. */
function lengthsIn(rows: readonly ReportRow[]): string[] {
  const all = [...named(rows, 'prompts up to '), ...named(rows, 'documents up to ')].map(({ type }) => type)
  return [...new Set(all)].toSorted((a, b) => Number.parseFloat(a) - Number.parseFloat(b))
}

function lengthName(length: string): string {
  return length.startsWith('Infinity') ? 'more' : `up to ${length.replace(' characters', '')}`
}

function outOf({ flagged, of }: Count): string {
  return `${flagged} of ${of}`
}

function shareOf({ flagged, of }: Count): string {
  return of === 0 ? 'none' : `${percent(flagged / of)} of ${of}`
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
