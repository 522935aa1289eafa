import { Agent, type Processor } from '@millrace/core'
import { collect, ScriptedModel, text, textOf } from '@millrace/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ContentGuard, type LengthFinding } from './content-guard.ts'
import { LengthMeter, type LengthUnit } from './length-meter.ts'

const family = '👨‍👩‍👧'

async function answer(guard: Processor, answer: string, chunkSize = 3) {
  const model = new ScriptedModel([text(answer, { chunkSize })])
  return new Agent({ name: 'a', model, processors: [guard] }).generate('hi')
}

describe('LengthMeter', () => {
  test.each(['code-point', 'grapheme'] as LengthUnit[])(
    'counted in %ss, passes the same text however it is cut into chunks',
    (unit) => {
      const pieces = fc.array(
        fc.constantFrom(
          'a',
          'é',
          'e\u0301',
          '中',
          '😀',
          family,
          '🇳🇴',
          '\ud83d',
          '\r\n',
          '\u0301'.repeat(300),
        ),
        {
          maxLength: 12,
        },
      )
      const measure = (pieces: readonly string[], length: number) => {
        const meter = new LengthMeter({ unit, length, bytes: 60 })
        const out = pieces.map((piece) => meter.push(piece)).join('') + meter.end()
        return { out, isOver: meter.isOver, used: meter.used }
      }
      fc.assert(
        fc.property(pieces, fc.integer({ min: 1, max: 14 }), (pieces, length) => {
          const text = pieces.join('')
          const whole = measure([text], length)
          expect(measure(text.split(''), length)).toEqual(whole)
          expect(measure(pieces, length)).toEqual(whole)
          expect(text.startsWith(whole.out)).toBe(true)
          expect(whole.isOver).toBe(whole.out !== text)
        }),
      )
    },
  )
})

describe('ContentGuard', () => {
  test('blocks a message that exceeds the limit in code points, and passes one that fits', async () => {
    const model = new ScriptedModel(['ok'], { repeat: 'last' })
    const agent = new Agent({ name: 'a', model, processors: [new ContentGuard({ maxInputLength: 5 })] })
    expect((await agent.generate('😀😀😀😀😀')).status).toBe('completed')
    expect(await agent.generate('123456')).toMatchObject({
      status: 'tripwire',
      rejection: {
        reason: 'A message is longer than 5 code points or 20 bytes.',
        metadata: { surface: 'input' },
      },
    })
  })

  test('counts graphemes with unit: grapheme, with a limit in bytes', async () => {
    const options = { maxOutputLength: 3, unit: 'grapheme', strategy: 'truncate' } as const
    expect((await answer(new ContentGuard(options), family.repeat(5), 1)).text).toBe(family.repeat(3))
    const zalgo = `a${'\u0301'.repeat(200)}`
    expect((await answer(new ContentGuard(options), zalgo)).text).toBe('')
  })

  test('truncates the answer over all streamed text, and text that other processors add', async () => {
    const guard = new ContentGuard({ maxOutputLength: 10, strategy: 'truncate' })
    expect((await answer(guard, 'abcdefghijklmnop')).text).toBe('abcdefghij')
    const writer: Processor = {
      id: 'writer',
      processOutputResult: ({ messages }) => {
        for (const part of messages[0]?.content.parts ?? [])
          if (part.type === 'text') part.text += '!'.repeat(20)
      },
    }
    const model = new ScriptedModel(['abc'])
    const result = await new Agent({ name: 'a', model, processors: [writer, guard] }).generate('hi')
    expect(result.text).toBe('abc!!!!!!!')
  })

  test('does not count the text of a rejected attempt', async () => {
    const guard = new ContentGuard({ maxOutputLength: 10, strategy: 'truncate' })
    const strict: Processor = {
      id: 'strict',
      processOutputStep: ({ retryCount, abort }) => {
        if (retryCount === 0) abort('Again.', { retry: true })
      },
    }
    const model = new ScriptedModel(['12345678', 'abcdefghijklmnop'])
    const result = await new Agent({ name: 'a', model, processors: [guard, strict] }).generate('hi')
    expect(result.text).toBe('abcdefghij')
  })

  test('blocks a streamed answer before more than the limit is emitted', async () => {
    const model = new ScriptedModel([text('abcdefghijklmnop', { chunkSize: 1 })])
    const agent = new Agent({ name: 'a', model, processors: [new ContentGuard({ maxOutputLength: 10 })] })
    const stream = agent.stream('hi')
    const deltas = (await collect(stream.fullStream)).filter(({ type }) => type === 'text-delta')
    expect(textOf(deltas)).toBe('abcdefghij')
    expect((await stream.result).status).toBe('tripwire')
  })

  test('reports once, and changes nothing with warn or in monitor mode', async () => {
    for (const options of [{ strategy: 'warn' }, { mode: 'monitor' }] as const) {
      const findings: LengthFinding[] = []
      const onDetection = (finding: LengthFinding) => findings.push(finding)
      const guard = new ContentGuard({ maxOutputLength: 4, ...options, onDetection })
      expect((await answer(guard, 'abcdefgh')).text).toBe('abcdefgh')
      expect(findings).toMatchObject([
        { type: 'length', surface: 'answer', start: 4, processorId: 'content-guard' },
      ])
    }
  })

  test.each([
    { mode: 'enforced' as 'enforce' },
    { strategy: 'redact' as 'block' },
    { surfaces: ['output' as 'answer'] },
  ])('rejects unknown option values: %j', (options) => {
    expect(() => new ContentGuard({ maxInputLength: 1, maxOutputLength: 1, ...options })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    )
  })

  test('rejects options without a limit', () => {
    expect(() => new ContentGuard({})).toThrow('no limit')
    expect(() => new ContentGuard({ maxInputLength: -1 })).toThrow('A length limit is -1')
  })
})
