/**
 * Says what one kind of finding looks like. Recognisers are plain data: they keep no state, and the same list may serve
 * any number of scanners.
 */
export type Recognizer = PatternRecognizer | FunctionRecognizer

/**
 * `following` is what comes after the candidate within a longer one that was refused at its place, and empty where none
 * was. `counts` says whether a score would count here, after words of the recogniser's context if they are there: what is
 * laborious need not be worked out for a score that does not, and 0 be returned. A score below 0 rejects the shorter candidates
 * of the recogniser at this place, too.
 */
export type Score = (
  candidate: string,
  before: string,
  counts: (score: number) => boolean,
  following: string,
) => number

interface RecognizerBase {
  /** What is found, such as `email` or `credit-card`. Several recognisers may find the same type. */
  readonly type: string
  /** Tells recognisers of one type apart in detections. Default: `type`. */
  readonly id?: string
  /**
   * How sure a match is, from 0 to 1; 0 rejects it, which is what a failed checksum does. A function sees the whole
   * candidate and the text before it, at most {@link CONTEXT_WINDOW} UTF-16 units; it must not keep either. Where the
   * longest candidate is rejected, shorter ones at the same place are tried. Default: 1.
   */
  readonly score?: number | Score
  /**
   * Words that make a match surer when one of them stands, as a whole word and in any case, within the
   * {@link CONTEXT_WINDOW} before it, or in the name of its column, where it is a cell of a table such as CSV. They may
   * contain spaces. In scripts without spaces between words they count wherever
   * they stand.
   */
  readonly context?: readonly string[]
  /** The score with a context word. Default: 0.35 more than without, at most 1. A score of 0 stays 0. */
  readonly contextScore?: number
  /**
   * The part of an accepted match that is the finding, as its start and end within the match: the value of an
   * assignment without the name before it. Not together with `rest`. Default: the whole match.
   */
  readonly part?: (match: string) => readonly [start: number, end: number]
  /** Countries the format belongs to, ISO 3166-1 alpha-2. For selecting recognisers; the scanner does not read it. */
  readonly regions?: readonly string[]
  /**
   * For what is too long to hold back, such as a PEM block: once its header, the `pattern`, is accepted, all that
   * follows belongs to the match too.
   */
  readonly rest?: Rest
}

/** How far an open-ended match reaches beyond its header. At the latest to the end of the text. */
export type Rest = { readonly maxLength?: number } & (
  | {
      /** To the end of the first match of this pattern, which is part of the match. Written as `pattern` is. */
      readonly until: RegExp
    }
  | {
      /** As long as characters match; a single character or class, such as `/[\w.-]/`. */
      readonly while: RegExp
    }
  | {
      /**
       * As long as matches of this pattern follow each other without a gap, such as lines of a certain form. Written as
       * `pattern` is; at each place the longest match is taken.
       */
      readonly repeat: RegExp
      /** The match ends with a match of this pattern among them. Where both match, the longer one counts. */
      readonly last?: RegExp
    }
)

/** A recogniser by pattern. */
export interface PatternRecognizer extends RecognizerBase {
  /**
   * A regular expression within what a finite automaton can run: no backreferences, and lookaround only of a single
   * character or class, such as `(?<![\w.])` or `(?!\d)`. `\b`, `\B`, `^`, `$`, classes, `\p{…}`, groups, alternatives
   * and the flags `i`, `m`, `s`, `u` and `v` work. Characters are code points, with or without `u`. Of all matches that
   * begin at a place the longest is taken, whether quantifiers are greedy or lazy. `g` and `y` mean nothing here.
   */
  readonly pattern: RegExp
  /**
   * The longest match, in UTF-16 units: a longer one is not found as a whole. It bounds how much of a stream is held
   * back. Default: what follows from the pattern; required where that is unbounded.
   */
  readonly maxLength?: number
  /**
   * Lets any digit match where the pattern names some, such as `[2-9]`, and compares what matched with the pattern before
   * its score is asked for. Many patterns of digits in one scanner multiply each other's states, unless they are alike.
   * The comparison sees the match alone, so the pattern must not require what stands before or behind it. Default: false.
   */
  readonly anyDigit?: boolean
}

/** A recogniser by function, for what no pattern expresses. Text is held back wherever a match may begin. */
export interface FunctionRecognizer extends RecognizerBase {
  /**
   * The length of the match that begins where `ahead` begins, or 0. `ahead` is the next `maxLength` UTF-16 units, fewer
   * only where the text ends; `before` at most {@link CONTEXT_WINDOW} units before it. Must be a pure function.
   */
  readonly match: (ahead: string, before: string) => number
  /** The longest match, in UTF-16 units, what it must see after its end included. */
  readonly maxLength: number
  /** The characters a match may begin with: a single character or class. Default: any. */
  readonly starts?: RegExp
}

/** How much text before a match decides about it, in UTF-16 units. */
export const CONTEXT_WINDOW = 64

/** What was found, and where. Never the value itself. */
export interface Detection {
  readonly type: string
  /** In UTF-16 units from the beginning of the text, the part of a message or the JSON string it was found in. */
  readonly start: number
  readonly end: number
  /** From 0 to 1. */
  readonly score: number
  /** The recogniser's `id`. */
  readonly recognizer: string
}
