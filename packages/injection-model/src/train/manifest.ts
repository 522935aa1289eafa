import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** What training does with a row that is not our own. */
export type Use =
  /** It learns the text. */
  | 'text'
  /** It learns the order in the text, put into documents of our own. */
  | 'order'
  /** It learns the passages of the text, a harmless document. */
  | 'document'
  /** It learns nothing of it: comparison with it shows what in other rows is the order. */
  | 'comparison'

export interface RowGroup {
  /** The name of one of `SOURCES`. */
  readonly source: string
  readonly set: string
  readonly licence: string
  readonly use: Use
  /** Their hashes. */
  readonly rows: readonly string[]
}

/** Which rows the weights are made of, and with what. */
export interface Manifest {
  /** The version of Node: its functions of numbers and characters decide on the bytes too. */
  readonly node: string
  /** What becomes of the rows: templates are filled in, orders put into documents, documents cut into passages. */
  readonly examples: {
    readonly count: number
    readonly sha256: string
    /** Of those made of our own rows alone, which can be made without any data folder. */
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

/** SHA-256 of the manifest's file, in hexadecimal. */
export function hashOfManifest(): string {
  return createHash('sha256').update(readFileSync(MANIFEST_FILE)).digest('hex')
}

/** The hashes of the rows that are not our own and that the weights have seen, as a whole or in part. */
export function learnedRows({ thirdParty }: Manifest): ReadonlySet<string> {
  return new Set(thirdParty.flatMap(({ use, rows }) => (use === 'comparison' ? [] : rows)))
}
