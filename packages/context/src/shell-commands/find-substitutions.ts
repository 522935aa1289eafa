import { firstMatches } from '../turn/matches.ts'
import type { TextRange } from '../turn/turn-text.ts'

/** A command in what the user wrote. */
export interface Substitution extends TextRange {
  /** What stands between the parentheses. */
  readonly line: string
}

const SUBSTITUTION = /(?<![\\$])\$\(([^()]{1,1024})\)/g

/** The commands of a text without code: `$(git status)`. Of nested ones the innermost. */
export function findSubstitutions(prose: string): Substitution[] {
  return firstMatches(prose, SUBSTITUTION).map(({ index, 0: whole, 1: line = '' }) => ({
    start: index,
    end: index + whole.length,
    line,
  }))
}
