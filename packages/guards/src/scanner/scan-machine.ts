import type { Automaton } from './automaton.ts'
import type { Recognizer, Score } from './recognizer.ts'

/** Recognisers, ready to run. */
export interface ScanMachine {
  readonly automaton: Automaton
  /** By the automaton's pattern numbers; those by function follow. */
  readonly recognizers: readonly CompiledRecognizer[]
  readonly functions: readonly CompiledFunction[]
  readonly threshold: number
  /** Whether words before a match matter to a recogniser, and so does the name of its column in a table. */
  readonly readsContext: boolean
  /** The longest match of a pattern. */
  readonly maxLength: number
  /** How far a function has to see. 0 without functions. */
  readonly functionReach: number
  /** How far those must see that may find something beginning with a character. Undefined without functions. */
  readonly reachAt: ((codePoint: number) => number) | undefined
}

export interface CompiledRecognizer {
  readonly type: string
  readonly id: string
  readonly maxLength: number
  readonly rest: CompiledRest | undefined
  readonly part: Recognizer['part']
  /** What a candidate is compared with first. */
  readonly exact: RegExp | undefined
  /** The score of a candidate without its context. */
  readonly score: Score
  readonly context: CompiledContext | undefined
}

export interface CompiledContext {
  /** Whether each of its words has a letter: in a text without any stands none. */
  readonly hasLetters: boolean
  /** Whether one of the words stands there. */
  readonly isIn: (before: string) => boolean
  /** The score with one of them, from that without. */
  readonly raise: (score: number) => number
}

export interface CompiledFunction {
  /** Its number in {@link ScanMachine.recognizers}. */
  readonly recognizer: number
  readonly maxLength: number
  readonly match: (ahead: string, before: string) => number
  readonly starts: SetTest | undefined
}

export interface CompiledRest {
  readonly maxLength: number
  /** Of `until`, or of `repeat` (pattern 0) and `last` (pattern 1). */
  readonly automaton: Automaton | undefined
  /** The longest match of the automaton. */
  readonly reach: number
  readonly repeats: boolean
  readonly while: SetTest | undefined
}

/** Whether a character is in a set, remembered by character. */
export type SetTest = (codePoint: number) => boolean
