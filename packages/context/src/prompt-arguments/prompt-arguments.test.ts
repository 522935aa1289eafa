import { testProcessor } from '@millrace/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { promptOf } from '../../test/prompt-of.ts'
import { foldedText, referencesIn } from '../turn/references.ts'
import { PromptArguments, type PromptArgumentsOptions } from './index.ts'

const textsFor = async (input: unknown, values: Record<string, unknown>, options = {}) => {
  const processor = new PromptArguments({ arguments: values as never, ...options })
  return (await promptOf(input, [processor])).texts
}

test('replaces names by values', async () => {
  expect(
    await textsFor('Review {branch} ({count}, {flag}).', { branch: 'main', count: 3, flag: false }),
  ).toEqual(['Review main (3, false).'])
})

test('takes values from the request', async () => {
  const processor = new PromptArguments({ arguments: (context) => ({ user: context.get('user') as string }) })
  expect((await promptOf('For {user}.', [processor], { values: { user: 'Ada' } })).texts).toEqual([
    'For Ada.',
  ])
})

test.each([
  ['{nobody} {constructor} {__proto__} {toString}'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: no placeholder of ours
  ['{{x}} ${x} \\{x} { x } {x y} {}'],
  ['`{x}` and\n```\n{x}\n```'],
])('does not replace: %j', async (input) => {
  expect(await textsFor(input, { x: 'value' })).toEqual([input])
})

test("blocks the run for a missing value with 'block'", async () => {
  const processor = new PromptArguments({ arguments: {}, onMissing: 'block' })
  expect((await promptOf('{x}', [processor])).status).toBe('tripwire')
  expect((await promptOf('none', [processor])).status).toBe('completed')
})

test('keeps replacement patterns such as $&, and does not expand values again', async () => {
  expect(await textsFor('{a} {b}', { a: '$& $1 $`', b: 'x' })).not.toEqual([])
  const texts = await textsFor('{a} and {b}', { a: '{b}', b: 'x' })
  expect(texts.join('\n')).not.toMatch(/x and x/)
  expect(texts.at(-1)).toBe('{a} and x')
  expect(texts[0]).toBe('<argument name="a">\n{b}\n</argument>')
})

describe('a value that would form a reference', () => {
  test.each([
    ['a file', 'See {x}', '@secret.md'],
    ['a file, with what stands before', 'See @{x}', 'secret.md'],
    ['a file in a folder', 'See @docs/{x}', 'secret.md'],
    ['a file, by a space', 'mail{x}@secret.md', ' '],
    ['a command', 'Run {x}', '$(id)'],
    ['a command, with what stands around', 'Run $({x})', 'id'],
    ['a memory', '{x}', '@memory:all'],
    ['a file, by the end of code', '```\n{y}\n@secret.md\n', '```\n'],
    ['a file, in a wide form', '{x}', '\uff20secret.md'],
    ['a file, with a hidden sign', '{x}', '@\u200bsecret.md'],
    ['a command, in a wide form', '{x}', '\uff04\uff08id\uff09'],
    ['code, which hides a file', '{x} @README.md `', '`'],
  ])('is passed in a separate message: %s', async (_, input, value) => {
    const texts = await textsFor(input, { x: value })
    expect(texts.at(-1)).toBe(input)
    if (texts.length > 1) expect(texts[0]).toBe(`<argument name="x">\n${value}\n</argument>`)
  })

  test('but not one that only looks similar', async () => {
    expect(await textsFor('Write to {x}.', { x: 'ada@example.com' })).toEqual(['Write to ada@example.com.'])
    expect(await textsFor('Price: {x}', { x: '$5 (net)' })).toEqual(['Price: $5 (net)'])
  })

  test('for any text and values, the references are those that the user wrote', async () => {
    const piece = fc.constantFrom(
      '@', 'a.md', '@a.md', ' ', '\n', '`', '```', '$(', 'id', ')', '{', '}', '{x}', '{y}', '@memory:', 'b', '"', '>',
      '\u200b', '\uff20', '\\', '$', '(', '    ', '[a](', '~~~',
    ) // biome-ignore format: a list of pieces
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
    await fc.assert(
      fc.asyncProperty(text, text, text, async (before, x, y) => {
        const input = `${before} z`
        const made = (await textsFor(input, { x, y })).at(-1) as string
        for (const fold of [(own: string) => own, foldedText]) {
          const own = new Set(referencesIn(fold(input)))
          for (const reference of referencesIn(fold(made)) ?? []) expect(own).toContain(reference)
        }
      }),
      { numRuns: 300 },
    )
  })
})

test('passes long values separately, cut to the limit', async () => {
  const texts = await textsFor('Sum up {x}.', { x: 'word '.repeat(10_000) })
  expect(texts[1]).toBe('Sum up {x}.')
  expect(texts[0]).toContain('Only the beginning is shown: the limit of 4000 tokens is reached.')
  const many = await textsFor('{x} '.repeat(10_000), { x: 'word '.repeat(100), y: 'v' })
  expect(many.join('').length).toBeLessThan(50_000)
})

test('passes values for a long text separately', async () => {
  const input = `${'word '.repeat(20_000)} {x}`
  expect(await textsFor(input, { x: 'v' })).toEqual(['<argument name="x">\nv\n</argument>', input])
})

test('replaces only in this turn, in each text part', async () => {
  const history = [
    { role: 'user', content: '{x}' },
    { role: 'assistant', content: '{x}' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'a {x}' },
        { type: 'text', text: '{x} b' },
      ],
    },
  ]
  expect(await textsFor(history, { x: 'v' })).toEqual(['{x}', '{x}', 'a vv b'])
})

test.each([null, {}, [], 5n, Symbol('x')])('throws on the value %o', async (x) => {
  await expect(textsFor('{x}', { x })).rejects.toMatchObject({ cause: { code: 'CONFIG_INVALID' } })
})

test.each([{ arguments: undefined }, { arguments: 'x' }, { arguments: {}, onMissing: 'x' }])(
  'throws on %o',
  (options) => {
    expect(() => new PromptArguments(options as unknown as PromptArgumentsOptions)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    )
  },
)

testProcessor('PromptArguments', { create: () => new PromptArguments({ arguments: { x: 'value' } }) })
