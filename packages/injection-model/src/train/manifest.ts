import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** How training uses a row that is not our own. */
export type Use =
  /** The text is learned. */
  | 'text'
  /** The order in the text is learned, inserted into our own documents. */
  | 'order'
  /** The passages of the text, a harmless document, are learned. */
  | 'document'
  /** Nothing is learned. The row is compared with others, to find the order in them. */
  | 'comparison'

export interface RowGroup {
  /** The name of one of `SOURCES`. */
  readonly source: string
  readonly set: string
  readonly licence: string
  readonly use: Use
  /** The hashes of the rows. */
  readonly rows: readonly string[]
}

/** The training data: which rows are used, and how. */
export interface Manifest {
  /** The version of Node: its number and character functions also affect the bytes. */
  readonly node: string
  /**
   * The examples generated from the rows: templates are filled in, orders inserted into documents, documents split into
   * passages.
   */
  readonly examples: {
    readonly count: number
    readonly sha256: string
    /** The hash of the examples generated from our own rows, which need no data folder. */
    readonly own: string
  }
  /** The hashes of the lines of each file in `texts/`. */
  readonly own: Readonly<Record<string, readonly string[]>>
  readonly thirdParty: readonly RowGroup[]
}

export const MANIFEST_FILE: URL = new URL('../../manifest.json', import.meta.url)

export function readManifest(): Manifest {
  return JSON.parse(readFileSync(MANIFEST_FILE, 'utf8'))
}

/** SHA-256 of the manifest file, in hexadecimal. */
export function hashOfManifest(): string {
  return createHash('sha256').update(readFileSync(MANIFEST_FILE)).digest('hex')
}

/** The hashes of the rows of others that are in the training data, as a whole or in part. */
export function learnedRows({ thirdParty }: Manifest): ReadonlySet<string> {
  return new Set(thirdParty.flatMap(({ use, rows }) => (use === 'comparison' ? [] : rows)))
}
