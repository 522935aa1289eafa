export type { Evidence, InjectionPattern, InjectionScore } from './injection-scorer.ts'
export * from './options.ts'
export type { InjectionClassifier } from './own-classifier.ts'
export {
  type ClassScore,
  type PipelineClassifierOptions,
  pipelineClassifier,
  type TextClassification,
} from './pipeline-classifier.ts'
export { PromptInjectionDetector } from './prompt-injection-detector.ts'
export { Spotlight, type SpotlightMethod, type SpotlightOptions } from './spotlight.ts'
