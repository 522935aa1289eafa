import { growthOf, QUADRATIC, repeated } from '@millrace/testing/growth'
import { expect, test } from 'vitest'
import { escapeTags } from '../../src/content/tagged-text.ts'
import { visibleName } from '../../src/content/visible-name.ts'
import { referencesIn } from '../../src/turn/references.ts'

const HOSTILE = [
  ...[
    '@',
    '@"',
    '@a',
    '@a/',
    '@a.',
    '@a....',
    '@/.',
    '@a#L1',
    '@"a" ',
    ' @a.b',
    ' @../',
    `${' '.repeat(60)}@a`,
  ],
  ...['`', '`` ` ', '```', '```\n', '~~~\n', '    a\n', '> ', '[a', '[a]:\n', '](@', '\\'],
  ...['$(', '$(a', '$((', '$(a) ', '{', '{a', '{a}', '{{a}}', '@memory:', '@memory:a.', '@memory:a '],
  ...[
    '<',
    '< ',
    '</',
    '< / ',
    '<\u200b',
    '\uff1c',
    '<attached-file',
    '</attached-fil',
    '\u200b',
    '\ufdfa',
    '\ud800',
  ],
]

test.each(HOSTILE)('reads hostile text of %j in linear time', (piece) => {
  expect(growthOf((length) => referencesIn(repeated(piece, length)))).toBeLessThan(QUADRATIC)
  expect(growthOf((length) => escapeTags(repeated(piece, length), 'attached-file'))).toBeLessThan(QUADRATIC)
  expect(growthOf((length) => visibleName(repeated(piece, length)))).toBeLessThan(QUADRATIC)
})

test('reads one very long reference in linear time', () => {
  for (const [before, piece, after] of [
    ['<', ' ', ''],
    ['@"', 'a', ''],
    ['@', '.', 'x'],
    ['$(', 'a ', ''],
    ['```', '`', 'x'],
    ['[', 'a', ']:'],
  ] as const) {
    const text = (length: number) => before + repeated(piece, length) + after
    expect(growthOf((length) => referencesIn(text(length)))).toBeLessThan(QUADRATIC)
    expect(growthOf((length) => escapeTags(text(length), 'attached-file'))).toBeLessThan(QUADRATIC)
  }
})
