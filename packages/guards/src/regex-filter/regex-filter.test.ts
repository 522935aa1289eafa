import { Agent, MillraceError } from '@millrace/core'
import { ScriptedModel, text } from '@millrace/testing'
import { describe, expect, test } from 'vitest'
import { RegexFilter } from './regex-filter.ts'

const ticket = /\bTICKET-\d{4,8}\b/

describe('RegexFilter', () => {
  test('blocks a match in the input before the model is called', async () => {
    const model = new ScriptedModel(['unused'])
    const agent = new Agent({ name: 'a', model, processors: [new RegexFilter({ patterns: [ticket] })] })
    const result = await agent.generate('see TICKET-12345')
    expect(result).toMatchObject({
      status: 'tripwire',
      rejection: {
        reason: 'A pattern was found in the input: pattern.',
        processorId: 'regex-filter',
        metadata: { surface: 'input', detections: [{ type: 'pattern', start: 4, end: 16, score: 1 }] },
      },
    })
    expect(model.callCount).toBe(0)
  })

  test('redacts matches in the answer, however it is cut', async () => {
    for (const chunkSize of [1, 3, 100]) {
      const model = new ScriptedModel([text('It is TICKET-12345, done.', { chunkSize })])
      const filter = new RegexFilter({
        strategy: 'redact',
        patterns: [{ pattern: ticket, type: 'ticket', replacement: '<ticket>' }],
      })
      const result = await new Agent({ name: 'a', model, processors: [filter] }).generate('hi')
      expect(result.text).toBe('It is <ticket>, done.')
    }
  })

  test('matches a repetition at the end of a pattern at any length', async () => {
    const value = 'x'.repeat(5_000)
    const model = new ScriptedModel([text(`password = ${value} ok`, { chunkSize: 7 })])
    const filter = new RegexFilter({ strategy: 'redact', patterns: [/password\s{0,4}=\s{0,4}\w+\b/i] })
    const result = await new Agent({ name: 'a', model, processors: [filter] }).generate('hi')
    expect(result.text).toBe('[REDACTED] ok')
  })

  test('rejects patterns that cannot run in linear time, and an empty list', () => {
    expect(() => new RegexFilter({ patterns: [/(\w)\1/] })).toThrow(MillraceError)
    expect(() => new RegexFilter({ patterns: [/^(?=.*\d)x/] })).toThrow(
      'lookaround over more than one character',
    )
    expect(() => new RegexFilter({ patterns: [] })).toThrow('no patterns')
  })
})

test.each([[['x']], [[null]], [[{}]], [[{ pattern: 'x' }]], [7]])('%j are not valid patterns', (patterns) => {
  expect(() => new RegexFilter({ patterns: patterns as never })).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID' }),
  )
})
