import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Detection, Scanner } from '@millrace/guards/scanner'
import { describe, expect, test } from 'vitest'
import { FoldedScanner } from './folded-scanner.ts'
import { piiRecognizers } from './recognizers.ts'

const scanner = new FoldedScanner(await Scanner.load(await piiRecognizers()))

function detect(text: string): Detection[] {
  const found: Detection[] = []
  const scan = scanner.open({ pass() {}, cover() {}, match: (detection) => found.push(detection) })
  scan.push(text)
  scan.end()
  return found
}

interface Case {
  readonly type: string
  readonly text: string
  readonly places: readonly (readonly [start: number, end: number])[]
}

const cases = readFileSync(join(import.meta.dirname, '../test/cases.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map(parse)

function parse(line: string): Case {
  const [type = '', marked = ''] = line.split('\t')
  const pieces = marked
    .replaceAll('\\n', '\n')
    .replaceAll('\\t', '\t')
    .split(/\[\[|\]\]/)
  const places: [number, number][] = []
  let text = ''
  for (const [index, piece] of pieces.entries()) {
    if (index % 2 === 1) places.push([text.length, text.length + piece.length])
    text += piece
  }
  return { type, text, places }
}

const TYPES = [...new Set(cases.map(({ type }) => type))].filter((type) => type !== 'none')

describe.each(TYPES)('%s', (type) => {
  test('is found wherever it stands, by its own type or by that of a country', () => {
    const missed = cases.filter((each) => each.type === type && !isFound(each)).map(({ text }) => text)
    expect(missed).toEqual([])
  })
})

function isFound({ type, text, places }: Case): boolean {
  const found = detect(text).filter((each) => each.type === type || each.type.endsWith(`_${type}`))
  return places.every(([start, end]) => found.some((each) => each.start <= start && each.end >= end))
}

test('what looks like personal data and is none stays', () => {
  const alarms = cases.filter(({ type, text }) => type === 'none' && detect(text).length > 0)
  expect(alarms.map(({ text }) => text)).toEqual([])
})
