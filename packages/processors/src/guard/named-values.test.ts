import { Agent, tool } from '@millrace/core'
import { ScriptedModel, text, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { PIIDetector } from '../pii/pii-detector.ts'
import { Scanner } from '../scanner/scanner.ts'
import { SecretDetector } from '../secrets/secret-detector.ts'
import { GuardedText } from './guarded-text.ts'
import { rewriteJson } from './json-value.ts'

expect.extend(matchers)

const scanner = new Scanner([{ type: 'phone', pattern: /\b\d{7,9}\b/, score: 0.4, context: ['phone'] }])

/** Found by its name alone. */
const record = {
  passportNumber: 'C03005988',
  customer: { phone: { number: 5_551_234 }, ssn: '536228145' },
  phones: ['5551234', '5559876'],
  date_of_birth: '1987-05-12',
}
const personal = ['C03005988', '5551234', '5559876', '536228145', '1987-05-12']
const secrets = { password: 'k7Qp2vX9sLm4Tz8R', apiKeys: ['k7Qp2vX9sLm4Tz8RbY3wN5cD'] }

describe.each([
  ['personal data', () => new PIIDetector(), record, personal],
  ['secrets', () => new SecretDetector(), secrets, ['k7Qp2vX9', 'bY3wN5cD']],
] as const)('%s by the names of properties', (_, make, value, parts) => {
  test('are found in what tools get and give', async () => {
    const seen: unknown[] = []
    const look = tool({
      inputSchema: z.any(),
      execute: (input) => {
        seen.push(input)
        return value
      },
    })
    const model = new ScriptedModel([[toolCall('look', value, { chunkSize: 2 })], ['ok']])
    const result = await new Agent({ model, tools: { look }, processors: [make()] }).generate('Hi')
    expect([result, seen, model.lastPrompt]).toLeakNothingOf([...parts])
  })

  test('are found in structured answers', async () => {
    const model = new ScriptedModel([[text(JSON.stringify(value), { chunkSize: 3 })]])
    const result = await new Agent({ model, processors: [make()] }).generate('Hi', { output: z.any() })
    expect(result).toLeakNothingOf([...parts])
  })
})

test('a name is that of its own value', () => {
  const left = rewriteJson(
    { phone: 'none', id: '1234567', list: [{ phone: '1234567' }, '1234567'] },
    (each, name) => (scanner.detect(name === undefined ? each : `${name}: ${each}`).length > 0 ? 'X' : each),
  )
  expect(left).toEqual({ phone: 'none', id: '1234567', list: [{ phone: 'X' }, '1234567'] })
})

test('JSON in pieces is read as JSON that is whole', () => {
  const key = fc.constantFrom('phone', 'id', 'phone number', 'a"b', 'x')
  const leaf = fc.oneof(
    fc.constantFrom('1234567', '12', 'phone', '7654321 or 1234567'),
    fc.constantFrom(1_234_567, 12, 7_654_321, null, true),
  )
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 3 }),
    ),
  }))
  const guard = (): GuardedText =>
    new GuardedText({ scanner, json: true, replacement: () => 'X', onMatch: () => {} })
  const rewritten = (value: unknown): unknown =>
    rewriteJson(value, (each, name) => {
      let out = ''
      const sink = {
        text: (piece: string) => {
          out += piece
        },
        match: () => {
          out += 'X'
        },
        covered: () => {},
      }
      const scan = scanner.open(sink, name)
      scan.push(each)
      scan.end()
      return out
    })
  fc.assert(
    fc.property(tree, fc.array(fc.nat(200)), (value, places) => {
      const json = JSON.stringify(value)
      const whole = guard()
      const once = whole.push(json) + whole.end()
      const cuts = [0, ...places.filter((place) => place < json.length).sort((a, b) => a - b), json.length]
      const pieces = guard()
      const out =
        cuts
          .slice(1)
          .map((end, index) => pieces.push(json.slice(cuts[index], end)))
          .join('') + pieces.end()
      expect(out).toBe(once)
      expect(JSON.parse(out)).toEqual(rewritten(value))
    }),
  )
})
