import type { Actions } from '../act/actions.ts'
import type { Bench } from '../bench/bench.ts'
import type { Library } from '../library.ts'
import type { Info } from '../wire.ts'

/** The dependencies of the routes. */
export interface ServerParts {
  info: Info
  library: Library
  bench: Bench
  /** The agents of this process; `undefined` if only a file is read. */
  actions: Actions | undefined
  /** Imports an exported run, and returns its id. */
  importRun: (exported: unknown) => string
  onError: (error: unknown) => void
  /** The folder of the built page. Default: in this package. */
  pageFolder?: string
}
