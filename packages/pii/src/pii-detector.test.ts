import { Agent, type MillraceError, tool } from '@millrace/core'
import type { Finding } from '@millrace/guards/guard'
import { ScriptedModel, text, toolCall } from '@millrace/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { PIIDetector, type PIIDetectorOptions } from './pii-detector.ts'

const input = 'I am jo@example.com, card 4111 1111 1111 1111.'

async function seenByModel(options: PIIDetectorOptions): Promise<string> {
  const model = new ScriptedModel(['ok'])
  const agent = new Agent({ name: 'a', model, processors: [new PIIDetector(options)] })
  const { status } = await agent.generate(input)
  expect(status).toBe('completed')
  return JSON.stringify(model.calls[0]?.prompt)
}

describe('PIIDetector', () => {
  test('masks on the way in and out, however the answer is cut', async () => {
    for (const chunkSize of [1, 2, 7, 100]) {
      const model = new ScriptedModel([
        text('Write to jo@example.com, or call +49 30 901820.', { chunkSize }),
      ])
      const agent = new Agent({ name: 'a', model, processors: [new PIIDetector()] })
      const result = await agent.generate(input)
      expect(result.text).toBe('Write to ***@***.***, or call [REDACTED].')
      expect(JSON.stringify(model.calls[0]?.prompt)).toContain('I am ***@***.***, card [REDACTED].')
    }
  })

  test('redacts what tools are given and what they return', async () => {
    const given: unknown[] = []
    const lookup = tool({
      inputSchema: z.object({ who: z.string() }),
      execute: (given_) => {
        given.push(given_)
        return { iban: 'GB82 WEST 1234 5698 7654 32', phone: '+1 212 555 0199' }
      },
    })
    const model = new ScriptedModel([
      [toolCall('lookup', { who: 'jo@example.com' }, { chunkSize: 3 })],
      ['done'],
    ])
    const agent = new Agent({ name: 'a', model, tools: { lookup }, processors: [new PIIDetector()] })
    await agent.generate('go')
    expect(given).toEqual([{ who: '***@***.***' }])
    const prompt = JSON.stringify(model.calls[1]?.prompt)
    expect(prompt).not.toMatch(/example\.com|WEST|0199/)
  })

  test('puts in place of a value what the redaction says', async () => {
    expect(await seenByModel({ redaction: 'placeholder' })).toContain('I am [REDACTED], card [REDACTED].')
    expect(await seenByModel({ redaction: 'type' })).toContain('I am [EMAIL], card [CREDIT_CARD].')
    expect(await seenByModel({ redaction: 'remove' })).toContain('I am , card .')
    const last = (_: unknown, value: string): string => `…${value.slice(-4)}`
    expect(await seenByModel({ types: ['credit_card'], redaction: last })).toContain('card …1111.')
  })

  test('hashes with a key: equal values alike, with another key differently', async () => {
    const one = await seenByModel({ redaction: 'hash', hashKey: 'one' })
    expect(one).toMatch(/I am \[EMAIL_[0-9a-f]{12}\], card \[CREDIT_CARD_[0-9a-f]{12}\]\./)
    expect(await seenByModel({ redaction: 'hash', hashKey: new TextEncoder().encode('one') })).toBe(one)
    expect(await seenByModel({ redaction: 'hash', hashKey: 'two' })).not.toBe(one)
  })

  test('finds what custom recognizers describe, too', async () => {
    const model = new ScriptedModel(['ok'])
    const detector = new PIIDetector({
      types: ['email'],
      redaction: 'type',
      recognizers: [{ type: 'contract', pattern: /\bC-\d{6}\b/, score: 0.3, context: ['contract'] }],
    })
    const agent = new Agent({ name: 'a', model, processors: [detector] })
    await agent.generate('Contract C-123456 of jo@example.com, 4111 1111 1111 1111')
    expect(JSON.stringify(model.calls[0]?.prompt)).toContain(
      'Contract [CONTRACT] of [EMAIL], 4111 1111 1111 1111',
    )
  })

  test('blocks, and says what was found and where, but not which value', async () => {
    const findings: Finding[] = []
    const detector = new PIIDetector({ strategy: 'block', onDetection: (finding) => findings.push(finding) })
    const model = new ScriptedModel(['unused'])
    const result = await new Agent({ name: 'a', model, processors: [detector] }).generate(input)
    expect(result.rejection?.reason).toBe('Personal data was found in the input: email, credit_card.')
    expect(findings.map(({ type, start, end, surface }) => ({ type, start, end, surface }))).toEqual([
      { type: 'email', start: 5, end: 19, surface: 'input' },
      { type: 'credit_card', start: 26, end: 45, surface: 'input' },
    ])
    expect(JSON.stringify([findings, result.rejection])).not.toMatch(/example|4111/)
  })

  test.each<[string, PIIDetectorOptions]>([
    ['types', { types: ['e-mail' as 'email'] }],
    ['regions', { regions: ['XX' as 'US'] }],
    ['hashKey', { redaction: 'hash' }],
    ['redaction', { redaction: 'blur' as 'mask' }],
  ])('refuses wrong %s when it is made', (name, options) => {
    let error: Partial<MillraceError> = {}
    try {
      new PIIDetector(options)
    } catch (thrown) {
      error = thrown as MillraceError
    }
    expect(error.code).toBe('CONFIG_INVALID')
    expect(error.message).toContain(name)
  })
})
