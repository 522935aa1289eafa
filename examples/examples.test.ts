import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

const folder = import.meta.dirname
const read = (file: string) => readFileSync(join(folder, file), 'utf8')
const files = globSync('*/*.ts', { cwd: folder }).map((file) => file.replaceAll('\\', '/'))
const rows = [...read('README.md').matchAll(/^\| \[([\w-]+)\]\((.+\.ts)\) \| (.+) \|$/gm)].map(
  ([, name = '', file = '', does = '']) => ({ name, file, does }),
)

describe('the list of examples', () => {
  test('has every example once, in the folder of its topic', () => {
    expect(rows.map(({ file }) => file).sort()).toEqual(files.sort())
    expect([...new Set(files.map((file) => dirname(file)))].sort()).toEqual([
      'context',
      'guards',
      'memory',
      'steering',
      'streaming-and-ui',
      'tools-and-approvals',
    ])
  })

  test.each(rows)('$file does what the list says', ({ name, file, does }) => {
    expect(file.endsWith(`/${name}.ts`)).toBe(true)
    const [, heading = ''] = /^\/\*\*([\s\S]*?)\*\/\n/.exec(read(file)) ?? []
    expect(heading.replace(/^ \*/gm, '').replace(/\s+/g, ' ').trim()).toBe(does)
  })

  test('leads from the use cases of other frameworks to examples that exist', () => {
    const linked = [...read('use-cases.md').matchAll(/\]\(([\w-]+\/[\w-]+\.ts)\) \|$/gm)].map(
      ([, file]) => file,
    )
    expect(linked.length).toBeGreaterThan(50)
    expect(linked.filter((file = '') => !files.includes(file))).toEqual([])
  })
})

describe.each(files)('%s', (file) => {
  beforeEach(() => {
    vi.spyOn(console, 'log').mockImplementation(() => {})
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })

  test('is short', () => {
    expect(read(file).split('\n').length).toBeLessThanOrEqual(70)
  })

  test('has a real model beside the scripted one', () => {
    expect(read(file)).toMatch(
      /\/\/ A real model: openai\('gpt-5-mini'\) from '@ai-sdk\/openai'\.\n.*new ScriptedModel\(/,
    )
  })

  test('does what it says, and shows it', async () => {
    await import(join(folder, file))
    expect(console.log).toHaveBeenCalled()
  })
})
