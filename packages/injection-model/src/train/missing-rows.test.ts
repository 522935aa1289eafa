import { expect, test } from 'vitest'
import type { Manifest } from './manifest.ts'
import { missingOwnRows, missingRows } from './missing-rows.ts'

const manifest: Manifest = {
  node: '24.0.0',
  examples: { count: 0, sha256: '', own: '' },
  own: { 'written/a': ['a1', 'a2'], vocabulary: ['v1'] },
  thirdParty: [
    { source: 'Works', set: 'works', licence: 'MIT', use: 'text', rows: ['w1', 'w2', 'w3'] },
    { source: 'Others', set: 'others', licence: 'MIT', use: 'document', rows: ['o1'] },
  ],
}

test('lists the third-party rows that a folder lacks', () => {
  expect(missingRows(manifest, new Set(['w1', 'w2', 'w3', 'o1']), 'data')).toEqual([])
  expect(missingRows(manifest, new Set(['w2', 'o1']), 'data')).toEqual([
    '2 of 3 rows of the set works (Works) are not in data:',
    '  w1',
    '  w3',
  ])
})

test.each([
  [{ 'written/a': ['a1', 'a2'], vocabulary: ['v1'] }, []],
  [
    { 'written/a': ['a1', 'a3'], vocabulary: ['v1'] },
    [
      '1 of 2 rows of texts/written/a.jsonl are missing or have changed:',
      '  a2',
      '1 rows of texts/written/a.jsonl are not in the manifest:',
      '  a3',
    ],
  ],
  [
    { 'written/a': ['a2', 'a1'], vocabulary: ['v1'] },
    ['texts/written/a.jsonl has its rows in another order than the manifest.'],
  ],
  [
    { 'written/a': ['a1', 'a2'], vocabulary: ['v1'], 'written/b': ['b1'] },
    ['1 rows of texts/written/b.jsonl are not in the manifest:', '  b1'],
  ],
])('lists the differences between our own rows and the manifest', (found, said) => {
  expect(missingOwnRows(manifest, found)).toEqual(said)
})
