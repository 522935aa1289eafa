import { Agent } from '@millrace/core'
import { Scanner } from '@millrace/guards/scanner'
import { ScriptedModel, text } from '@millrace/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textSink } from '../../guards/test/text-sink.ts'
import { FoldedScanner } from './folded-scanner.ts'
import { PIIDetector } from './pii-detector.ts'

test.each([
  ['full width', '４１１１－１１１１－１１１１－１１１１'],
  ['Arabic digits', '٤١١١ ١١١١ ١١١١ ١١١١'],
  ['Persian digits', '۴۱۱۱۱۱۱۱۱۱۱۱۱۱۱۱'],
  ['Devanagari digits', '४१११ ११११ ११११ ११११'],
  ['hyphens that do not break', '4111‑1111‑1111‑1111'],
  ['spaces that do not break', '4111\u00a01111\u202f1111\u00a01111'],
  ['a full-width address', 'ｊｏ＠ｅｘａｍｐｌｅ．ｃｏｍ'],
  ['dashes of a social security number', '536–22–8145'],
])('finds what is written with %s', async (_, value) => {
  const model = new ScriptedModel([[text(`It is ${value}, “yes”.`, { chunkSize: 1 })]])
  const { text: said } = await new Agent({ model, processors: [new PIIDetector()] }).generate('Hi')
  expect(said).toMatch(/^It is (?:\[REDACTED\]|\*\*\*@\*\*\*\.\*\*\*), “yes”\.$/)
})

test('gives back the originals of what it found', async () => {
  const model = new ScriptedModel(({ prompt }) => [
    /\[CREDIT_CARD_\w+\]/.exec(JSON.stringify(prompt))?.[0] as string,
  ])
  const processors = [new PIIDetector({ redaction: 'tokenize' })]
  const value = '٤١١١ ١١١١ ١١١١ ١١١١'
  expect((await new Agent({ model, processors }).generate(value)).text).toBe(value)
})

test('lets every text out as it was, however it is cut', () => {
  const scanner = new FoldedScanner(
    new Scanner([
      { type: 'number', pattern: /\d{3}-\d{3}/ },
      { type: 'tail', pattern: /-\d{3} x/ },
    ]),
  )
  const piece = fc.constantFrom('1', '２', '٣', '-', '–', ' ', '\u00a0', 'x', 'ｘ', '\ud83d', '\ude00', 'a')
  fc.assert(
    fc.property(fc.array(fc.array(piece).map((units) => units.join(''))), (pieces) => {
      let out = ''
      const values: string[] = []
      const scan = scanner.open(
        textSink(pieces.join(''), {
          text: (left) => {
            out += left
          },
          covered: (left) => {
            out += left
          },
          match: (detection, value, { continues }) => {
            if (!continues) values.push(value)
            expect(value).toHaveLength(detection.end - detection.start)
          },
        }),
      )
      for (const each of pieces) scan.push(each)
      scan.end()
      expect(out).toBe(pieces.join(''))
      for (const value of values) expect(out).toContain(value)
    }),
  )
})
