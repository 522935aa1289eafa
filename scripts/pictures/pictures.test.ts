import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { HOOK_NAMES } from '../../packages/core/src/hook-name.ts'
import { root } from '../published-packages.ts'
import { pipelineSvg } from './pipeline-svg.ts'
import { PICTURES } from './save-picture.ts'
import { terminalSvg } from './terminal-svg.ts'

test('the drawing of the loop is up to date; `pnpm site pictures` updates it', () => {
  expect(readFileSync(join(PICTURES, 'pipeline.svg'), 'utf8')).toBe(pipelineSvg())
})

test('the page on hooks lists all hooks, in order', () => {
  const rows = readFileSync(join(root, 'apps/docs/concepts/hooks.md'), 'utf8').match(/^\|.*`.*\|$/gm) ?? []
  expect(rows.flatMap((row) => row.match(/(?<=`)\w+(?=`)/g) ?? [])).toEqual(HOOK_NAMES)
})

test('pictures are small, and each is used', () => {
  const shown = [
    'README.md',
    ...readdirSync(join(root, 'apps/docs'))
      .filter((file) => file.endsWith('.md'))
      .map((file) => `apps/docs/${file}`),
  ]
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n')
  for (const name of readdirSync(PICTURES)) {
    expect(statSync(join(PICTURES, name)).size, name).toBeLessThan(150_000)
    expect(shown).toContain(`pictures/${name}`)
  }
})

test('draws a terminal with colors, and escapes its text', () => {
  const svg = terminalSvg('\u001b[1m> a < b\u001b[22m\n\u001b[31m\u001b[1mno\u001b[22m\u001b[39m & yes', {
    title: 'It',
  })
  expect(svg).toContain('<tspan class="bold">> a &lt; b</tspan>')
  expect(svg).toContain('<tspan class="red bold">no</tspan> &amp; yes')
})

test.each(['\u001b[5mblinks', 'a\u0007b', '\u001b[2Jgone'])(
  'throws for unknown escape sequences: %j',
  (text) => {
    expect(() => terminalSvg(text, { title: 'It' })).toThrow(/is unknown|control character/)
  },
)
