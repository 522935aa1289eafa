import { Agent, tool } from '@millrace/core'
import { GuardedText, rewriteJson } from '@millrace/guards/guard'
import { Scanner } from '@millrace/guards/scanner'
import { SecretDetector } from '@millrace/guards/secrets'
import { PIIDetector } from '@millrace/pii'
import { ScriptedModel, text, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { textSink } from '../../../guards/test/text-sink.ts'

expect.extend(matchers)

const scanner = new Scanner([{ type: 'phone', pattern: /\b\d{7,9}\b/, score: 0.4, context: ['phone'] }])

/** Found by its name only. */
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
  test('are found in tool inputs and outputs', async () => {
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

/** Ordinary fields of tools, whose names also precede personal data. */
const ordinary = {
  message: 'Processed 7395807 rows in 7933 ms',
  error: { message: 'Timeout after 30000 ms, request 123e4567-e89b-42d3-a456-426614174000' },
  call: { id: 'call_Zx81kQpL', count: 2_994_117 },
  call_count: 2_994_117,
  cell: 'B12: 8001538',
  signal: 'SIGTERM 20817',
  device: { id: '6e24505f275d', os: 'iOS 17.4.1' },
  card: { id: 'card_9sLm4Tz8', title: 'Q3 results 482911', last4: '4242' },
  account: { id: '482910337', plan: 'pro' },
  address: { street: 'Main St 12', zip: '10115', lat: 52.520008 },
  phoneVerified: true,
  license: 'Apache-2.0',
  order: { id: '4829103377', total: 1_204_999 },
  timestamp: 1_732_118_400_000,
  key: 'projects/48291033',
  tokens: { input: 482_910, output: 1_204_999 },
  tokenType: 'Bearer',
  nextPageToken: 'CAUQAAw3Zk9sLm4Tz8RbY3wN5',
  password_reset_at: '2024-05-06T10:30:00.000Z',
  secretName: 'db-credentials-4829',
  authority: 'https://login.example.com/123e4567-e89b-42d3-a456-426614174000',
  url: 'https://example.com/items/482910337?page=2',
}

test.each([
  ['personal data', new PIIDetector()],
  ['secrets', new SecretDetector()],
] as const)('ordinary records contain no %s', async (_, guard) => {
  const records = tool({ inputSchema: z.any(), execute: () => ordinary })
  const model = new ScriptedModel([[toolCall('records', {})], ['ok']])
  const { steps } = await new Agent({ model, tools: { records }, processors: [guard] }).generate('Hi')
  expect(steps[0]?.toolResults[0]).toMatchObject({ output: ordinary })
})

test('a name applies to its own value only', () => {
  const left = rewriteJson(
    { phone: 'none', id: '1234567', list: [{ phone: '1234567' }, '1234567'] },
    (each, name) => (scanner.detect(name === undefined ? each : `${name}: ${each}`).length > 0 ? 'X' : each),
  )
  expect(left).toEqual({ phone: 'none', id: '1234567', list: [{ phone: 'X' }, '1234567'] })
})

test('JSON in chunks is read like JSON as a whole', () => {
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
      const sink = textSink(each, {
        text: (piece) => {
          out += piece
        },
        match: () => {
          out += 'X'
        },
      })
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
