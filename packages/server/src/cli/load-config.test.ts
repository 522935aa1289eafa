import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { loadConfig } from './load-config.ts'

const folder = mkdtempSync(join(tmpdir(), 'millrace-config-'))
afterAll(() => rmSync(folder, { recursive: true }))
writeFileSync(join(folder, 'empty.mjs'), 'export const config = {}')
writeFileSync(join(folder, 'throws.mjs'), "throw new Error('Out of order.')")

test('a folder without a file has no configuration', async () => {
  expect(await loadConfig(folder)).toBeUndefined()
})

test('the file of a folder is found, and one that is named comes before it', async () => {
  const own = mkdtempSync(join(folder, 'own-'))
  writeFileSync(join(own, 'millrace.config.mjs'), 'export default { port: 1 }')
  writeFileSync(join(own, 'other.mjs'), 'export default { port: 2 }')
  expect(await loadConfig(own)).toEqual({ port: 1 })
  expect(await loadConfig(own, 'other.mjs')).toEqual({ port: 2 })
})

test.each([
  ['is not there', 'nowhere.ts', "There is no file 'nowhere.ts'. Create it"],
  ['has no default export', 'empty.mjs', "'empty.mjs' has no default export"],
  ['throws', 'throws.mjs', "'throws.mjs' cannot be loaded: Out of order."],
])('a file that %s is an error that says what to do', async (_, file, message) => {
  await expect(loadConfig(folder, file)).rejects.toThrow(message)
})
