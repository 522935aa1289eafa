import { MillraceError } from '@millrace/core'
import { type GuardOptions, mask } from '../guard/options.ts'
import { TextGuard } from '../guard/text-guard.ts'
import type { CharacterSet } from '../scanner/character-set.ts'
import { longest, type PatternNode, parsePattern } from '../scanner/pattern.ts'
import { Scanner, type TreeRecognizer } from '../scanner/scanner.ts'

const RULE = 'rule-'

/** The longest match of a pattern that bounds none, in UTF-16 units. */
const DEFAULT_MAX_LENGTH = 1_000

export interface RegexRule {
  /**
   * Within what runs in linear time: no backreferences, lookaround of one character only. Of all matches at a place the
   * longest is taken.
   */
  readonly pattern: RegExp
  /** What the findings are called. Default: `pattern`. */
  readonly type?: string
  /** What `redact` puts in place of a match. Default: the guard's. */
  readonly replacement?: string
  /**
   * The longest match of an unbounded pattern, in UTF-16 units. A repetition at the very end, as in `/key=\S+/`, is
   * followed to its end however long it is. Default: 1,000.
   */
  readonly maxLength?: number
}

export interface RegexFilterOptions extends GuardOptions {
  readonly patterns: readonly (RegExp | RegexRule)[]
  /** What `redact` puts in place of a match. Default: `[REDACTED]`. */
  readonly replacement?: string
}

/** Finds what matches regular expressions. Blocks it, unless told otherwise. */
export class RegexFilter extends TextGuard {
  /** @throws MillraceError `CONFIG_INVALID` if a pattern cannot be run in linear time. */
  constructor({ patterns, replacement, ...options }: RegexFilterOptions) {
    if (!Array.isArray(patterns) || patterns.length === 0) {
      throw new MillraceError('CONFIG_INVALID', 'RegexFilter has no patterns. Pass at least one.')
    }
    const rules = patterns.map((each): RegexRule => (each instanceof RegExp ? { pattern: each } : each))
    const recognizers = rules.map(recognizerOf)
    super({
      id: 'regex-filter',
      strategy: 'block',
      label: 'A pattern was',
      ...options,
      scanner: new Scanner(recognizers),
      replacement: (detection) =>
        rules[Number(detection.recognizer.slice(RULE.length))]?.replacement ??
        replacement ??
        mask({ type: '' }),
    })
  }
}

function recognizerOf({ pattern, type = 'pattern', maxLength }: RegexRule, index: number): TreeRecognizer {
  const { header, tail } = splitTail(parsePattern(pattern).root)
  const length = maxLength ?? (longest(header) === Number.POSITIVE_INFINITY ? DEFAULT_MAX_LENGTH : undefined)
  return {
    type,
    id: `${RULE}${index}`,
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
