import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Detection, Scanner } from '@millrace/guards/scanner'
import { expect, test } from 'vitest'
import { FoldedScanner } from './folded-scanner.ts'
import { piiRecognizers } from './recognizers.ts'

/** The form that `apps/evaluate` reads. A text without spans looks like personal data and is none. */
interface Labelled {
  readonly lang: string
  readonly text: string
  readonly spans: readonly { readonly type: string; readonly start: number; readonly end: number }[]
}

const rows: Labelled[] = readFileSync(join(import.meta.dirname, '../test/pii_documents.jsonl'), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line))
const scanner = new FoldedScanner(await Scanner.load(await piiRecognizers()))

function detect(text: string): Detection[] {
  const found: Detection[] = []
  const scan = scanner.open({ pass() {}, cover() {}, match: (detection) => found.push(detection) })
  scan.push(text)
  scan.end()
  return found
}

const labelled = rows.filter(({ spans }) => spans.length > 0)
const harmless = rows.filter(({ spans }) => spans.length === 0)

test('96 of a hundred values in texts of twelve languages are found, and nothing beside them', () => {
  expect(new Set(labelled.map(({ lang }) => lang)).size).toBe(12)
  const missed: string[] = []
  const wrong: string[] = []
  let values = 0
  for (const { text, spans } of labelled) {
    const found = detect(text)
    for (const { type, start, end } of spans) {
      values++
      const isFound = found.some(
        (each) =>
          (each.type === type || each.type.endsWith(`_${type}`)) && each.start <= start && each.end >= end,
      )
      if (!isFound) missed.push(`${type}: ${text}`)
    }
    for (const { type, start, end } of found) {
      if (!spans.some((span) => span.start < end && span.end > start)) wrong.push(`${type}: ${text}`)
    }
  }
  expect({ missed, share: 1 - missed.length / values }).toEqual({
    missed: expect.anything(),
    share: expect.toSatisfy((share: number) => share >= 0.96),
  })
  expect(wrong).toEqual([])
})

test('two of a hundred texts without any are false alarms at most', () => {
  const alarms = harmless.filter(({ text }) => detect(text).length > 0).map(({ text }) => text)
  expect({ alarms, share: alarms.length / harmless.length }).toEqual({
    alarms: expect.anything(),
    share: expect.toSatisfy((share: number) => share <= 0.02),
  })
})
