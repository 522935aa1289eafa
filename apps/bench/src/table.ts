import Table from 'cli-table3'
import type { SuiteReport } from './figure.ts'

const BARE = {
  chars: Object.fromEntries(
    [
      'top',
      'top-mid',
      'top-left',
      'top-right',
      'bottom',
      'bottom-mid',
      'bottom-left',
      'bottom-right',
      'left',
      'left-mid',
      'mid',
      'mid-mid',
      'right',
      'right-mid',
    ].map((name) => [name, '']),
  ),
  style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
}

/** Formats reports for a terminal. */
export function toTable(reports: readonly SuiteReport[]): string {
  return reports
    .map(({ suite, measurements, figures }) => {
      const times = new Table({ ...BARE, head: ['', 'median', 'quartiles', 'over baseline', 'budget'] })
      for (const { contest, name, median, quartiles, ratio, budget } of measurements) {
        times.push([
          `${contest}: ${name}`,
          milliseconds(median),
          quartiles.map(milliseconds).join(' – '),
          `${ratio.toFixed(2)}×`,
          budget === undefined ? '' : verdict(ratio, budget, '×'),
        ])
      }
      const counts = new Table({ ...BARE, head: ['', 'found', 'budget'] })
      for (const { name, value, unit, budget } of figures) {
        counts.push([
          name,
          `${rounded(value)} ${unit}`,
          budget === undefined ? '' : verdict(value, budget, ''),
        ])
      }
      return [
        suite,
        ...(measurements.length > 0 ? [times.toString()] : []),
        ...(figures.length > 0 ? [counts.toString()] : []),
      ].join('\n')
    })
    .join('\n\n')
}

function verdict(value: number, budget: number, unit: string): string {
  return `${value <= budget ? 'within' : 'OVER'} ${budget}${unit}`
}

function milliseconds(time: number): string {
  return `${rounded(time)} ms`
}

function rounded(value: number): string {
  return value >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toPrecision(3)
}
