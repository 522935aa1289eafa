import { longest, parsePattern } from '../scanner/pattern.ts'
import { Scanner } from '../scanner/scanner.ts'
import type { InjectionPattern } from './injection-scorer.ts'

/** The maximum match of an unbounded pattern, in UTF-16 units. */
const DEFAULT_MAX_LENGTH = 1_000

/**
 * Compiles custom patterns.
 *
 * @throws MillraceError `CONFIG_INVALID` if one cannot run in linear time.
 */
export function compilePatterns(patterns: readonly (RegExp | InjectionPattern)[]): Scanner {
  const recognizers = patterns.map((each, index) => {
    const { pattern, score = 1 } = each instanceof RegExp ? { pattern: each } : each
    const { root } = parsePattern(pattern)
    const isBounded = Number.isFinite(longest(root))
    return {
      type: 'custom',
      id: `pattern-${index}`,
      pattern,
      score,
      ...(!isBounded && { maxLength: DEFAULT_MAX_LENGTH }),
    }
  })
  return new Scanner(recognizers, { threshold: 0 })
}
