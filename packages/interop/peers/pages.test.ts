import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** Pages whose snippets need a framework that is installed here alone. Each says in a comment what it logs. */
const PAGES = ['langchain', 'mastra', 'openai-agents']

const folder = join(import.meta.dirname, '../docs')
const snippets = PAGES.flatMap((page) => {
  const markdown = readFileSync(join(folder, `${page}.md`), 'utf8')
  return [...markdown.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code = ''], index) => ({
    name: `${page} ${index + 1}`,
    code,
  }))
})

test('there are snippets', () => {
  for (const page of PAGES) expect(snippets.some(({ name }) => name.startsWith(page))).toBe(true)
})

test.each(snippets)('the snippet $name logs its documented output', async ({ code }) => {
  const scratch = mkdtempSync(join(import.meta.dirname, '.snippet-'))
  try {
    const file = join(scratch, 'snippet.ts')
    writeFileSync(file, code)
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--conditions=@millrace/source',
      `--import=${join(import.meta.dirname, 'resolve-frameworks.ts')}`,
      file,
    ])
    const said = [...code.matchAll(/console\.log\(.*\) \/\/ (.+)$/gm)].map(([, line]) => line)
    expect(said.length).toBeGreaterThan(0)
    expect(stdout.trim().split('\n').slice(-said.length)).toEqual(said)
  } finally {
    rmSync(scratch, { recursive: true })
  }
})
