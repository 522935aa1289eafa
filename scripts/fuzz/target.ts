import type { Arbitrary } from 'fast-check'

/** A target of fuzzing. Inputs are JSON, so that they can be stored and mutated. */
export interface FuzzTarget {
  /** Source folders whose coverage guides the search, relative to the root. */
  readonly covers: readonly string[]
  /** Strings that are special to the code under test. They are inserted into strings, and used as keys. */
  readonly dictionary: readonly string[]
  /** Small hand-written inputs to start with. */
  seeds(): readonly unknown[] | Promise<readonly unknown[]>
  /** Generates valid inputs. Without it, all inputs are mutations of stored ones. */
  readonly arbitrary?: Arbitrary<unknown>
  /** Throws if a property is violated. It catches allowed errors, such as a MillraceError. */
  run(input: unknown): void | Promise<void>
  /** The stored form of an input. Default: the input. */
  encode?(input: unknown): unknown
  decode?(stored: unknown): unknown
}

/** A violated property. */
export class Broken extends Error {
  override readonly name = 'Broken'
}

export function hold(condition: boolean, what: () => string): void {
  if (!condition) throw new Broken(what())
}

/** Whether two values are equal as JSON. */
export function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
