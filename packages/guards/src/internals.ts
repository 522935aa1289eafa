// What training and evaluation use of the guards. Not published: see `publishConfig`.
export { perform, type Task, wait } from './guard/task.ts'
export { MODERATION_CATEGORIES } from './moderation/categories.ts'
export { LABELLED_TEXTS } from './moderation/labelled-texts.ts'
export { profanitySieve } from './moderation/profanity-sieve.ts'
export {
  Classifier,
  CONCEPT_SHARE,
  type KindWeights,
  signCounts,
  TEXT_KINDS,
  type TextKind,
  type Weights,
  WORD_SHARE,
} from './prompt-injection/classifier/classifier.ts'
export {
  BUCKETS,
  forEachConceptFeature,
  forEachPiece,
  forEachWordFeature,
  hashWord,
} from './prompt-injection/classifier/features.ts'
export { packWeights } from './prompt-injection/classifier/weight-levels.ts'
export { type Window, windowsOf } from './prompt-injection/classifier/windows.ts'
export { isCounted } from './prompt-injection/injection-inspector.ts'
export { InjectionScorer } from './prompt-injection/injection-scorer.ts'
export { SIGNS } from './prompt-injection/layers/layer.ts'
export { type Reading, readText } from './prompt-injection/layers/read.ts'
export { loadScorer } from './prompt-injection/load-scorer.ts'
export { type InjectionPreset, THRESHOLDS } from './prompt-injection/options.ts'
export { foldText } from './prompt-injection/text/folded-text.ts'
export { loadPrototypes, type Prototype } from './unicode-normalizer/look-alikes.ts'
