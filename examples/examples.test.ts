import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

const folder = import.meta.dirname
const read = (file: string) => readFileSync(join(folder, file), 'utf8')
const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
const rows = [...read('README.md').matchAll(/^\| (.+) \| \[[\w-]+\]\(([\w-]+\.ts)\) \|$/gm)].map(
  ([, useCase = '', file = '']) => ({ useCase, file }),
)

describe('the list of use cases', () => {
  test('has every example, and only those that are there', () => {
    expect(rows.length).toBeGreaterThan(50)
    expect([...new Set(rows.map(({ file }) => file))].sort()).toEqual([...files].sort())
  })

  test.each(rows)('$file says that it is about: $useCase', ({ useCase, file }) => {
    const [, heading = ''] = /^\/\*\*\n((?: \* .+\n)+) \*\//.exec(read(file)) ?? []
    const text = heading.replace(/^ \* /gm, '').replace(/\s+/g, ' ')
    expect(text).toContain(useCase)
  })

  test.each(files)('%s is short', (file) => {
    expect(read(file).split('\n').length).toBeLessThanOrEqual(70)
  })
})

describe('an example', () => {
  beforeEach(() => {
    vi.spyOn(console, 'log').mockImplementation(() => {})
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })

  test.each(files)('%s does what it says, and shows it', async (file) => {
    await import(join(folder, file))
    expect(console.log).toHaveBeenCalled()
  })
})
