// SVG bar charts for both themes: as an image, an SVG follows the theme of the reader's system.

interface Bar {
  readonly label: string
  readonly value: number
  /** Whether it is Millrace's. */
  readonly isOwn?: boolean
}

interface BarGroup {
  readonly title: string
  readonly bars: readonly Bar[]
}

export interface BarChart {
  /** The accessible description. */
  readonly title: string
  readonly groups: readonly BarGroup[]
  readonly format: (value: number) => string
  /** Whether each group has its own scale. Default: one scale for all. */
  readonly ownScales?: boolean
}

const LEFT = 190
const WIDTH = 430
const ROW = 24
const STYLE =
  'text{font:13px ui-sans-serif,system-ui,sans-serif;fill:#2b2d33}.g{font-weight:600}.o{fill:#0d9488}.p{fill:#9aa0ab}@media (prefers-color-scheme:dark){text{fill:#e6e6e9}.o{fill:#2dd4bf}.p{fill:#6b7280}}'

export function toSvg({ title, groups, format, ownScales = false }: BarChart): string {
  const most = (bars: readonly Bar[]): number => Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE)
  const overall = most(groups.flatMap(({ bars }) => bars))
  const parts: string[] = []
  let y = 8
  for (const group of groups) {
    parts.push(`<text class="g" x="8" y="${y + 14}">${escaped(group.title)}</text>`)
    y += ROW
    const scale = ownScales ? most(group.bars) : overall
    for (const { label, value, isOwn } of group.bars) {
      const length = Math.max(1, (value / scale) * WIDTH)
      parts.push(
        `<text x="${LEFT - 8}" y="${y + 14}" text-anchor="end">${escaped(label)}</text>`,
        `<rect class="${isOwn ? 'o' : 'p'}" x="${LEFT}" y="${y + 2}" width="${length.toFixed(1)}" height="${ROW - 8}" rx="2"/>`,
        `<text x="${(LEFT + length + 6).toFixed(1)}" y="${y + 14}">${escaped(format(value))}</text>`,
      )
      y += ROW
    }
    y += 10
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${LEFT + WIDTH + 90} ${y}" role="img">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
${parts.join('\n')}
</svg>
`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
