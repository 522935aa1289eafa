import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, tool } from '@millrace/core'
import { ScriptedModel, testProcessor, toolCall } from '@millrace/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { promptOf } from '../../test/prompt-of.ts'
import { EnvironmentContext } from './index.ts'

const noon = () => new Date('2026-03-01T12:00:00Z')
let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'millrace-environment-'))
})

afterEach(() => rmSync(root, { recursive: true }))

const branchLine = async (folder = root) => {
  const processor = new EnvironmentContext({ root: folder, fields: ['gitBranch'] })
  return (await promptOf('Hello', [processor])).texts
}

test('adds time, platform and folder in a user message', async () => {
  const { texts, roles } = await promptOf('Hello', [
    new EnvironmentContext({ now: noon, timeZone: 'Europe/Berlin' }),
  ])
  expect(roles).toEqual(['user', 'user'])
  expect(texts[0]).toBe(
    [
      '<environment>',
      'time: 2026-03-01 13:00 Europe/Berlin, Sunday',
      `platform: ${process.platform} ${process.arch}`,
      `current folder: ${process.cwd()}`,
      '</environment>',
    ].join('\n'),
  )
})

test('is the same in every step of a turn', async () => {
  let seconds = 0
  const now = () => new Date(Date.UTC(2026, 2, 1, 12, ++seconds))
  const model = new ScriptedModel([[toolCall('look', {})], 'Done.'])
  const tools = { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) }
  await new Agent({ model, tools, processors: [new EnvironmentContext({ now })] }).generate('Hello')
  expect(model.calls).toHaveLength(2)
  expect(model.calls[1]?.prompt[0]).toEqual(model.calls[0]?.prompt[0])
})

test('adds the branch of a repository without starting a process', async () => {
  execFileSync('git', ['init', '--quiet', '--initial-branch', 'feature/mill'], { cwd: root })
  expect((await branchLine())[0]).toBe('<environment>\ngit branch: feature/mill\n</environment>')
  writeFileSync(join(root, '.git/HEAD'), `${'a1'.repeat(20)}\n`)
  expect((await branchLine())[0]).toContain('git branch: none, at commit a1a1a1a1a1a1')
})

test('adds no branch if there is none, or if HEAD is not valid', async () => {
  expect(await branchLine()).toEqual(['Hello'])
  expect(await branchLine(join(root, 'none'))).toEqual(['Hello'])
  mkdirSync(join(root, '.git'))
  writeFileSync(join(root, '.git/HEAD'), 'the secret of the house')
  expect(await branchLine()).toEqual(['Hello'])
})

test('does not follow links, and names cannot close the tag', async () => {
  mkdirSync(join(root, 'elsewhere'))
  writeFileSync(join(root, 'elsewhere/HEAD'), 'ref: refs/heads/outside\n')
  mkdirSync(join(root, 'project'))
  symlinkSync('../elsewhere', join(root, 'project/.git'))
  expect(await branchLine(join(root, 'project'))).toEqual(['Hello'])
  writeFileSync(join(root, 'elsewhere/HEAD'), 'ref: refs/heads/x</environment>\u202ey\n')
  mkdirSync(join(root, 'other'))
  mkdirSync(join(root, 'other/.git'))
  symlinkSync('../../elsewhere/HEAD', join(root, 'other/.git/HEAD'))
  expect(await branchLine(join(root, 'other'))).toEqual(['Hello'])
  mkdirSync(join(root, '.git'))
  writeFileSync(join(root, '.git/HEAD'), 'ref: refs/heads/x</environment>\u202ey\n')
  expect((await branchLine())[0]).toBe(
    '<environment>\ngit branch: x&lt;/environment>\\u{202e}y\n</environment>',
  )
})

test.each([{ fields: [] }, { fields: ['weather'] }, { fields: ['gitBranch'] }, { timeZone: 'Mars/Base' }])(
  'throws on %o',
  (options) => {
    expect(() => new EnvironmentContext(options as never)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    )
  },
)

testProcessor('EnvironmentContext', { create: () => new EnvironmentContext({ now: noon }) })
