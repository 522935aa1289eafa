import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { toSvg } from './bar-chart.ts'
import { drawnFiles, withBlock, withQuote } from './draw-figures.ts'
import { FIGURES, measureFigures } from './measure-figures.ts'
import { resultNames, root } from './result-file.ts'

describe('figures', () => {
  test('are all measured, each with a documented command', () => {
    expect(FIGURES).toEqual(expect.arrayContaining(resultNames()))
  })

  test.each([...drawnFiles()])(
    'in %s match the results; `pnpm site figures` updates them',
    (file, content) => {
      expect(readFileSync(join(root, file), 'utf8')).toBe(content)
    },
  )

  test('that are unknown, or lack their data, cause an error with the remedy', async () => {
    await expect(measureFigures(['weather'], { quick: true })).rejects.toThrow(
      "There is no figure 'weather'. Use one of peers,",
    )
    await expect(measureFigures(['recall'], { quick: true })).rejects.toThrow(
      'pnpm bench --chart recall --data <folder>',
    )
    await expect(measureFigures(['guards'], { quick: true, data: './nowhere' })).rejects.toThrow(
      "'./nowhere' does not exist",
    )
  })
})

describe('a sentence with figures', () => {
  const quote = { file: 'a.md', text: 'Found are 12 of 30, in 0.5 % of them.' }

  test('gets its numbers at any line breaks', () => {
    expect(withQuote('So. Found are 7 of\n1000, in 12.75 % of them. Done.', quote)).toBe(
      'So. Found are 12 of\n30, in 0.5 % of them. Done.',
    )
  })

  test('must occur exactly once', () => {
    expect(() => withQuote('Lost are 7 of 1000, in 12.75 % of them.', quote)).toThrow(
      'a.md has this sentence 0 times',
    )
    expect(() => withQuote(`${quote.text} ${quote.text}`, quote)).toThrow('a.md has this sentence 2 times')
  })
})

test('writes a block of the page between its marks', () => {
  const page = 'A\n\n[figures]: # (one)\n\nold\n\n[figures]: # (end)\n\nB\n'
  expect(withBlock(page, { file: 'a.md', name: 'one', text: 'new' })).toBe(page.replace('old', 'new'))
  expect(() => withBlock(page, { file: 'a.md', name: 'two', text: 'new' })).toThrow(
    "a.md has no marks around 'two'",
  )
})

test('a chart has a bar for each value, and escapes its text', () => {
  const bars = [
    { label: 'ours <b>', value: 1, isOwn: true },
    { label: 'others', value: 4 },
  ]
  const svg = toSvg({ title: 'A & B', format: (value) => `${value} ms`, groups: [{ title: 'one', bars }] })
  expect(svg).toContain('<title>A &amp; B</title>')
  expect(svg).toContain('ours &lt;b>')
  const widths = [...svg.matchAll(/<rect class="[op]"[^>]* width="([\d.]+)"/g)].map(([, width]) =>
    Number(width),
  )
  expect(widths[1]).toBe(4 * Number(widths[0]))
})
