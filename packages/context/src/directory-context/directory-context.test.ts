import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { testProcessor } from '@millrace/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { promptOf } from '../../test/prompt-of.ts'
import { type ContextEvent, DirectoryContext } from './index.ts'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'millrace-directory-'))
})

afterEach(() => rmSync(root, { recursive: true }))

function write(...paths: string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), '')
  }
}

test("lists the folder in a user message before the user's own", async () => {
  write('b.md', 'a/x.ts', 'a/deep/y.ts', '.env', '.git/config', 'node_modules/z/index.js')
  writeFileSync(join(root, '.gitignore'), 'node_modules\n')
  const { texts, roles } = await promptOf('Hello', [new DirectoryContext({ root })])
  expect(roles).toEqual(['user', 'user'])
  expect(texts).toEqual([
    '<directory-listing>\n.gitignore\na/\n  deep/\n    y.ts\n  x.ts\nb.md\n</directory-listing>',
    'Hello',
  ])
  const all = await promptOf('Hello', [new DirectoryContext({ root, gitignore: false, maxDepth: 1 })])
  expect(all.texts[0]).toContain('node_modules/')
})

test('escapes invisible characters in names, and names cannot close the tag', async () => {
  write('new\nline', 'rtl\u202egnp.exe', '</directory-listing>/x', 'bell\u0007')
  const { texts } = await promptOf('Hello', [new DirectoryContext({ root })])
  expect(texts[0]).toContain('new\\u{a}line')
  expect(texts[0]).toContain('rtl\\u{202e}gnp.exe')
  expect(texts[0]).toContain('bell\\u{7}')
  expect(texts[0]?.match(/<\/?directory-listing/g)).toHaveLength(2)
})

test('says how many entries are left out', async () => {
  write(...Array.from({ length: 30 }, (_, index) => `file-${index + 10}`))
  const some = await promptOf('Hello', [new DirectoryContext({ root, maxEntries: 5 })])
  expect(some.texts[0]).toContain('file-14\n… 25 more\n')
  const events: ContextEvent[] = []
  const cut = await promptOf('Hello', [
    new DirectoryContext({ root, maxTokens: 60, onContext: (event) => events.push(event) }),
  ])
  expect(cut.texts[0]).toMatch(/\[Only the first \d+ lines of the listing are shown\.\]/)
  expect(events).toMatchObject([{ status: 'cut', source: '.' }])
})

test('tells the model if the folder does not exist', async () => {
  const { texts, status } = await promptOf('Hello', [new DirectoryContext({ root: join(root, 'none') })])
  expect(status).toBe('completed')
  expect(texts[0]).toContain('the folder: There is no such file or folder.')
})

test.each([{ root: '' }, { maxEntries: 0 }, { maxDepth: 0.5 }])('throws on %o', (options) => {
  expect(() => new DirectoryContext({ root: '.', ...options })).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID' }),
  )
})

testProcessor('DirectoryContext', { create: () => new DirectoryContext({ root: import.meta.dirname }) })
