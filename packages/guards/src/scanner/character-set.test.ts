import { expect, test } from 'vitest'
import { setFromSource } from './character-set.ts'

test.each([
  'a',
  'K',
  's',
  'Z',
  '_',
  '7',
  '@',
  '\\/',
  '\\[',
  '.',
  '-',
  '\\.',
  '\\w',
  '\\d',
  '\\s',
  '[a-z]',
  '[A-Z0-9_.+-]',
  '[^a-z]',
  '[\\w.-]',
  '[\\s-]',
  '[à-ü]',
  '[\\]\\\\-]',
])('has the members of %s, with every flag', (source) => {
  for (const flags of ['', 'i', 's', 'u', 'iu']) {
    if (flags.includes('u') && source === '-') continue
    const pattern = new RegExp(`^(?:${source})$`, flags)
    const set = setFromSource(source, flags)
    const wrong: number[] = []
    for (let codePoint = 0; codePoint <= 0xffff; codePoint++) {
      if (set.has(codePoint) !== pattern.test(String.fromCodePoint(codePoint))) wrong.push(codePoint)
    }
    expect({ flags, wrong }).toEqual({ flags, wrong: [] })
  }
})
