import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './published-packages.ts'
import { documents, findAvoidedWords } from './words.ts'

test('the documentation uses no avoided words', () => {
  expect(documents().length).toBeGreaterThan(150)
  const found = documents().flatMap((file) =>
    findAvoidedWords(readFileSync(join(root, file), 'utf8')).map(
      ({ line, word, instead }) => `${file}:${line}: '${word}'. Write ${instead}.`,
    ),
  )
  expect(found).toEqual([])
})

test('finds avoided words in prose, with their line', () => {
  expect(findAvoidedWords('# Mill\n\nIt Utilises water,\ne.g. of a brook.')).toEqual([
    { line: 3, word: 'Utilises', instead: "'use'" },
    { line: 4, word: 'e.g.', instead: "'such as'" },
  ])
})

test('ignores code, URLs, quotations and longer words', () => {
  const markdown = [
    'The option `via` and the [page](https://example.com/via), in "via Appia", of a viaduct.',
    '```ts',
    "console.log('via')",
    '```',
    'Behavior via wheels.',
  ].join('\n')
  expect(findAvoidedWords(markdown)).toEqual([{ line: 5, word: 'via', instead: "'by', 'through', 'with'" }])
})
