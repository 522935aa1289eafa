import { firstMatches } from '../turn/matches.ts'
import type { TextRange } from '../turn/turn-text.ts'

/** A memory named in the user's text. */
export interface NamedMemory extends TextRange {
  readonly name: string
}

const NAMED =
  /(?<=^|[\s([{"'“‘«,;:*—–])@memory:([\p{L}\p{N}_](?:[\p{L}\p{N}\p{M}_.-]{0,126}[\p{L}\p{N}\p{M}_-])?)/gu

/** Finds the memories named in a text without code, such as `@memory:style`. */
export function findMemories(prose: string): NamedMemory[] {
  return firstMatches(prose, NAMED).map(({ index, 0: whole, 1: name = '' }) => ({
    start: index,
    end: index + whole.length,
    name,
  }))
}
