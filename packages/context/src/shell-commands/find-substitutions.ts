import { firstMatches } from '../turn/matches.ts'
import type { TextRange } from '../turn/turn-text.ts'

/** A command in the user's text. */
export interface Substitution extends TextRange {
  /** The text between the parentheses. */
  readonly line: string
}

const SUBSTITUTION = /(?<![\\$])\$\(([^()]{1,1024})\)/g

/** Finds the commands in a text without code: `$(git status)`. If they are nested, only the innermost. */
export function findSubstitutions(prose: string): Substitution[] {
  return firstMatches(prose, SUBSTITUTION).map(({ index, 0: whole, 1: line = '' }) => ({
    start: index,
    end: index + whole.length,
    line,
  }))
}
