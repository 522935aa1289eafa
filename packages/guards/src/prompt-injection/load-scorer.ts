import { yieldToEventLoop } from '../event-loop.ts'
import { loadPrototypes, type Prototype } from '../unicode-normalizer/look-alikes.ts'
import { Classifier } from './classifier/classifier.ts'
import { loadWeights } from './classifier/load-weights.ts'
import { type InjectionPattern, InjectionScorer } from './injection-scorer.ts'
import { OwnClassifier, type OwnClassifierOptions } from './own-classifier.ts'

interface Loaded {
  readonly classifier: Classifier
  readonly prototypeOf: Prototype
}

let loaded: Promise<Loaded> | undefined

/** Loads one after the other, and yields to the event loop in between. */
async function load(): Promise<Loaded> {
  const weights = await loadWeights()
  await yieldToEventLoop()
  const loaded = { classifier: new Classifier(weights), prototypeOf: await loadPrototypes() }
  await yieldToEventLoop()
  // Score once, so that the code is compiled before the first message.
  new InjectionScorer(loaded).score(SAMPLE)
  await yieldToEventLoop()
  return loaded
}

/** A text that runs the code of most scans: a role prefix, an instruction, a look-alike letter. */
const SAMPLE = 'User: Please summarize this page.\n\nThe quick brown f\u043ex jumps over the lazy dog.'

/** Loads weights and look-alikes once for all scorers. A failed load is tried again by the next call. */
export async function loadScorer(
  patterns: readonly (RegExp | InjectionPattern)[] = [],
  own?: OwnClassifierOptions,
): Promise<InjectionScorer> {
  // Loaded only if needed: the pattern compiler is large.
  const custom =
    patterns.length > 0 ? (await import('./own-patterns.ts')).compilePatterns(patterns) : undefined
  loaded ??= load()
  try {
    const options = await loaded
    return new InjectionScorer({
      ...options,
      ...(own && { own: new OwnClassifier(own) }),
      ...(custom && { custom: (text: string) => custom.detect(text) }),
    })
  } catch (error) {
    loaded = undefined
    throw error
  }
}
