import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { optionPages, writeTables } from './options-tables.ts'
import { root } from './published-packages.ts'
import { readOptions } from './read-options.ts'

const pages = optionPages().map((page) => [page, readFileSync(join(root, page), 'utf8')] as const)

describe.each(pages)('%s', (page, markdown) => {
  test('has the tables that `node scripts/options-tables.ts` writes', () => {
    expect(markdown).toBe(writeTables(page, markdown))
  })

  test('has no hand-written table of options', () => {
    expect(markdown).not.toMatch(/^\| option \|/m)
    if (/^## Options$/m.test(markdown))
      expect(markdown).toMatch(/^\| option of `\w+` \| default \| what it does \|$/m)
  })
})

describe('a table of options', () => {
  const source = `
    export interface WheelOptions extends Omit<MillOptions, 'name'> {
      /** How fast it turns, in turns a minute. Default: \`8\`. */
      readonly speed?: number
      /**
       * Who turns it: water | wind.
       *
       * @deprecated
       */
      readonly by: 'water' | 'wind'
      /** Called when it stops. */
      onStop?(): void
    }`

  const inherited =
    (name: string, ...options: string[]) =>
    (parent: string) =>
      parent === name
        ? options.map((each) => ({ name: each, default: 'none', description: 'Inherited.' }))
        : []
  const shown = (options: readonly { name: string; default: string }[]) =>
    options.map((option) => `${option.name}: ${option.default}`)

  test('has the default and the text of each doc comment, then the inherited options', () => {
    expect(readOptions(source, 'WheelOptions', inherited('MillOptions', 'name', 'speed', 'stones'))).toEqual([
      { name: 'speed', default: '`8`', description: 'How fast it turns, in turns a minute.' },
      { name: 'by', default: 'required', description: 'Who turns it: water \\| wind.' },
      { name: 'onStop', default: 'none', description: 'Called when it stops.' },
      { name: 'stones', default: 'none', description: 'Inherited.' },
    ])
  })

  test('supports unions and intersections', () => {
    const made = `
      type Place =
        | { /** A river. */ river: string; /** Of the river. Default: 3. */ depth?: number }
        | {
            /** The wind. */
            // biome-ignore lint/suspicious/noExplicitAny: any wind
            wind: any
          }
      export type MillSite = Place & { /** Who owns it. */ owner: string } & Pick<Limits, 'most'>`
    const resolve = (name: string) =>
      name === 'Place' ? readOptions(made, name, () => []) : inherited('Limits', 'least', 'most')(name)
    expect(shown(readOptions(made, 'MillSite', resolve))).toEqual([
      'river: required, or `wind`',
      'depth: 3',
      'wind: required, or `river`',
      'owner: required',
      'most: none',
    ])
  })

  test('throws for a type without options', () => {
    expect(() => readOptions("export type Wheel = 'wood' | string", 'Wheel', () => [])).toThrow(
      'Wheel contains a type that is not supported in a table of options.',
    )
  })

  test('is updated when a type changes', () => {
    const [page = '', markdown = ''] = pages.find(([name]) => name.endsWith('rate-limit.md')) ?? []
    const stale = markdown.replace('| `windowMs` | required |', '| `windowMs` | 60,000 |')
    expect(stale).not.toBe(markdown)
    expect(writeTables(page, stale)).toBe(markdown)
  })

  test('needs an existing type, and a doc comment for each option', () => {
    const bare = 'export interface WheelOptions {\n  /** Default: 8. */\n  speed?: number\n}'
    expect(() => readOptions(bare, 'WheelOptions', () => [])).toThrow(
      'WheelOptions.speed has no doc comment.',
    )
    const table = '| option of `NoneSuch` | default | what it does |\n'
    expect(() => writeTables('packages/tokens/docs/a.md', table)).toThrow(
      'There is no exported type NoneSuch in packages/tokens/src.',
    )
  })
})
