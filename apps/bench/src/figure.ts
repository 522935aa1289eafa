import type { Measurement } from './measure.ts'

/** A counted value, not a time: bytes, chunks, packages. */
export interface Figure {
  name: string
  value: number
  unit: string
  /** The maximum. */
  budget?: number
}

/** The results of a suite. */
export interface SuiteReport {
  suite: string
  measurements: Measurement[]
  figures: Figure[]
}

export interface Suite {
  name: string
  /** A one-line description. */
  about: string
  run: (options: SuiteOptions) => Promise<Omit<SuiteReport, 'suite'>>
}

interface SuiteOptions {
  /** Fewer rounds, and nothing that takes minutes or the network. */
  quick: boolean
}

/** The results over budget, as text; every budget is multiplied by `margin`. */
export function overBudget(reports: readonly SuiteReport[], margin = 1): string[] {
  return reports.flatMap(({ measurements, figures }) => [
    ...measurements
      .filter(({ ratio, budget }) => budget !== undefined && !(ratio <= budget * margin))
      .map(
        ({ contest, name, ratio, budget }) =>
          `${contest}, ${name}: ${ratio.toFixed(2)} times the baseline, budget ${budget}`,
      ),
    ...figures
      .filter(({ value, budget }) => budget !== undefined && !(value <= budget * margin))
      .map(({ name, value, unit, budget }) => `${name}: ${value.toFixed(2)} ${unit}, budget ${budget}`),
  ])
}
