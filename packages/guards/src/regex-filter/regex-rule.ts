import { MillraceError } from '@millrace/core'
import type { CharacterSet } from '../scanner/character-set.ts'
import { longest, type PatternNode, parsePattern } from '../scanner/pattern.ts'
import type { TreeRecognizer } from '../scanner/scanner.ts'

/** The longest match of a pattern that bounds none, in UTF-16 units. */
const DEFAULT_MAX_LENGTH = 1_000

export interface RegexRule {
  /**
   * A regular expression that runs in linear time: no backreferences, lookaround of one character only. Of all matches at
   * a place the longest is taken. A pattern that may begin anywhere reads up to its longest match at every character: keep
   * that short.
   */
  readonly pattern: RegExp
  /** The type of its findings. Default: `'pattern'`. */
  readonly type?: string
  /** What `redact` puts in place of a match. Default: that of the guard. */
  readonly replacement?: string
  /**
   * The longest match of an unbounded pattern, in UTF-16 units. A repetition at the very end, as in `/key=\S+/`, is
   * followed to its end however long it is. Default: 1,000.
   */
  readonly maxLength?: number
}

/**
 * The rules in a list of patterns.
 *
 * @throws MillraceError `CONFIG_INVALID` if something is none
 */
export function regexRules(guard: string, patterns: readonly (RegExp | RegexRule)[]): RegexRule[] {
  if (!Array.isArray(patterns)) {
    throw new MillraceError('CONFIG_INVALID', `The patterns of ${guard} are no list. Pass an array of them.`)
  }
  return patterns.map((each: unknown, index): RegexRule => {
    if (each instanceof RegExp) return { pattern: each }
    const rule = each as Partial<RegexRule> | null | undefined
    if (typeof rule === 'object' && rule?.pattern instanceof RegExp) return rule as RegexRule
    throw new MillraceError(
      'CONFIG_INVALID',
      `Pattern ${index} of ${guard} is no regular expression. Pass one, or an object with one as its pattern.`,
    )
  })
}

/**
 * Finds what matches a rule.
 *
 * @throws MillraceError `CONFIG_INVALID` if the pattern cannot be run in linear time
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

/** Parts an unbounded repetition of one character or class off the end of a pattern: that much can be told at once. */
function splitTail(root: PatternNode): { header: PatternNode; tail?: CharacterSet } {
  const nodes = root.kind === 'sequence' ? [...root.nodes] : [root]
  const end = nodes.at(-1)
  const before = nodes.at(-2)
  // A word's end after a run of word characters goes without saying.
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

/** The set a node repeats without bound. */
function setOf(node: PatternNode | undefined): CharacterSet | undefined {
  if (node?.kind !== 'repeat' || node.max !== Number.POSITIVE_INFINITY) return undefined
  return node.node.kind === 'set' ? node.node.set : undefined
}
