import type { Actions } from '../act/actions.ts'
import type { Bench } from '../bench/bench.ts'
import type { Library } from '../library.ts'
import type { Info } from '../wire.ts'

/** What the routes need. */
export interface ServerParts {
  info: Info
  library: Library
  bench: Bench
  /** The agents of this process; none where a file is read. */
  actions: Actions | undefined
  /** Takes exported runs in. */
  importRun: (exported: unknown) => string
  onError: (error: unknown) => void
  /** Where the built page is. Default: beside this package. */
  pageFolder?: string
}
