export type { Evidence, InjectionPattern, InjectionScore } from './injection-scorer.ts'
export * from './options.ts'
export { PromptInjectionDetector } from './prompt-injection-detector.ts'
export { Spotlight, type SpotlightMethod, type SpotlightOptions } from './spotlight.ts'
