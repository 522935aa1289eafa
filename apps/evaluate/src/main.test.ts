import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import type { Report } from '@millrace/injection-model'
import { afterAll, expect, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'evaluate-'))
afterAll(() => rmSync(folder, { recursive: true }))

const run = async (...args: string[]): Promise<string> => {
  const main = join(import.meta.dirname, 'main.ts')
  return (await promisify(execFile)(process.execPath, ['--conditions=@millrace/source', main, ...args]))
    .stdout
}

test('scores the existing files', async () => {
  const cases = [
    { file: 'a', entity: 'US_SSN', text: 'is 536-90-4399', expected_len: 1, spans: [[3, 14]] },
    { file: 'a', entity: 'US_SSN', text: '000-90-4399', expected_len: 0, spans: null },
    { file: 'a', entity: 'SHOE_SIZE', text: '42', expected_len: 1, spans: null },
  ]
  const secrets = [
    { rule: 'github-pat', label: 1, text: `ghp_${'a1B2c3D4e5F6'.repeat(3)}`, quality: 'ok' },
    { rule: 'github-pat', label: 0, text: `ghp_${'x'.repeat(36)}`, quality: 'ok' },
    { rule: 'github-pat', label: 1, text: 'doubtful', quality: 'check' },
  ]
  const moderation = [
    { text: 'I will kill you tonight', label: 1, set: 'a', licence: 'MIT' },
    { text: 'The bus leaves at noon.', label: 0, set: 'a', licence: 'MIT' },
    { text: 'They do not belong to us', label: 1, set: 'b', licence: 'MIT' },
  ]
  const instructions = 'You are Ada. Never discuss the merger with Northwind before the third of May.'
  const leaks = [
    { instructions, text: `Sure: ${instructions}`, leak: true },
    { instructions, text: 'I cannot tell you that.', leak: false },
  ]
  writeFileSync(join(folder, 'moderation.json'), JSON.stringify(moderation))
  writeFileSync(join(folder, 'leaks.json'), JSON.stringify(leaks))
  writeFileSync(join(folder, 'pii_cases.json.gz'), gzipSync(JSON.stringify(cases)))
  writeFileSync(join(folder, 'secrets.jsonl'), secrets.map((row) => JSON.stringify(row)).join('\n'))

  const reports: Report[] = JSON.parse(await run(folder, '--json', '--mistakes'))
  expect(reports).toMatchObject([
    {
      file: 'pii_cases',
      rows: [{ type: 'us_ssn', found: 1, missed: 0, recall: 1, clean: 1, alarms: 0, byDefault: 1 }],
      summary: { recall: 1, 'false alarms': 0, 'values labelled': 1, 'left after redaction': 0 },
      mistakes: ['SHOE_SIZE is claimed by no type'],
    },
    { file: 'secrets', rows: [{ type: 'github-pat', found: 1, missed: 0, clean: 1, alarms: 0 }] },
    { file: 'texts of our own', guard: 'profanitySieve' },
    {
      guard: 'profanitySieve',
      file: 'moderation',
      // One of two harmful texts is found; the other one and the harmless text share the lowest score.
      summary: { 'average precision': (1 + 2 / 3) / 2, recall: 0.5, 'false alarms': 0 },
      mistakes: ['b missed: They do not belong to us'],
    },
    {
      guard: 'SystemPromptScrubber',
      file: 'leaks',
      summary: { 'recall, plain': 1, 'recall, of the file': 1, 'false alarms': 0 },
    },
  ])
  const leaksReport = reports.at(-1)
  expect(leaksReport?.summary['recall, encoded']).toBeGreaterThan(0.95)
  expect(await run(folder)).toContain('| us_ssn | 1 | 0 | 1 | 1 | 0 | 0 | 1 |')
})

test('throws for a row without a license, with its number', async () => {
  const others = mkdtempSync(join(tmpdir(), 'evaluate-'))
  writeFileSync(
    join(others, 'moderation.json'),
    JSON.stringify([
      { text: 'a', label: 0, licence: 'MIT' },
      { text: 'b', label: 0 },
    ]),
  )
  await expect(run(others)).rejects.toThrow("Row 2 of 'moderation' has no license")
  rmSync(others, { recursive: true })
})
