import type { Automaton } from './automaton.ts'
import type { Recognizer, Score } from './recognizer.ts'

/** The compiled recognizers of a scanner. */
export interface ScanMachine {
  readonly automaton: Automaton
  /** By the automaton's pattern numbers, followed by the recognizers with functions. */
  readonly recognizers: readonly CompiledRecognizer[]
  readonly functions: readonly CompiledFunction[]
  readonly threshold: number
  /** Whether a recognizer has context words. Only then are the columns of tables tracked. */
  readonly readsContext: boolean
  /** The maximum length of a pattern's match. */
  readonly maxLength: number
  /** The maximum lookahead of a function; 0 without functions. */
  readonly functionReach: number
  /** The lookahead of the functions that may match at a character. Undefined without functions. */
  readonly reachAt: ((codePoint: number) => number) | undefined
}

export interface CompiledRecognizer {
  readonly type: string
  readonly id: string
  readonly maxLength: number
  readonly rest: CompiledRest | undefined
  readonly part: Recognizer['part']
  /** The original pattern of a recognizer with `anyDigit`, to test a candidate. */
  readonly exact: RegExp | undefined
  /** The score of a candidate without the bonus of context words. */
  readonly score: Score
  readonly context: CompiledContext | undefined
}

export interface CompiledContext {
  /** Whether every word has a letter: then a text without letters needs no search. */
  readonly hasLetters: boolean
  /** Whether the text contains one of the words. */
  readonly isIn: (before: string) => boolean
  /** Raises a score by the bonus of a context word. */
  readonly raise: (score: number) => number
}

export interface CompiledFunction {
  /** Its index in {@link ScanMachine.recognizers}. */
  readonly recognizer: number
  readonly maxLength: number
  readonly match: (ahead: string, before: string) => number
  readonly starts: SetTest | undefined
}

export interface CompiledRest {
  readonly maxLength: number
  /** For `until`, or for `repeat` (pattern 0) and `last` (pattern 1). */
  readonly automaton: Automaton | undefined
  /** The maximum length of the automaton's matches. */
  readonly reach: number
  readonly repeats: boolean
  readonly while: SetTest | undefined
}

/** Tests whether a character is in a set; results are cached. */
export type SetTest = (codePoint: number) => boolean
