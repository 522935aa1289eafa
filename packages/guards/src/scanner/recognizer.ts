import type { OptionNames } from '@millrace/core'

/** Describes one kind of finding. Recognizers are plain data without state: any number of scanners can share a list. */
export type Recognizer = PatternRecognizer | FunctionRecognizer

/**
 * Scores a candidate. `counts` tells whether a score would reach the threshold here, including the bonus of context
 * words: return 0 early, before expensive work, if it would not. `following` is the text after the candidate within a
 * longer candidate that was rejected at the same position; empty if there was none. A score below 0 also rejects all
 * shorter candidates of this recognizer at this position.
 */
export type Score = (
  candidate: string,
  before: string,
  counts: (score: number) => boolean,
  following: string,
) => number

interface RecognizerBase {
  /** The type of the finding, such as `email` or `credit-card`. Several recognizers may share a type. */
  readonly type: string
  /** Identifies the recognizer in detections. Default: `type`. */
  readonly id?: string
  /**
   * The confidence of a match, from 0 to 1. 0 rejects the match, for example after a failed checksum. A function gets
   * the whole candidate and at most {@link CONTEXT_WINDOW} UTF-16 units of text before it; it must not keep either. If
   * the longest candidate is rejected, shorter ones at the same position are tried. Default: 1.
   */
  readonly score?: number | Score
  /**
   * Words that raise the score if one of them is in the {@link CONTEXT_WINDOW} before the match, as a whole word and in
   * any case. They may contain spaces. The name of the column counts as well, if the match is a cell of a table such as
   * CSV. In scripts without spaces between words, a word counts anywhere.
   */
  readonly context?: readonly string[]
  /** The score with a context word. Default: the score without plus 0.35, at most 1. A score of 0 stays 0. */
  readonly contextScore?: number
  /**
   * Returns the part of an accepted match that is the finding, as start and end within the match: for example the value
   * of an assignment without its name. Cannot be combined with `rest`. Default: the whole match.
   */
  readonly part?: (match: string) => readonly [start: number, end: number]
  /**
   * Countries that use the format, as ISO 3166-1 alpha-2 codes. For selecting recognizers; the scanner ignores them.
   */
  readonly regions?: readonly string[]
  /**
   * For matches that are too long to hold back, such as a PEM block. `pattern` is the header; after it is accepted, the
   * text that follows belongs to the match as described here.
   */
  readonly rest?: Rest
}

/** How far an open-ended match reaches beyond its header, at most to the end of the text. */
export type Rest = { readonly maxLength?: number } & (
  | {
      /** To the end of the first match of this pattern, inclusive. The rules of `pattern` apply. */
      readonly until: RegExp
    }
  | {
      /** As long as characters match this single character or class, such as `/[\w.-]/`. */
      readonly while: RegExp
    }
  | {
      /**
       * As long as matches of this pattern follow each other without a gap, such as lines of a certain form. The rules
       * of `pattern` apply; at each position the longest match is taken.
       */
      readonly repeat: RegExp
      /** Ends the match after a match of this pattern, inclusive. If both patterns match, the longer match is taken. */
      readonly last?: RegExp
    }
)

/** A recognizer with a pattern. */
export interface PatternRecognizer extends RecognizerBase {
  /**
   * A regular expression that a finite automaton can run: no backreferences, and lookaround only over a single
   * character or class, such as `(?<![\w.])` or `(?!\d)`. `\b`, `\B`, `^`, `$`, classes, `\p{…}`, groups, alternatives
   * and the flags `i`, `m`, `s`, `u` and `v` are supported; `g` and `y` are ignored. Characters are code points, with
   * or without `u`. Of all matches that begin at a position the longest is taken, whether quantifiers are greedy or
   * lazy.
   */
  readonly pattern: RegExp
  /**
   * The maximum length of a match, in UTF-16 units. It bounds how much of a stream is held back. Default: computed from
   * the pattern; required if the pattern is unbounded.
   */
  readonly maxLength?: number
  /**
   * Runs sets of digits, such as `[2-9]`, as any digit, and tests accepted matches with the original pattern. This
   * keeps the automaton small: many different patterns of digits multiply its states. The test sees the match alone, so
   * the pattern must not have assertions on the text around it. Default: false.
   */
  readonly anyDigit?: boolean
}

/** A recognizer with a function, for what no pattern can express. Text is held back wherever a match may begin. */
export interface FunctionRecognizer extends RecognizerBase {
  /**
   * Returns the length of the match at the start of `ahead`, or 0. `ahead` is the next `maxLength` UTF-16 units, fewer
   * only at the end of the text; `before` is at most {@link CONTEXT_WINDOW} units before it. Must be a pure function.
   */
  readonly match: (ahead: string, before: string) => number
  /** The maximum length of a match, including the text it must see after its end, in UTF-16 units. */
  readonly maxLength: number
  /** The characters a match may begin with: a single character or class. Default: any. */
  readonly starts?: RegExp
}

export const RECOGNIZER: OptionNames<Recognizer> = {
  type: 'required',
  id: 'optional',
  score: 'optional',
  context: 'optional',
  contextScore: 'optional',
  part: 'optional',
  regions: 'optional',
  rest: { maxLength: 'optional', until: 'optional', while: 'optional', repeat: 'optional', last: 'optional' },
  pattern: 'optional',
  maxLength: 'optional',
  anyDigit: 'optional',
  match: 'optional',
  starts: 'optional',
}

/** How much text before a match is searched for context words and passed to scores, in UTF-16 units. */
export const CONTEXT_WINDOW = 64

/** A finding: its type and position. Never contains the value itself. */
export interface Detection {
  readonly type: string
  /** In UTF-16 units from the beginning of the text, of the part of a message, or of the JSON string. */
  readonly start: number
  readonly end: number
  /** From 0 to 1. */
  readonly score: number
  /** The `id` of the recognizer. */
  readonly recognizer: string
}
