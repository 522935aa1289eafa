// The charts and texts of each result in the page of figures.
import { z } from 'zod'
import type { BarChart } from './bar-chart.ts'
import { type Figure, figure, measured, milliseconds, percent, table } from './figure-text.ts'
import { InjectionScores, injectionFigure } from './injection-figure.ts'
import { KILL_TARGETS, KillCount, type KillTarget } from './measure-kills.ts'
import { readResult, resultNames } from './result-file.ts'
import {
  countsOf,
  exampleScores,
  Guards,
  Peers,
  Recall,
  recallCells,
  secretScores,
  summaryOf,
} from './scores.ts'

const Sizes = z.object({
  loaded: z.array(
    z.object({ code: z.string(), kilobytes: z.number(), onDemand: z.number(), budget: z.number() }),
  ),
  installed: z.array(
    z.object({
      names: z.array(z.string()),
      megabytes: z.number(),
      packages: z.number(),
      budget: z.number().optional(),
    }),
  ),
})

const Speed = z.array(
  z.object({
    rows: z.array(z.object({ type: z.string(), 'MB/s': z.number(), 'times one pattern': z.number() })),
    summary: z.record(z.string(), z.number()),
  }),
)

const OWN = 'Millrace'

export function allFigures(): Figure[] {
  return [peers(), guards(), speed(), injection(), recall(), kills(), sizes()]
}

function peers(): Figure {
  const result = readResult('peers', Peers)
  const contests = [...new Set(result.values.map(({ contest }) => contest))]
  const of = (contest: string) => result.values.filter((each) => each.contest === contest)
  const chart: BarChart = {
    title: 'Time of the same work in each framework, by contest; shorter is better',
    ownScales: true,
    format: milliseconds,
    groups: contests.map((contest) => ({
      title: contest,
      bars: of(contest).map(({ name, fastest }) => ({ label: name, value: fastest, isOwn: name === OWN })),
    })),
  }
  return figure('peers', result, {
    charts: { 'peers.svg': chart },
    table: inCommon(contests, (contest) => of(contest).map(({ name }) => name))
      .map((together) => {
        const names = [...new Set(together.flatMap((contest) => of(contest).map(({ name }) => name)))]
        const rows = together.map((contest) => [
          contest,
          ...names.map((name) => {
            const found = of(contest).find((each) => each.name === name)
            return found ? milliseconds(found.fastest) : 'none'
          }),
        ])
        return table(['work, five times', ...names], rows)
      })
      .join('\n\n'),
    isTimed: true,
  })
}

/** Groups contests with common contestants: each group is one table. */
function inCommon(contests: readonly string[], namesOf: (contest: string) => string[]): string[][] {
  const tables: string[][] = []
  for (const contest of contests) {
    const names = namesOf(contest)
    const found = tables.find((one) =>
      one.some((other) => namesOf(other).some((name) => names.includes(name))),
    )
    if (found) found.push(contest)
    else tables.push([contest])
  }
  return tables
}

function guards(): Figure {
  const result = readResult('guards', Guards)
  const secrets = secretScores(result.values)
  const examples = exampleScores(result.values)
  const documents = summaryOf(result.values, 'pii_documents')
  const moderation = countsOf(result.values, 'texts of our own')
  const { texts: all = 0, 'false alarms': falseAlarms = 0 } = summaryOf(result.values, 'texts of our own')
  const rows = [
    [
      '`SecretDetector`',
      'rules of a secret scanner',
      secrets.texts,
      secrets.recall,
      secrets.clean,
      secrets.falseAlarms,
    ],
    [
      '`PIIDetector`',
      'tests of recognizers',
      examples.texts,
      examples.recall,
      examples.clean,
      examples.falseAlarms,
    ],
    [
      '`ModerationProcessor`, local tier',
      'texts of our own',
      moderation.texts,
      moderation.recall,
      all - moderation.texts,
      falseAlarms,
    ],
  ] as const
  const shares = rows.map(([guard, data, texts, found, clean, alarms]) => [
    guard,
    data,
    String(texts),
    percent(Number(found)),
    String(clean),
    percent(Number(alarms)),
  ])
  const values = `Of ${documents['values labelled']} values in the synthetic documents, ${documents['left after redaction']} are left after redaction.`
  return figure('guards', result, {
    charts: {
      'guards.svg': {
        title: 'What guards find of what is labelled, and their false alarms',
        format: percent,
        groups: rows.map(([guard, , , found, , alarms]) => ({
          title: guard.replaceAll('`', ''),
          bars: [
            { label: 'found', value: Number(found), isOwn: true },
            { label: 'false alarms', value: Number(alarms) },
          ],
        })),
      },
    },
    table: `${table(['guard', 'data', 'texts with it', 'found', 'texts without', 'false alarms'], shares)}\n\n${values}`,
  })
}

