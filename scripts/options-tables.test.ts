import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { optionPages, readOptions, writeTables } from './options-tables.ts'
import { root } from './published-packages.ts'

const pages = optionPages().map((page) => [page, readFileSync(join(root, page), 'utf8')] as const)

describe.each(pages)('%s', (page, markdown) => {
  test('has the options of the types, as `node scripts/options-tables.ts` writes them', () => {
    expect(markdown).toBe(writeTables(page, markdown))
  })

  test('has no table of options written by hand', () => {
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

  test('has the default and the text of each doc comment', () => {
    expect(readOptions(source, 'WheelOptions')).toEqual({
      own: [
        { name: 'speed', default: '`8`', description: 'How fast it turns, in turns a minute.' },
        { name: 'by', default: 'required', description: 'Who turns it: water \\| wind.' },
        { name: 'onStop', default: 'none', description: 'Called when it stops.' },
      ],
      parents: [{ name: 'MillOptions', omitted: ['name'] }],
    })
  })

  test('is written again when a type has changed', () => {
    const [page = '', markdown = ''] = pages.find(([name]) => name.endsWith('rate-limit.md')) ?? []
    const stale = markdown.replace('| `windowMs` | required |', '| `windowMs` | 60,000 |')
    expect(stale).not.toBe(markdown)
    expect(writeTables(page, stale)).toBe(markdown)
  })

  test('needs a doc comment for each option, and an interface that exists', () => {
    const bare = 'export interface WheelOptions {\n  /** Default: 8. */\n  speed?: number\n}'
    expect(() => readOptions(bare, 'WheelOptions')).toThrow('WheelOptions.speed has no doc comment.')
    const table = '| option of `NoneSuch` | default | what it does |\n'
    expect(() => writeTables('packages/tokens/docs/a.md', table)).toThrow(
      'There is no exported interface NoneSuch in packages/tokens/src.',
    )
  })
})
