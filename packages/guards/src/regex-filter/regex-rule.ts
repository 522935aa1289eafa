import { MillraceError, type OptionNames, requireOptions } from '@millrace/core'
import type { CharacterSet } from '../scanner/character-set.ts'
import { longest, type PatternNode, parsePattern } from '../scanner/pattern.ts'
import type { TreeRecognizer } from '../scanner/scanner.ts'

/** The maximum match of an unbounded pattern, in UTF-16 units. */
const DEFAULT_MAX_LENGTH = 1_000

export interface RegexRule {
  /**
   * A regular expression that runs in linear time: no backreferences, lookaround of one character only. At each
   * position the longest match is taken. A pattern that may begin at every character reads up to its maximum length
   * from each: keep that short.
   */
  readonly pattern: RegExp
  /** The type of its findings. Default: `'pattern'`. */
  readonly type?: string
  /** What `redact` puts in place of a match. Default: the `replacement` of the guard. */
  readonly replacement?: string
  /**
   * The maximum match of an unbounded pattern, in UTF-16 units. A repetition at the end of the pattern, as in
   * `/key=\S+/`, is matched to its end at any length. Default: 1,000.
   */
  readonly maxLength?: number
}

const REGEX_RULE: OptionNames<RegexRule> = {
  pattern: 'required',
  type: 'optional',
  replacement: 'optional',
  maxLength: 'optional',
}

/**
 * Validates a list of patterns and returns its rules.
 *
 * @throws MillraceError `CONFIG_INVALID` for an invalid pattern
 */
export function regexRules(guard: string, patterns: readonly (RegExp | RegexRule)[]): RegexRule[] {
  if (!Array.isArray(patterns)) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `patterns of ${guard} is not an array. Pass an array of patterns.`,
    )
  }
  return patterns.map((each: unknown, index): RegexRule => {
    if (each instanceof RegExp) return { pattern: each }
    const rule = each as Partial<RegexRule> | null | undefined
    if (typeof rule === 'object' && rule?.pattern instanceof RegExp) {
      return requireOptions(`Pattern ${index} of ${guard}`, rule as RegexRule, REGEX_RULE)
    }
    throw new MillraceError(
      'CONFIG_INVALID',
      `Pattern ${index} of ${guard} is not a regular expression. Pass one, or an object with one as its pattern.`,
    )
  })
}

/**
 * A recognizer for a rule.
 *
 * @throws MillraceError `CONFIG_INVALID` if the pattern cannot run in linear time
 */
export function regexRecognizer(
  { pattern, maxLength }: RegexRule,
  { type, id }: { type: string; id: string },
): TreeRecognizer {
  const { header, tail } = splitTail(parsePattern(pattern).root)
  const length = maxLength ?? (longest(header) === Number.POSITIVE_INFINITY ? DEFAULT_MAX_LENGTH : undefined)
  return {
    type,
    id,
    pattern: header,
    ...(length !== undefined && { maxLength: length }),
    ...(tail && { rest: { while: tail } }),
  }
}

/**
 * Splits an unbounded repetition of one character or class off the end of a pattern: then the match is reported as soon
 * as the header is complete.
 */
function splitTail(root: PatternNode): { header: PatternNode; tail?: CharacterSet } {
  const nodes = root.kind === 'sequence' ? [...root.nodes] : [root]
  const end = nodes.at(-1)
  const before = nodes.at(-2)
  // A word boundary after an unbounded run of word characters always holds.
  const isImplied =
    end?.kind === 'assertion' && end.on === 'boundary' && !end.negated && setOf(before)?.key === end.set.key
  if (isImplied) nodes.pop()
  const last = nodes.pop()
  const tail = setOf(last)
  if (!tail || last?.kind !== 'repeat') return { header: root }
  const count = nodes.length === 0 ? Math.max(1, last.min) : last.min
  nodes.push({ kind: 'repeat', node: last.node, min: count, max: count })
  return { header: { kind: 'sequence', nodes }, tail }
}

/** The set that a node repeats without an upper bound. */
function setOf(node: PatternNode | undefined): CharacterSet | undefined {
  if (node?.kind !== 'repeat' || node.max !== Number.POSITIVE_INFINITY) return undefined
  return node.node.kind === 'set' ? node.node.set : undefined
}
