import type { SuiteReport } from './figure.ts'

const BAR = { height: 18, gap: 8, left: 330, width: 420 }

/** Everything that is measured against a floor, as bars in an SVG: how many times the floor, with the budget as a mark. */
export function toChart(reports: readonly SuiteReport[]): string {
  const rows = reports
    .flatMap(({ measurements }) => measurements)
    .filter(({ ratio }) => ratio !== 1)
    .map(({ contest, name, ratio, budget }) => ({ label: `${contest}: ${name}`, ratio, budget }))
  const most = Math.max(1, ...rows.map(({ ratio, budget = 0 }) => Math.max(ratio, budget)))
  const scale = (value: number): number => (value / most) * BAR.width
  const bars = rows.map(({ label, ratio, budget }, index) => {
    const y = index * (BAR.height + BAR.gap) + BAR.gap
    const middle = y + BAR.height - 5
    const color = budget !== undefined && ratio > budget ? '#c0392b' : '#2e7d8c'
    const mark =
      budget === undefined
        ? ''
        : `<line x1="${BAR.left + scale(budget)}" x2="${BAR.left + scale(budget)}" y1="${y - 2}" y2="${y + BAR.height + 2}" stroke="#333" stroke-width="2"/>`
    return `<text x="${BAR.left - 8}" y="${middle}" text-anchor="end">${escaped(label)}</text>
<rect x="${BAR.left}" y="${y}" width="${scale(ratio).toFixed(1)}" height="${BAR.height}" fill="${color}"/>${mark}
<text x="${(BAR.left + scale(ratio) + 6).toFixed(1)}" y="${middle}">${ratio.toFixed(2)}×</text>`
  })
  const height = rows.length * (BAR.height + BAR.gap) + BAR.gap
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${BAR.left + BAR.width + 80}" height="${height}" font-family="sans-serif" font-size="12">
<title>Cost over the floor; a dark line is the budget</title>
<rect width="100%" height="100%" fill="white"/>
${bars.join('\n')}
</svg>
`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
