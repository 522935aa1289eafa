import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { readManifest } from './manifest.ts'

const folder = mkdtempSync(join(tmpdir(), 'train-'))
afterAll(() => rmSync(folder, { recursive: true }))

const run = (...args: string[]): Promise<{ stdout: string; stderr: string }> => {
  const main = join(import.meta.dirname, 'main.ts')
  return promisify(execFile)(process.execPath, ['--conditions=@millrace/source', main, ...args])
}

test('training without all rows of the manifest lists the missing ones, and writes nothing', async () => {
  mkdirSync(join(folder, 'more'))
  const row = { text: 'Hello', label: 0, set: 'others', licence: 'MIT' }
  writeFileSync(join(folder, 'more', 'rows.jsonl.gz'), gzipSync(`${JSON.stringify(row)}\n`))
  const [group] = readManifest().thirdParty
  const failure = await run('--data', folder, '--out', join(folder, 'out')).catch((error) => error)
  expect(failure).toMatchObject({ code: 1, stdout: '' })
  const count = group?.rows.length
  expect(failure.stderr).toContain(
    `${count} of ${count} rows of the set ${group?.set} (${group?.source}) are not in ${folder}:`,
  )
  for (const { rows } of readManifest().thirdParty) {
    for (const hash of rows) expect(failure.stderr).toContain(`  ${hash}\n`)
  }
})

test('training requires a data folder', async () => {
  await expect(run()).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('Usage: train') })
})
