import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { loadConfig } from './load-config.ts'

const folder = mkdtempSync(join(tmpdir(), 'millrace-config-'))
afterAll(() => rmSync(folder, { recursive: true }))
writeFileSync(join(folder, 'empty.mjs'), 'export const config = {}')
writeFileSync(join(folder, 'throws.mjs'), "throw new Error('Out of order.')")

test('returns undefined for a folder without a configuration', async () => {
  expect(await loadConfig(folder)).toBeUndefined()
})

test('finds the file of a folder, and prefers a file that is named', async () => {
  const requireThread = mkdtempSync(join(folder, 'own-'))
  writeFileSync(join(requireThread, 'millrace.config.mjs'), 'export default { port: 1 }')
  writeFileSync(join(requireThread, 'other.mjs'), 'export default { port: 2 }')
  expect(await loadConfig(requireThread)).toEqual({ port: 1 })
  expect(await loadConfig(requireThread, 'other.mjs')).toEqual({ port: 2 })
})

test.each([
  ['does not exist', 'nowhere.ts', "There is no file 'nowhere.ts'. Create it"],
  ['has no default export', 'empty.mjs', "'empty.mjs' has no default export"],
  ['throws', 'throws.mjs', "'throws.mjs' cannot be loaded: Out of order."],
])('throws an error with the remedy for a file that %s', async (_, file, message) => {
  await expect(loadConfig(folder, file)).rejects.toThrow(message)
})

test('refuses an option that the command does not know, also without defineConfig', async () => {
  writeFileSync(join(folder, 'misspelled.mjs'), 'export default { agents: {}, prot: 3000 }')
  await expect(loadConfig(folder, 'misspelled.mjs')).rejects.toThrow(
    "'misspelled.mjs' has no option 'prot'. Did you mean 'port'?",
  )
})
