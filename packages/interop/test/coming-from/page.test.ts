import { expect, test } from 'vitest'
import { ROW_IDS } from './rows.ts'

test('every row of the page belongs to exactly one tested table', () => {
  expect(ROW_IDS.filter((id) => !/^(mastra|codebolt|slots|oasis)-/.test(id))).toEqual([])
  expect(new Set(ROW_IDS).size).toBe(ROW_IDS.length)
  expect(ROW_IDS.length).toBeGreaterThan(200)
})
