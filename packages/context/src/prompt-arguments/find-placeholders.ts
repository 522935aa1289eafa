import { firstMatches } from '../turn/matches.ts'
import type { TextRange } from '../turn/turn-text.ts'

/** A placeholder in a text. */
export interface Placeholder extends TextRange {
  readonly name: string
}

const PLACEHOLDER = /(?<![{$\\])\{([\p{L}_][\p{L}\p{N}_-]{0,63})\}(?!\})/gu

/** Finds the placeholders in a text without code: `{name}`, but not `{{name}}` or `${name}`. */
export function findPlaceholders(prose: string): Placeholder[] {
  return firstMatches(prose, PLACEHOLDER).map(({ index, 0: whole, 1: name = '' }) => ({
    start: index,
    end: index + whole.length,
    name,
  }))
}
