import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'evaluate-injection-'))
afterAll(() => rmSync(folder, { recursive: true }))

const run = async (...args: string[]): Promise<string> => {
  const main = join(import.meta.dirname, 'main.ts')
  return (await promisify(execFile)(process.execPath, ['--conditions=@millrace/source', main, ...args]))
    .stdout
}

test('prints an evaluation as JSON, with texts only if mistakes are requested', async () => {
  const rows = [
    { text: 'Which violets grow in the shade of birches?', label: 1, set: 'mine', licence: 'MIT' },
    { text: 'Which roses grow in the shade of birches?', label: 0, set: 'mine', licence: 'MIT' },
  ]
  writeFileSync(join(folder, 'injection.json'), JSON.stringify(rows))
  const report = JSON.parse(await run(folder, '--json'))
  expect(report).toMatchObject({ file: 'injection', mistakes: [] })
  expect(JSON.stringify(report)).not.toContain('violets')
  const { mistakes } = JSON.parse(await run(folder, '--json', '--mistakes'))
  expect(mistakes.join('\n')).toContain('violets')
})
