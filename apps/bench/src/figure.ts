import type { Measurement } from './measure.ts'

/** Something that is counted and not timed: bytes, chunks, packages. */
export interface Figure {
  name: string
  value: number
  unit: string
  /** The most it may be. */
  budget?: number
}

/** What a suite has found out. */
export interface SuiteReport {
  suite: string
  measurements: Measurement[]
  figures: Figure[]
}

export interface Suite {
  name: string
  /** What it measures, in a line. */
  about: string
  run: (options: SuiteOptions) => Promise<Omit<SuiteReport, 'suite'>>
}

interface SuiteOptions {
  /** Fewer rounds, and nothing that takes minutes or the network. */
  quick: boolean
}

/** What is over its budget, in words; `margin` widens every budget by this factor. */
export function overBudget(reports: readonly SuiteReport[], margin = 1): string[] {
  return reports.flatMap(({ measurements, figures }) => [
    ...measurements
      .filter(({ ratio, budget }) => budget !== undefined && !(ratio <= budget * margin))
      .map(
        ({ contest, name, ratio, budget }) =>
          `${contest}, ${name}: ${ratio.toFixed(2)} times the floor, budget ${budget}`,
      ),
    ...figures
      .filter(({ value, budget }) => budget !== undefined && !(value <= budget * margin))
      .map(({ name, value, unit, budget }) => `${name}: ${value.toFixed(2)} ${unit}, budget ${budget}`),
  ])
}
