// Schemas of results that several pages use.
import { z } from 'zod'

export const Peers = z.array(z.object({ contest: z.string(), name: z.string(), fastest: z.number() }))
export const Guards = z.array(
  z.object({
    guard: z.string(),
    file: z.string(),
    rows: z.array(z.record(z.string(), z.union([z.string(), z.number()]))),
    summary: z.record(z.string(), z.number()),
  }),
)
const Scores = z.object({
  questions: z.number(),
  turns: z.record(z.string(), z.number()),
  tokens: z.record(z.string(), z.number()),
  MRR: z.number(),
})
export const Recall = z.array(
  z.object({ store: z.string(), all: Scores, categories: z.record(z.string(), Scores) }),
)
export function recallCells({ questions, turns, tokens, MRR }: z.infer<typeof Scores>): string[] {
  const shares = [turns[5], turns[10], turns[20], tokens[500], tokens[1_000], MRR]
  return [String(questions), ...shares.map((share = 0) => share.toFixed(3).replace(/^0/, ''))]
}

export function summaryOf(reports: z.infer<typeof Guards>, file: string): Record<string, number> {
  const report = reports.find((each) => each.file === file)
  if (!report) throw new Error(`The result of guards has no scores of ${file}.`)
  return report.summary
}

export function countsOf(reports: z.infer<typeof Guards>, file: string) {
  const rows = reports.find((each) => each.file === file)?.rows ?? []
  const sum = (key: string): number => rows.reduce((total, row) => total + Number(row[key] ?? 0), 0)
  const [found, missed, clean, alarms] = [sum('found'), sum('missed'), sum('clean'), sum('alarms')]
  return {
    found,
    texts: found + missed,
    recall: found / (found + missed),
    clean,
    alarms,
    falseAlarms: alarms / clean,
  }
}

export const secretScores = (reports: z.infer<typeof Guards>) => countsOf(reports, 'secrets')
export const exampleScores = (reports: z.infer<typeof Guards>) => countsOf(reports, 'pii_cases')
