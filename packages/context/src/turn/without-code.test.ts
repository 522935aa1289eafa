import { repeated } from '@millrace/testing/growth'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { withoutCode, withoutCodeInSlices } from './without-code.ts'

describe('code is replaced by blanks', () => {
  test('of the same length, and the rest is unchanged', () => {
    const piece = fc.constantFrom(
      '`',
      '``',
      '```',
      '~~~',
      '\n',
      '\n\n',
      '    ',
      '> ',
      'a',
      ' ',
      '@b',
      '- ',
      '\t',
      '[x]: ',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('')
        const prose = withoutCode(text)
        expect(prose).toHaveLength(text.length)
        for (let index = 0; index < text.length; index++)
          expect(['`', text.charAt(index)]).toContain(prose.charAt(index))
      }),
    )
  })

  test('in slices with the same result, without blocking on a long text', async () => {
    for (const piece of ['`a` ', 'a `b`\n', '\n', '```\na\n```\n', '    a\n', 'a\n\n']) {
      const text = repeated(piece, 300_000)
      let turns = 0
      let isRunning = true
      const others = (): void => {
        turns++
        if (isRunning) setImmediate(others)
      }
      others()
      const prose = await withoutCodeInSlices(text)
      isRunning = false
      expect(prose).toBe(withoutCode(text))
      expect(prose).toHaveLength(text.length)
      expect(turns).toBeGreaterThan(4)
    }
  })

  test.each([
    ['a `b` c', 'a ``` c'],
    ['``a`b`` c', '``````` c'],
    ['a ` b', 'a ` b'],
    ['a `b\nc` d', 'a ````` d'],
    ['`a\n\nb`', '`a\n\nb`'],
    ['```\na\n```\nb', '```\n`\n```\nb'],
    ['~~~\n```\na\n~~~\nb', '```\n```\n`\n```\nb'],
    ['```\na', '```\n`'],
    ['    a\n    b\nc', '`````\n`````\nc'],
    ['a\n    b', 'a\n    b'],
    ['a\n\n    - b', 'a\n\n    - b'],
    ['> a\nb', '```\nb'],
    ['[a]: b', '``````'],
  ])('%j', (text, prose) => {
    expect(withoutCode(text)).toBe(prose)
  })
})
