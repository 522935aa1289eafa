// A section of the page of figures: charts, table, and how it was measured.
import { type BarChart, toSvg } from './bar-chart.ts'
import type { ResultFile } from './result-file.ts'

export interface Figure {
  /** The name of the result and of its section in the page. */
  readonly name: string
  /** By file name. */
  readonly charts: Readonly<Record<string, string>>
  /** Markdown: each chart with its table, and how it was measured. */
  readonly text: string
}

export function figure(
  name: string,
  result: Omit<ResultFile, 'values'>,
  {
    charts,
    table,
    isTimed = false,
  }: { charts: Readonly<Record<string, BarChart>>; table: string; isTimed?: boolean },
): Figure {
  const images = Object.entries(charts).map(([file, { title }]) => `![${title}](figures/${file})`)
  return {
    name,
    charts: Object.fromEntries(Object.entries(charts).map(([file, chart]) => [file, toSvg(chart)])),
    text: [...images, table, measured(result, isTimed)].join('\n\n'),
  }
}

/** How it was measured, including the load of the machine. */
export function measured(
  { command, date, machine, versions, data = [] }: Omit<ResultFile, 'values'>,
  isTimed: boolean,
): string {
  const { cpu, cores, memoryGB, os, load } = machine
  const late = isTimed ? ', so times are too long' : ''
  const busy = load > cores ? `, at a load of ${load}${late}` : ''
  const names = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return [
    `Measured on ${date.slice(0, 10)} by \`${command}\`, on ${cores} cores of ${cpu}, ${memoryGB} GB, ${os}${busy}. Versions: ${names.join(', ')}.`,
    ...data.map(
      ({ file, about, licence, sha256 }) =>
        `Data: \`${file}\` (${about}; ${licence}; SHA-256 \`${sha256.slice(0, 12)}\`).`,
    ),
  ].join('\n')
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

export function milliseconds(time: number): string {
  return `${time >= 100 ? time.toFixed(0) : time.toPrecision(2)} ms`
}
