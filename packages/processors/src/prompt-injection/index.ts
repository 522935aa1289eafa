export type { Evidence, InjectionPattern, InjectionScore } from './injection-scorer.ts'
export * from './options.ts'
export { PromptInjectionDetector } from './prompt-injection-detector.ts'
