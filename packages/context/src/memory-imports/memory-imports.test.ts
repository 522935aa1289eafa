import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testProcessor } from '@millrace/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { promptOf } from '../../test/prompt-of.ts'
import { MemoryImports, memoryFolder } from './index.ts'

const memories: Record<string, string> = { style: 'Short sentences. See @memory:other.', other: 'x' }
const resolve = (name: string) => (Object.hasOwn(memories, name) ? memories[name] : undefined)
const textsFor = async (input: unknown, options = {}) =>
  (await promptOf(input, [new MemoryImports({ resolve, ...options })])).texts

test('adds a named memory as its own message, and does not expand names in it', async () => {
  expect(await textsFor('Describe the mill in @memory:style.')).toEqual([
    '<memory name="style">\nShort sentences. See @memory:other.\n</memory>',
    'Describe the mill in @memory:style.',
  ])
})

test.each([
  'a@memory:style',
  '`@memory:style`',
  '```\n@memory:style\n```',
  '> @memory:style',
  '@memory: style',
  '\\@memory:style',
])('finds no name in %j', async (input) => {
  expect(await textsFor(input)).toEqual([input])
})

test('tells the model about missing memories and about the limit', async () => {
  expect((await textsFor('@memory:none @memory:__proto__'))[0]).toBe(
    '<context-notes from="memory-imports">\nnone: There is no memory with this name.\n__proto__: There is no memory with this name.\n</context-notes>',
  )
  expect(await textsFor('@memory:none', { onMissing: 'ignore' })).toEqual(['@memory:none'])
  const blocked = await promptOf('@memory:none', [new MemoryImports({ resolve, onMissing: 'block' })])
  expect(blocked.status).toBe('tripwire')
  const many = await textsFor('@memory:style @memory:other', { maxMemories: 1 })
  expect(many[1]).toContain('More memories were left out: the limit is 1.')
})

test('ignores names in the history', async () => {
  const history = [
    { role: 'user', content: '@memory:style' },
    { role: 'assistant', content: '@memory:style' },
    { role: 'user', content: 'Go on.' },
  ]
  expect(await textsFor(history)).toEqual(['@memory:style', '@memory:style', 'Go on.'])
})

test('passes the resource of the run to resolve', async () => {
  const seen: unknown[] = []
  const processor = new MemoryImports({
    resolve(name, { resourceId, threadId }) {
      seen.push([name, resourceId, threadId])
      return 'text'
    },
  })
  await promptOf('@memory:style', [processor], { resourceId: 'alice' })
  expect(seen).toEqual([['style', 'alice', 'thread']])
})

describe('in a folder', () => {
  let root: string

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'millrace-memories-'))
    for (const owner of ['alice', 'bob']) {
      mkdirSync(join(root, memoryFolder(owner)))
      writeFileSync(join(root, memoryFolder(owner), 'style.md'), `the style of ${owner}`)
    }
    writeFileSync(join(root, memoryFolder('bob'), 'secret.md'), 'only of bob')
    symlinkSync(`../${memoryFolder('bob')}/secret.md`, join(root, memoryFolder('alice'), 'link.md'))
    writeFileSync(join(root, 'top.md'), 'nobody’s')
  })

  afterAll(() => rmSync(root, { recursive: true }))

  const textOf = async (name: string, resourceId?: string) => {
    const { texts } = await promptOf(`@memory:${name}`, [new MemoryImports({ root })], {
      ...(resourceId !== undefined && { resourceId }),
    })
    return texts[0]
  }

  test('each resource has its own subfolder', async () => {
    expect(await textOf('style', 'alice')).toContain('the style of alice')
    expect(await textOf('style', 'bob')).toContain('the style of bob')
    expect(await textOf('secret', 'alice')).toContain('There is no memory')
    expect(await textOf('link', 'alice')).not.toContain('only of bob')
    expect(await textOf('style')).toContain('There is no memory')
    for (const owner of ['..', '.', 'Alice', 'alice/../bob', '../bob', 'r-bob', ''])
      expect(await textOf('style', owner)).not.toContain('the style of')
  })

  test('folder names are safe, and unique per resource', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (left, right) => {
        expect(memoryFolder(left)).toMatch(/^r-(?:[a-z0-9_-]|%[0-9a-f]{2})*$/)
        expect(memoryFolder(left) === memoryFolder(right)).toBe(left.toWellFormed() === right.toWellFormed())
      }),
    )
    expect(memoryFolder('Alice')).not.toBe(memoryFolder('alice'))
  })
})

test.each([{ resolve: undefined }, { root: 'x' }, { maxMemories: 0 }, { onMissing: 'x' }])(
  'throws on %o',
  (options) => {
    expect(() => new MemoryImports({ resolve, ...options } as never)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    )
  },
)

testProcessor('MemoryImports', { create: () => new MemoryImports({ resolve }) })
