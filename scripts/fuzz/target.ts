import type { Arbitrary } from 'fast-check'

/** What is tested with made-up inputs. Inputs are JSON, so that any can be kept in a file and mutated. */
export interface FuzzTarget {
  /** Folders of the sources whose coverage guides, relative to the root. */
  readonly covers: readonly string[]
  /** Words that mean something to the code under test, put into strings and used as keys. */
  readonly dictionary: readonly string[]
  /** Small inputs written by hand, to begin with. */
  seeds(): readonly unknown[] | Promise<readonly unknown[]>
  /** Inputs of the right form. Without it, all inputs are mutations of kept ones. */
  readonly arbitrary?: Arbitrary<unknown>
  /** Throws where a promise is broken. What an input causes that is allowed, such as a MillraceError, it catches. */
  run(input: unknown): void | Promise<void>
  /** An input as it is kept in a file. Default: as it is. */
  encode?(input: unknown): unknown
  decode?(stored: unknown): unknown
}

/** Something did not hold. */
export class Broken extends Error {
  override readonly name = 'Broken'
}

export function hold(condition: boolean, what: () => string): void {
  if (!condition) throw new Broken(what())
}

/** Whether two values are the same JSON. */
export function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
