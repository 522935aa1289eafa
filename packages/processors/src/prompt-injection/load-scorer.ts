import { loadPrototypes } from '../unicode-normalizer/look-alikes.ts'
import { Classifier } from './classifier/classifier.ts'
import { loadWeights } from './classifier/load-weights.ts'
import { type InjectionPattern, InjectionScorer } from './injection-scorer.ts'

let loaded: Promise<{ classifier: Classifier; prototypeOf: (character: string) => string }> | undefined

/** Loads weights and look-alikes once for all scorers, and tries again after a failure. */
export async function loadScorer(
  patterns: readonly (RegExp | InjectionPattern)[] = [],
): Promise<InjectionScorer> {
  // Few have patterns of their own, and what compiles them is large.
  const custom =
    patterns.length > 0 ? (await import('./own-patterns.ts')).compilePatterns(patterns) : undefined
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