function speed(): Figure {
  const result = readResult('speed', Speed)
  const [report] = result.values
  if (!report) throw new Error('The result of speed has no guards: were there documents in the folder?')
  const pattern = report.summary['MB/s of one combined pattern'] ?? 0
  const rows = report.rows.toSorted((a, b) => b['MB/s'] - a['MB/s'])
  const bars = rows.map((row) => ({ label: row.type, value: row['MB/s'], isOwn: true }))
  return figure('speed', result, {
    charts: {
      'speed.svg': {
        title: 'Megabytes a second of each guard as it ships; longer is better',
        format: megabytes,
        groups: [
          {
            title: 'documents full of names, addresses and numbers',
            bars: [...bars, { label: 'one expression', value: pattern }],
          },
        ],
      },
    },
    table: table(
      ['guard', 'speed', 'times the time of one expression'],
      rows.map((row) => [`\`${row.type}\``, megabytes(row['MB/s']), row['times one pattern'].toFixed(1)]),
    ),
    isTimed: true,
  })
}

function injection(): Figure {
  // The only optional result, because its evaluation takes minutes.
  if (!resultNames().includes('injection'))
    return { name: 'injection', charts: {}, text: 'Not measured yet.' }
  return injectionFigure(readResult('injection', InjectionScores))
}

function recall(): Figure {
  const result = readResult('recall', Recall)
  const [{ all, categories } = { all: undefined, categories: {} }] = result.values
  const entries = Object.entries({ ...(all && { all }), ...categories })
  return figure('recall', result, {
    charts: {
      'recall.svg': {
        title:
          'Share of the turns with the answer among the ten that are shown, by kind of question; longer is better',
        format: percent,
        groups: [
          {
            title: 'among the first ten turns, by words alone',
            bars: entries.map(([label, { turns }]) => ({ label, value: turns[10] ?? 0, isOwn: true })),
          },
        ],
      },
    },
    table: table(
      ['questions', 'number', '5 turns', '10 turns', '20 turns', '500 tokens', '1,000 tokens', 'MRR'],
      entries.map(([name, scores]) => [name, ...recallCells(scores)]),
    ),
  })
}

const KILLED: Readonly<Record<KillTarget, string>> = {
  sqlite: 'SQLite',
  libsql: 'libSQL, in a file',
  postgres: 'PostgreSQL',
  dbos: 'DBOS, on PostgreSQL',
}

function kills(): Figure {
  const results = KILL_TARGETS.map((target) => ({
    target,
    ...readResult(`kills-${target}`, z.array(KillCount)),
  }))
  const rows = results.flatMap(({ target, values }) =>
    values.map(({ rule, kills, fault }) => [
      KILLED[target],
      rule,
      kills.toLocaleString('en'),
      fault === undefined ? 'none' : `\`${fault.replaceAll('`', "'").replaceAll('|', '\\|')}\``,
    ]),
  )
  const counts = results.flatMap(({ target, values }) =>
    values.flatMap(({ counts }) => {
      const counted = Object.entries(counts ?? {}).map(
        ([name, count]) => `${count.toLocaleString('en')} ${name}`,
      )
      return counted.length > 0 ? [`${KILLED[target]}: ${counted.join('; ')}.`] : []
    }),
  )
  const measurements = results.map(({ target, ...result }) => `${KILLED[target]}: ${measured(result, false)}`)
  return {
    name: 'kills',
    charts: {},
    text: [
      table(['on', 'what must hold', 'kills', 'faults'], rows),
      ...counts,
      measurements.join('\n\n'),
    ].join('\n\n'),
  }
}

function sizes(): Figure {
  const result = readResult('sizes', Sizes)
  const short = (names: readonly string[]): string =>
    names.map((name) => name.replace('@millrace/', '')).join(' + ')
  const isOwn = (names: readonly string[]): boolean => names.some((name) => name.startsWith('@millrace/'))
  const rows = result.values.installed.map(({ names, megabytes, packages }) => [
    isOwn(names) ? `Millrace: ${short(names)}` : names.join(' + '),
    `${megabytes.toFixed(1)} MB`,
    String(packages),
  ])
  const loaded = result.values.loaded
    .filter(({ code }) => /core'$|memory'$|guards\/|pii'$|Worker|\n/.test(code))
    .map(({ code, kilobytes, onDemand, budget }) => [
      code.includes('\n')
        ? 'a worker with core, pii and prompt-injection, all of it'
        : (/'([^']+)'/.exec(code)?.[1] ?? code),
      `${kilobytes.toFixed(1)} kB`,
      `${onDemand.toFixed(1)} kB`,
      `${budget} kB`,
    ])
  const chosen = result.values.installed.filter(
    ({ names }) => !isOwn(names) || /^core$|store-sqlite|processors/.test(short(names)),
  )
  return figure('sizes', result, {
    charts: {
      'sizes.svg': {
        title: 'What is installed, in megabytes; shorter is better',
        format: (value) => `${value.toFixed(1)} MB`,
        groups: [
          {
            title: "installed, beyond the AI SDK's provider package",
            bars: chosen.map(({ names, megabytes }) => ({
              label: isOwn(names) ? short(names) : (names[0] ?? ''),
              value: megabytes,
              isOwn: isOwn(names),
            })),
          },
        ],
      },
    },
    table: `${table(['installed', 'size', 'packages'], rows)}\n\n${table(['loaded, minified and compressed', 'at once', 'on demand', 'budget at once'], loaded)}`,
  })
}

function megabytes(speed: number): string {
  return `${speed >= 100 ? speed.toFixed(0) : speed.toPrecision(2)} MB/s`
}
