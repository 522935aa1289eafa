import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { testProcessor } from '@millrace/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { promptOf } from '../../test/prompt-of.ts'
import { AgentFiles, type ContextEvent } from './index.ts'

let folder: string
let root: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-agents-'))
  root = join(folder, 'project')
  write('../AGENTS.md', 'above the root')
  write('AGENTS.md', 'Run the tests. See @notes.md.')
  write('notes.md', 'a note')
  write('packages/a/AGENTS.md', 'Use tabs.')
  write('packages/b/CLAUDE.md', 'Use spaces.')
  write('packages/b/src/main.ts', '')
  mkdirSync(join(root, 'packages/c'))
  symlinkSync('../../../AGENTS.md', join(root, 'packages/c/AGENTS.md'))
})

afterAll(() => rmSync(folder, { recursive: true }))

function write(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}

const ROOT_FILE = '<agent-file path="AGENTS.md">\nRun the tests. See @notes.md.\n</agent-file>'

test('adds the file of the root, and reads nothing outside it', async () => {
  const { texts, roles } = await promptOf('Hello', [new AgentFiles({ root })])
  expect(texts).toEqual([ROOT_FILE, 'Hello'])
  expect(roles).toEqual(['user', 'user'])
})

test('adds the nearest file first, up to the root', async () => {
  const files = new AgentFiles({
    root,
    folder: (requestContext) => requestContext.get('folder') as string | undefined,
    names: ['AGENTS.md', 'CLAUDE.md'],
  })
  const of = async (name?: string) => (await promptOf('Hello', [files], { values: { folder: name } })).texts
  expect(await of('packages/a')).toEqual([
    '<agent-file path="packages/a/AGENTS.md">\nUse tabs.\n</agent-file>',
    ROOT_FILE,
    'Hello',
  ])
  expect((await of('packages/b/src'))[0]).toContain('Use spaces.')
  expect(await of()).toEqual([ROOT_FILE, 'Hello'])
})

test('reads nothing outside the root, for any folder', async () => {
  const events: ContextEvent[] = []
  for (const name of ['..', '../..', '/etc', 'packages/../..', 'packages/c']) {
    const { texts } = await promptOf('Hello', [
      new AgentFiles({ root, folder: name, onContext: (event) => events.push(event) }),
    ])
    expect(texts.join()).not.toContain('above the root')
  }
  expect(events.filter(({ reason }) => reason === 'outside')).toHaveLength(5)
})

test.each([{ names: [] }, { names: ['a/b'] }, { names: ['..'] }, { names: [''] }, { root: '' }])(
  'throws on %o',
  (options) => {
    expect(() => new AgentFiles({ root: '.', ...options })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    )
  },
)

testProcessor('AgentFiles', {
  create: () => new AgentFiles({ root: import.meta.dirname, names: ['index.ts'] }),
})
