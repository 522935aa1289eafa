import { expect, test } from 'vitest'
import { outputFiles } from './output-files.ts'

/** A graph as text: `a: b c` means that module `a` imports `b` and `c`. */
function graph(...lines: string[]): ReadonlyMap<string, { importedIds: string[] }> {
  return new Map(
    lines.map((line) => {
      const [id = '', imports = ''] = line.split(':')
      return [id, { importedIds: imports.split(' ').filter((name) => name !== '') }]
    }),
  )
}

test('a module is in the first file whose modules import it, directly or indirectly', () => {
  const modules = graph('entry: agent', 'agent: run', 'run: errors', 'tools: run json', 'errors:', 'json:')
  const found = outputFiles({ modules, entries: ['entry'], files: { agent: ['agent'], tools: ['tools'] } })
  expect(Object.fromEntries(found)).toEqual({
    agent: 'agent',
    run: 'agent',
    errors: 'agent',
    tools: 'tools',
    json: 'tools',
  })
})

test('modules of several entry points are shared, and those of one stay in its file', () => {
  const modules = graph('one: both mine', 'two: both', 'both: below', 'below:', 'mine:')
  const found = outputFiles({ modules, entries: ['one', 'two'], files: {} })
  expect(Object.fromEntries(found)).toEqual({ both: 'shared', below: 'shared' })
})

test('files after `shared` do not contain shared modules', () => {
  const modules = graph('one: scanner', 'two: scanner', 'scanner:', 'run: scanner text', 'text:')
  const found = outputFiles({ modules, entries: ['one', 'two'], files: { shared: [], run: ['run'] } })
  expect(Object.fromEntries(found)).toEqual({ scanner: 'shared', run: 'run', text: 'run' })
})

test('a folder means all its modules, and entry points are in no file', () => {
  const modules = graph('src/entry: src/de/a', 'src/de/a:', 'src/de/b: src/entry', 'src/den:')
  const found = outputFiles({ modules, entries: ['src/entry'], files: { national: ['src/de/'] } })
  expect(Object.fromEntries(found)).toEqual({ 'src/de/a': 'national', 'src/de/b': 'national' })
})

test('throws for a module that does not exist', () => {
  expect(() =>
    outputFiles({ modules: graph('entry:'), entries: ['entry'], files: { old: ['gone'] } }),
  ).toThrow('The module gone does not exist. Correct scripts/build/files.ts.')
})
