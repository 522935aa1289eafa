import { longest, parsePattern } from '../scanner/pattern.ts'
import { Scanner } from '../scanner/scanner.ts'
import { loadPrototypes } from '../unicode-normalizer/look-alikes.ts'
import { Classifier } from './classifier/classifier.ts'
import { loadWeights } from './classifier/load-weights.ts'
import { type InjectionPattern, InjectionScorer } from './injection-scorer.ts'

/** The longest match of a pattern that bounds none, in UTF-16 units. */
const DEFAULT_MAX_LENGTH = 1_000

/**
 * Compiles patterns of your own.
 *
 * @throws MillraceError `CONFIG_INVALID` if one cannot be run in linear time.
 */
function compilePatterns(patterns: readonly (RegExp | InjectionPattern)[]): Scanner | undefined {
  if (patterns.length === 0) return undefined
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

let loaded: Promise<{ classifier: Classifier; prototypeOf: (character: string) => string }> | undefined

/** Loads weights and look-alikes once for all scorers, and tries again after a failure. */
export async function loadScorer(
  patterns: readonly (RegExp | InjectionPattern)[] = [],
): Promise<InjectionScorer> {
  const custom = compilePatterns(patterns)
  loaded ??= Promise.all([loadWeights(), loadPrototypes()]).then(([weights, prototypeOf]) => ({
    classifier: new Classifier(weights),
    prototypeOf,
  }))
  try {
    const options = await loaded
    return new InjectionScorer({
      ...options,
      ...(custom && { custom: (text: string) => custom.detect(text) }),
    })
  } catch (error) {
    loaded = undefined
    throw error
  }
}
